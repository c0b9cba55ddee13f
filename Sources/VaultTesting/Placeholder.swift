enum VaultTestingPlaceholder {}
