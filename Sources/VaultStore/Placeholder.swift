enum VaultStorePlaceholder {}
