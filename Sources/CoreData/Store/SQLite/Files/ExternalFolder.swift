internal import Foundation
internal import StoreFile

/// The folder of a store's external files, which stores whose names differ only in the extension share.
struct ExternalFolder {
    private let file: SQLiteFile
    private let settings: SQLiteOptions
    private let support: URL
    let folder: URL

    /// The suffix of files that are being copied.
    private static let stageSuffix = ".part"

    private var disk: StoreDisk { settings.disk }

    init(_ file: SQLiteFile, _ settings: SQLiteOptions) {
        self.file = file
        self.settings = settings
        support = ExternalStorage.supportFolder(of: file.url)
        folder = support.appendingPathComponent("_EXTERNAL_DATA")
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
        var places: [(table: String, column: String)] = []
        while try columns.step() { places.append((columns.text(0), columns.text(1))) }
        var names: Set<String> = []
        for (table, column) in places {
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
        guard try connection.hasTable(DroppedFiles.table) else { return names }
        let dropped = try connection.statement("SELECT NAME FROM \(DroppedFiles.table)")
        defer { dropped.reset() }
        while try dropped.step() {
            if let name = UUID(uuidString: dropped.text(0))?.uuidString { names.insert(name) }
        }
        return names
    }

    /// The other databases whose external files are in the folder.
    private var neighbors: [URL] {
        let own = file.url.lastPathComponent
        let place = file.url.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        return names.map(place.appendingPathComponent).filter { url in
            let name = url.lastPathComponent
            return name != own && !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix)
                && ExternalStorage.supportFolder(of: url) == support && FileStatus.isRegularFile(url.path)
                && (FileStatus.size(url.path) ?? 0) > 0
        }
    }

    /// Whether no other database can refer to files in the folder.
    var hasSingleOwner: Bool {
        neighbors.allSatisfy { DatabaseFiles.prefix(of: $0.path, count: 15) != Array("SQLite format 3".utf8) }
    }

    /// The names of files that other stores refer to; nil if one of them cannot be read.
    private var othersNames: Set<String>? {
        var names: Set<String> = []
        for url in neighbors where DatabaseFiles.prefix(of: url.path, count: 15) == Array("SQLite format 3".utf8) {
            guard let connection = try? SQLiteFile(url).inspect(settings), let found = try? Self.names(connection)
            else {
                return nil
            }
            names.formUnion(found)
        }
        return names
    }

    // MARK: Files

    /// Copies missing files of another store. A reference to a missing file stays one.
    ///
    /// - Parameter added: the names of the copied files.
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
        try disk.synchronize(support)
        try disk.synchronize(support.deletingLastPathComponent())
    }

    private func makeFolders(like source: ExternalFolder) throws {
        for (folder, other) in [(support, source.support), (folder, source.folder)]
        where !FileManager.default.fileExists(atPath: folder.path) {
            try disk.createFolder(folder)
            if let mode = FileMode.of(other) { chmod(folder.path, mode) }
        }
    }

    /// Removes files that no row of the store refers to anymore, unless another store does.
    func remove(_ names: Set<String>) {
        guard !names.isEmpty, let others = othersNames else { return }
        for name in names.subtracting(others).sorted() {
            ExternalFile.remove(folder.appendingPathComponent(name), disk)
        }
        removeEmptyFolders()
    }

    /// Removes the folder, which no other store has files in.
    func removeAll() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names.sorted() { ExternalFile.remove(folder.appendingPathComponent(name), disk) }
        removeEmptyFolders()
        // What other programs have put there.
        if FileManager.default.fileExists(atPath: support.path) { try? disk.remove(support) }
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
        for folder in [folder, support] {
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path), names.isEmpty else {
                return
            }
            try? disk.remove(folder)
        }
    }
}
