enum VaultHTTPServerPlaceholder {}
