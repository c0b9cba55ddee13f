enum VaultHTTPPlaceholder {}
