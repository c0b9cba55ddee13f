enum VaultAgentClientPlaceholder {}
