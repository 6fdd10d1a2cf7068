internal import Foundation
internal import StoreFile

/// The folder of a store's external files, which stores whose names differ only in the extension share.
struct ExternalFolder {
    private let file: SQLiteFile
    private let settings: SQLiteOptions
    let supportFolder: URL
    let folder: URL

    /// The suffix of files that are being copied.
    private static let stageSuffix = ".part"

    var disk: StoreDisk { settings.disk }

    init(_ file: SQLiteFile, _ settings: SQLiteOptions) {
        self.file = file
        self.settings = settings
        supportFolder = ExternalStorage.supportFolder(of: file.url)
        folder = ExternalStorage.folder(of: file.url)
    }

    // MARK: Names

    /// Returns the names of the files that the rows of a store refer to, and of those that it has yet to remove.
    static func names(in file: SQLiteFile, _ settings: SQLiteOptions) throws -> Set<String> {
        let connection = try SQLiteConnection(path: file.url.path, vfs: settings.vfs)
        defer { connection.close() }
        return try names(connection)
    }

    /// Returns the names of the files that the rows of a store refer to, and of those that it has yet to remove.
    ///
    /// The store's model is not needed: a reference has a form that no other value has.
    static func names(_ connection: SQLiteConnection) throws(SQLiteError) -> Set<String> {
        let columns = try connection.statement(
            "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
                + "WHERE m.type = 'table' AND m.name LIKE 'Z%' AND upper(c.type) = 'BLOB'")
        defer { columns.reset() }
        var blobColumns: [(table: String, column: String)] = []
        while try columns.step() { blobColumns.append((columns.text(0), columns.text(1))) }
        var names: Set<String> = []
        for (table, column) in blobColumns {
            let name = SQLName.quoted(column)
            let values = try SQLiteStatement(
                connection,
                "SELECT \(name) FROM \(SQLName.quoted(table)) WHERE typeof(\(name)) = 'blob' AND length(\(name)) = "
                    + "\(ExternalStorage.referenceCount)")
            while try values.step() {
                if let name = ExternalStorage.fileName(in: values.bytes(0)) { names.insert(name) }
            }
            values.finalize()
        }
        return names.union(try DroppedFiles.names(connection))
    }

    /// The other databases whose external files are in the folder; `nil` if a file beside the store cannot be read.
    private var neighbors: [URL]? {
        let own = file.url.lastPathComponent
        let parentFolder = file.url.deletingLastPathComponent()
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: parentFolder.path) else { return nil }
        var neighbors: [URL] = []
        for url in names.map(parentFolder.appendingPathComponent) {
            let name = url.lastPathComponent
            guard name != own, !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix),
                ExternalStorage.supportFolder(of: url) == supportFolder, FileStatus.isRegularFile(url.path),
                FileStatus.size(url.path) ?? 0 > 0
            else { continue }
            guard let prefix = DatabaseFiles.prefix(of: url.path, count: DatabaseHeader.magic.count) else { return nil }
            if DatabaseHeader.begins(prefix) { neighbors.append(url) }
        }
        return neighbors
    }

    /// Whether it is certain that no other database refers to files in the folder.
    var hasSingleOwner: Bool { neighbors?.isEmpty ?? false }

    /// Returns the files that no other store refers to; `nil` if one of the stores cannot be read.
    func unshared(_ names: Set<String>) -> Set<String>? {
        guard let neighbors else { return nil }
        var unshared = names
        for url in neighbors {
            guard let connection = try? SQLiteFile(url).inspect(settings) else { return nil }
            defer { connection.close() }
            guard let others = try? Self.names(connection) else { return nil }
            unshared.subtract(others)
        }
        return unshared
    }

    // MARK: Files

    /// Copies missing files of another store. A reference to a missing file stays one.
    ///
    /// - Parameter added: The names of the copied files.
    func add(_ names: Set<String>, from source: ExternalFolder, _ added: inout [String]) throws {
        guard source.folder.path != folder.path else { return }
        let manager = FileManager.default
        for name in names.sorted() {
            let (from, to) = (source.folder.appendingPathComponent(name), folder.appendingPathComponent(name))
            guard let size = FileStatus.size(from.path), FileStatus.size(to.path) != size else { continue }
            try makeFolders(like: source)
            let staged = folder.appendingPathComponent(name + Self.stageSuffix)
            if manager.fileExists(atPath: staged.path) { try disk.remove(staged) }
            do {
                try disk.copy(from, to: staged)
            } catch {
                // An earlier save may still be removing files that no row refers to.
                guard manager.fileExists(atPath: from.path) else { continue }
                throw error
            }
            try disk.synchronize(staged)
            try disk.rename(staged, to)
            added.append(name)
        }
        guard !added.isEmpty else { return }
        try disk.synchronize(folder)
        try disk.synchronize(supportFolder)
        try disk.synchronize(supportFolder.deletingLastPathComponent())
    }

    /// The mode of the database, which new external files have too: they are parts of the store, as its log is.
    var mode: mode_t? { FileMode.of(file.url) }

    /// Creates the folders if they are missing.
    ///
    /// - Parameter source: Folders whose modes they get; `nil` for those who may read the database to be able to read
    ///   the folders.
    func makeFolders(like source: ExternalFolder? = nil) throws {
        for (folder, other) in [(supportFolder, source?.supportFolder), (folder, source?.folder)]
        where !FileManager.default.fileExists(atPath: folder.path) {
            try disk.createFolder(folder)
            let mode = other.map(FileMode.of) ?? mode.map { $0 | ($0 & 0o444) >> 2 }
            if let mode { chmod(folder.path, mode) }
        }
    }

    /// Removes files that no row of the store refers to anymore, unless another store does.
    ///
    /// - Returns: `false` if another store cannot be read, so that nothing was removed.
    @discardableResult func remove(_ names: Set<String>) -> Bool {
        guard !names.isEmpty else { return true }
        guard let names = unshared(names) else { return false }
        for name in names.sorted() {
            ExternalFile.remove(folder.appendingPathComponent(name), disk)
        }
        removeEmptyFolders()
        return true
    }

    /// Removes the folder, which no other store has files in.
    func removeAll() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names.sorted() { ExternalFile.remove(folder.appendingPathComponent(name), disk) }
        removeEmptyFolders()
        // What other programs have put there.
        if FileManager.default.fileExists(atPath: supportFolder.path) { try? disk.remove(supportFolder) }
    }

    /// Removes files that a replacement has copied before it failed.
    func discard(_ names: [String]) {
        for name in names { try? disk.remove(folder.appendingPathComponent(name)) }
        if !names.isEmpty { removeEmptyFolders() }
    }

    /// Removes what a killed replacement has left.
    func removeStaged() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasSuffix(Self.stageSuffix) {
            try? disk.remove(folder.appendingPathComponent(name))
        }
    }

    private func removeEmptyFolders() {
        for folder in [folder, supportFolder] {
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path), names.isEmpty else {
                return
            }
            try? disk.remove(folder)
        }
    }
}
