package enum MigrationCatalog {}
