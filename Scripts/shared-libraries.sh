#!/usr/bin/env bash
# Prints the Debian packages of the shared libraries that a program needs besides the C library's, each after a comma.
set -euo pipefail
objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }' | while read -r name; do
    case $name in
    libc.so.* | libm.so.* | ld-linux* | libpthread.so.* | libdl.so.* | librt.so.*) ;;
    libstdc++.so.6) printf ', libstdc++6' ;;
    libgcc_s.so.1) printf ', libgcc-s1' ;;
    libxml2.so.2) printf ', libxml2' ;;
    libsqlite3.so.0) printf ', libsqlite3-0' ;;
    libz.so.1) printf ', zlib1g' ;;
    # Swift's own libraries have no Debian package: only test packages of a debug build need them.
    libswift* | libFoundation* | lib_Foundation* | libdispatch* | libBlocksRuntime*) ;;
    *) echo "error: $1 needs $name, and its Debian package is not known" >&2; exit 1 ;;
    esac
done
