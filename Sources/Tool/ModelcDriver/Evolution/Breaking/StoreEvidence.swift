internal import Diagnostics
internal import ModelSchema
internal import StoreFile

/// The rows in a folder of released stores.
struct StoreEvidence {
    let folder: String
    private let stores: [Store]

    private struct Store {
        var path: String
        var hashes: EntityVersionHashes
        /// The number of rows by entity name, including rows of subentities.
        var rowCounts: [String: Int]
    }

    /// Reads the stores at any depth below a folder.
    ///
    /// - Throws: If the folder holds no store, or one that cannot be read.
    init(folder: String, files: any FileSystem) throws(InputFailure) {
        self.folder = folder
        var paths: [String] = []
        try Self.find(PathName.withoutTrailingSlashes(folder), depth: 0, files: files, paths: &paths)
        var stores: [Store] = []
        for path in paths {
            do throws(StoreFileError) {
                let systemPath = files.systemPath(path)
                stores.append(
                    Store(
                        path: path, hashes: try StoreFile(path: systemPath).hashes,
                        rowCounts: try StoreRows(path: systemPath).counts))
            } catch {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .notAStore, error.message, file: path, range: .fileStart,
                            help: error.kind == .locked
                                ? error.help
                                : "Remove the file from the folder of evidence, or replace it with an intact store.")
                    ],
                    exitCode: .couldNotRun)
            }
        }
        self.stores = stores
        guard !stores.isEmpty else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchFile, "the folder contains no SQLite store", file: folder,
                        help: "Specify a folder with copies of stores that users have.")
                ],
                exitCode: .couldNotRun)
        }
    }

    /// Returns the number of rows that stores of the given versions have of an entity; `nil` if no such store has it.
    ///
    /// - Parameter versions: The version hashes. Stores of other models, which may have an entity of the same name, are
    ///   ignored.
    /// - Returns: The number of stores that have the entity, and the number of its rows in them, including rows of
    ///   subentities.
    func rows(of entity: String, in versions: Set<EntityVersionHashes>) -> (storeCount: Int, rowCount: Int)? {
        let counts = stores.filter { versions.contains($0.hashes) }.compactMap { $0.rowCounts[entity] }
        return counts.isEmpty ? nil : (counts.count, counts.reduce(0, +))
    }

    /// Returns the paths of the stores that match none of the version hashes.
    func strangers(to versions: Set<EntityVersionHashes>) -> [String] {
        stores.filter { !versions.contains($0.hashes) }.map(\.path)
    }

    private static func find(
        _ folder: String, depth: Int, files: any FileSystem, paths: inout [String]
    ) throws(InputFailure) {
        let names = try files.listInput(folder)
        for name in names {
            let path = PathName.joined(folder, name)
            switch files.kind(of: path) {
            case .directory? where depth < 16 && files.linkTarget(of: path) == nil:
                try find(path, depth: depth + 1, files: files, paths: &paths)
            case .file(let size)? where size > 0: if files.isDatabase(path) { paths.append(path) }
            default: break
            }
        }
    }
}
