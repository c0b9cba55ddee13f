enum VaultKitPlaceholder {}
