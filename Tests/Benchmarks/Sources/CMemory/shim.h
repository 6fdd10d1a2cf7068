#ifndef BENCHMARKS_CMEMORY_SHIM_H
#define BENCHMARKS_CMEMORY_SHIM_H

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Gives memory that was freed back to the system, so that what is resident is what is in use.
static inline void release_freed_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

#endif
