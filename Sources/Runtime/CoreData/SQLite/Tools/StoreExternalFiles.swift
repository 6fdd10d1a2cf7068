internal import Foundation

/// The external files of stores, for tools that move them.
package enum StoreExternalFiles {
    /// Returns the files that no other store refers to; `nil` if a store beside this one, with which it shares the
    /// folder, cannot be read.
    ///
    /// - Parameters:
    ///   - names: Names of files in the folder of the store.
    ///   - path: The path of the store's file.
    package static func unshared(_ names: Set<String>, ofStoreAt path: String) -> Set<String>? {
        ExternalFolder(SQLiteFile(URL(fileURLWithPath: path)), SQLiteOptions([:])).unshared(names)
    }
}
