enum VaultSQLitePlaceholder {}
