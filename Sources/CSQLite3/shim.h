#ifndef MODELC_CSQLITE3_SHIM_H
#define MODELC_CSQLITE3_SHIM_H

#include <sqlite3.h>

#endif
