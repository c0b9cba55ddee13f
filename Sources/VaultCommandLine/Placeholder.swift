enum VaultCommandLinePlaceholder {}
