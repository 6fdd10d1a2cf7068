#ifndef BENCHMARKS_CSQLITE_SHIM_H
#define BENCHMARKS_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
