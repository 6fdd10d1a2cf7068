internal import Diagnostics
internal import Foundation
internal import ModelSchema
internal import ModelcDriver
internal import StoreFile

/// The stores in and below a folder.
struct FoundStores {
    struct Store {
        /// The path relative to the folder.
        var name: String
        /// The path for the system.
        var path: String
        var hashes: EntityVersionHashes
    }

    /// The stores, by path. Other files are left out.
    let stores: [Store]

    /// - Throws: If the folder does not exist, or holds no store.
    init(_ path: String, _ files: any FileSystem) throws(InputFailure) {
        let folder = files.systemPath(path)
        guard files.kind(of: path) == .directory else {
            throw Self.failure(path, rule: .noSuchFile, message: "there is no folder at this path")
        }
        let names = (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).sorted()
        stores = names.compactMap { name in
            let file = PathName.joined(folder, name)
            guard !name.hasSuffix("-wal"), !name.hasSuffix("-shm"), let store = try? StoreFile(path: file) else {
                return nil
            }
            return Store(name: name, path: file, hashes: store.hashes)
        }
        if stores.isEmpty {
            throw Self.failure(path, rule: .notAStore, message: "the folder contains no SQLite store of Core Data")
        }
    }

    private static func failure(_ path: String, rule: RuleID, message: String) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: rule, message, file: path, range: .fileStart, help: "Specify a folder of stores.")
            ],
            exitCode: .couldNotRun)
    }
}

/// Copies a store that is not in use, with its journal files and its external files.
enum StoreFileCopy {
    static func copy(_ store: URL, to copy: URL) throws {
        let manager = FileManager.default
        try manager.copyItem(at: store, to: copy)
        for suffix in ["-wal", "-journal"] where manager.fileExists(atPath: store.path + suffix) {
            try manager.copyItem(atPath: store.path + suffix, toPath: copy.path + suffix)
        }
        let support = StagingLocation.supportFolder(of: store.path)
        if manager.fileExists(atPath: support) {
            try manager.copyItem(atPath: support, toPath: StagingLocation.supportFolder(of: copy.path))
        }
    }
}
