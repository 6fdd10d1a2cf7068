internal import Diagnostics
internal import StoreFile

/// What a folder of released stores says of the rows that users have.
struct StoreEvidence {
    /// The path of the folder.
    let folder: String
    /// How many stores it has.
    let storeCount: Int
    private var rowCounts: [String: Int] = [:]

    /// Reads the stores at any depth below a folder.
    ///
    /// - Throws: If the folder holds no store, or one that cannot be read.
    init(folder: String, files: any FileSystem) throws(InputFailure) {
        self.folder = folder
        var paths: [String] = []
        try Self.find(PathName.withoutTrailingSlashes(folder), depth: 0, files, &paths)
        var count = 0
        for path in paths {
            let rows: [String: Int]
            do throws(StoreFileError) {
                rows = try StoreRows(path: files.systemPath(path)).counts
            } catch {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .notAStore, error.message, file: path, range: .fileStart,
                            help: "Remove the file from the folder of evidence, or replace it by a whole store.")
                    ],
                    exitCode: .couldNotRun)
            }
            count += 1
            for (entity, number) in rows { rowCounts[entity, default: 0] += number }
        }
        storeCount = count
        guard count > 0 else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchFile, "the folder holds no SQLite store", file: folder,
                        help: "Name a folder with copies of stores that users have.")
                ],
                exitCode: .couldNotRun)
        }
    }

    /// Returns the number of rows of an entity and its subentities in all stores; `nil` if no store has the entity.
    func rowCount(of entity: String) -> Int? { rowCounts[entity] }

    private static func find(
        _ folder: String, depth: Int, _ files: any FileSystem, _ paths: inout [String]
    ) throws(InputFailure) {
        let names: [String]
        do throws(FileSystemError) {
            names = try files.list(folder)
        } catch {
            throw InputFailure(diagnostics: [error.diagnostic], exitCode: .couldNotRun)
        }
        let magic = Array("SQLite format 3\u{0}".utf8)
        for name in names {
            let path = PathName.joined(folder, name)
            switch files.kind(of: path) {
            case .directory? where depth < 16 && files.linkTarget(of: path) == nil:
                try find(path, depth: depth + 1, files, &paths)
            case .file(let size)? where size >= magic.count:
                if (try? files.readHead(path, count: magic.count)) == magic { paths.append(path) }
            default: break
            }
        }
    }
}
