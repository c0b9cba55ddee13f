// One import is enough for a program: the public values of the lower layers come with this one.
@_exported public import OAuth
@_exported public import Platform
@_exported public import VaultAccess
@_exported public import VaultCrypto
