#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a function-pointer cast that Swift cannot import.
static inline sqlite3_destructor_type vault_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int vault_sqlite_db_config_flag(sqlite3 *db, int option, int on, int *now) {
    return sqlite3_db_config(db, option, on, now);
}
