#ifndef MODELC_CSYSTEMCALLS_SHIM_H
#define MODELC_CSYSTEMCALLS_SHIM_H

#ifdef __APPLE__
// <mach-o/dyld.h> is not in the module Darwin.
extern int _NSGetExecutablePath(char *buffer, unsigned int *size);

/// Writes the path of the running program to a buffer. Returns 0, or -1 if the buffer is too small.
static inline int modelc_executable_path(char *buffer, unsigned int size) { return _NSGetExecutablePath(buffer, &size); }
#endif

#ifdef __linux__
#include <sys/syscall.h>

// Headers with types, which Swift would then find in this module only, are not included.
extern long syscall(long number, ...);

// Swift does not import functions with variable arguments, and C libraries declare renameat2 under conditions of their own, or not at all.

/// AT_FDCWD, which lets a relative path begin at the working directory.
static const int modelc_working_directory = -100;

/// Renames a file with the flags of renameat2(2). Returns 0, or -1 with the reason in errno.
static inline int modelc_rename(const char *path, const char *new_path, unsigned int flags) {
    return (int)syscall(SYS_renameat2, modelc_working_directory, path, modelc_working_directory, new_path, flags);
}

static const unsigned int modelc_rename_noreplace = 1;
static const unsigned int modelc_rename_exchange = 2;
#endif

#endif
