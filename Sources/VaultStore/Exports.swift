// Names and places of accounts and vaults are the same for those who open a vault and those who ask.
@_exported public import VaultAccess
