internal import Foundation
internal import StoreFile

/// The external files of stores, for tools that move them.
package enum StoreExternalFiles {
    /// Returns the files that no other store refers to; `nil` if a store beside this one, with which it shares the
    /// folder, cannot be read.
    ///
    /// - Parameters:
    ///   - names: Names of files in the folder of the store.
    ///   - path: The path of the store's file.
    package static func unshared(_ names: Set<String>, ofStoreAt path: String) -> Set<String>? {
        ExternalFolder(SQLiteFile(location(ofStoreAt: path)), SQLiteOptions([:])).unshared(names)
    }

    /// Returns the name beside which a store has its external files: the path, or the file that a link leads to unless
    /// there is a folder beside the link.
    static func location(ofStoreAt path: String) -> URL {
        let url = URL(fileURLWithPath: path)
        return FileManager.default.fileExists(atPath: ExternalStorage.supportFolder(of: url).path)
            ? url : URL(fileURLWithPath: FileStatus.resolved(path))
    }
}
