enum VaultAgentServerPlaceholder {}
