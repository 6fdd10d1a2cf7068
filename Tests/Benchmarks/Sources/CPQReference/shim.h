#ifndef BENCHMARKS_CPQ_SHIM_H
#define BENCHMARKS_CPQ_SHIM_H

#include <libpq-fe.h>

#endif
