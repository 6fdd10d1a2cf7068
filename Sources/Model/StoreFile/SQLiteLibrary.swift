// Importing a module links its library: the system's SQLite, or with the package's trait BundledSQLite that of
// swift-toolchain-sqlite, whose header CSQLite3 then reads as well.
#if BundledSQLite
internal import SwiftToolchainCSQLite
#else
internal import CSystemSQLite
#endif
