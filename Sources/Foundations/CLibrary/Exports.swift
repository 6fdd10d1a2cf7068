// The C library of the platform. Only this file names the platforms' modules: glibc on x86-64 and arm64 was run, the
// others were not.

#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Android)
@_exported public import Android
#elseif canImport(WASILibc)
@_exported public import WASILibc
#elseif canImport(ucrt)
@_exported public import ucrt
#endif
