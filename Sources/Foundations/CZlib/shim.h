#ifndef MODELC_CZLIB_SHIM_H
#define MODELC_CZLIB_SHIM_H

#include <zlib.h>

#endif
