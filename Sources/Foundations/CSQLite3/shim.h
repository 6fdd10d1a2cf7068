#ifndef MODELC_CSQLITE3_SHIM_H
#define MODELC_CSQLITE3_SHIM_H

#include <sqlite3.h>

// Swift does not import functions with variable arguments.

/// Keeps a connection from writing the log into the database, and from deleting it, when the connection is closed.
static inline int modelc_sqlite3_disable_checkpoint_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Lets SQLite allocate memory without counting it, for which it takes a lock that all connections share. Must be called before anything
/// else of SQLite, by a program that is alone in its process.
static inline int modelc_sqlite3_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
