internal import Foundation

/// Large values outside of a store: files in `.<name>_SUPPORT/_EXTERNAL_DATA`, each named by a UUID in the row
/// (Documentation/Formats/SQLiteStore.md, 6).
///
/// A file is written and synchronized to the disk before the row that refers to it, and removed after the row was
/// deleted. So a row never refers to a missing file, even if the program is killed. Used under the coordinator's lock.
final class ExternalStorage {
    /// The maximum size, in bytes, of values that are stored in the row.
    static let threshold = 100 * 1024
    /// The first byte of a value that is stored in the row.
    static let inlineMark: UInt8 = 1
    private static let fileMark: UInt8 = 2
    /// The size of a reference: a mark, a UUID as text and a zero byte.
    private static let referenceCount = 38

    private let store: URL
    /// The support folder of the store.
    let supportFolder: URL
    private let folder: URL
    private let isReadOnly: Bool
    /// Whether large values are stored in files; an in-memory store keeps all of them in the database.
    private let usesFiles: Bool
    private let disk: StoreDisk
    private let makeName: @Sendable () -> UUID
    /// The files written by the current save.
    private var written: [String] = []
    /// The files of rows that the current save removes or changes.
    private var dropped: [String] = []
    /// Files that only rows of past generations, which may still be read, refer to.
    private var outlived: [String] = []

    /// - Parameter store: the location of the store.
    init(
        store: URL, isReadOnly: Bool, usesFiles: Bool = true, disk: StoreDisk = .standard,
        makeName: (@Sendable () -> UUID)? = nil
    ) {
        self.store = store
        self.makeName = makeName ?? { UUID() }
        self.usesFiles = usesFiles
        self.disk = disk
        supportFolder = Self.supportFolder(of: store)
        folder = supportFolder.appendingPathComponent("_EXTERNAL_DATA")
        self.isReadOnly = isReadOnly
    }

    static func supportFolder(of store: URL) -> URL {
        let name = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT")
    }

    // MARK: Reading

    /// Returns the value that a column contains or refers to. Returns nil if its file cannot be read, which is reported
    /// on standard error.
    func data(in content: UnsafeRawBufferPointer) -> Data? {
        guard let mark = content.first else { return Data() }
        guard mark == Self.fileMark else {
            // Rows from before the attribute allowed external storage have no mark.
            return mark == Self.inlineMark ? Data(content.dropFirst()) : Data(content)
        }
        guard let name = Self.fileName(in: content) else { return Data(content) }
        let url = folder.appendingPathComponent(name)
        do {
            // The pages are read on demand.
            return try Data(contentsOf: url, options: .alwaysMapped)
        } catch {
            Log.error("the external data “\(url.path)” cannot be read: \(error)")
            return nil
        }
    }

    /// Returns the name of the file that a column refers to, or nil if it contains the value itself.
    static func fileName(in content: UnsafeRawBufferPointer) -> String? {
        guard content.count == referenceCount, content.first == fileMark, content.last == 0 else { return nil }
        // A name that is not a UUID could escape the folder.
        return UUID(uuidString: String(decoding: content.dropFirst().dropLast(), as: UTF8.self))?.uuidString
    }

    // MARK: Writing

    /// Returns the column content for a value: the value itself, or a reference to a file, which is written.
    func content(of data: Data) throws -> Data {
        guard usesFiles, data.count > Self.threshold else { return Data([Self.inlineMark]) + data }
        let name = makeName().uuidString
        let url = folder.appendingPathComponent(name)
        do {
            try disk.createFolder(folder)
            written.append(name)
            try disk.write(data, to: url)
            try disk.synchronize(url)
        } catch {
            throw CoreDataError.error(
                .persistentStoreSave, "the external data of \(data.count) bytes cannot be written to \(url.path)",
                [NSURLErrorKey: url, NSUnderlyingErrorKey: error])
        }
        return Data([Self.fileMark]) + Data(name.utf8) + Data([0])
    }

    /// Schedules the removal of a file whose row is about to be removed or to refer to another file.
    func drop(_ name: String) {
        dropped.append(name)
    }

    /// The number of files that the current save has written.
    var writtenCount: Int { written.count }

    /// Schedules the removal of the files written after a count, because their row could not be written.
    func dropWritten(from count: Int) {
        dropped += written[min(count, written.count)...]
    }

    /// Synchronizes the names of new files to the disk. Called before a save is committed.
    func prepare() throws {
        guard !written.isEmpty else { return }
        try disk.synchronize(folder)
        try disk.synchronize(supportFolder)
        try disk.synchronize(supportFolder.deletingLastPathComponent())
    }

    /// Removes files that no row refers to anymore. Called after a save.
    ///
    /// - Parameter isPinned: whether a past generation is being read, whose files are then kept until a save after
    ///   that, or until the store is closed.
    func finish(didCommit: Bool, isPinned: Bool = false) {
        if didCommit { outlived += dropped }
        remove(didCommit ? [] : written)
        if !isPinned { removeOutlived() }
        written = []
        dropped = []
    }

    /// Removes the files of past generations, if all later commits are on the disk.
    func removeOutlived() {
        guard !outlived.isEmpty, hasCommits else { return }
        remove(outlived)
        outlived = []
    }

    /// Whether all commits are on the disk. With `synchronous=NORMAL`, SQLite leaves that to the system, as it does
    /// with the removal of the journal that ends a commit without a log, unless the setting is `EXTRA`: after a power
    /// failure, rows may be as they were before the last commits, and refer to the files of that time.
    private var hasCommits: Bool {
        let log = SQLiteFile(store).log
        let isLogged = FileManager.default.fileExists(atPath: log.path)
        return (try? disk.synchronize(isLogged ? log : log.deletingLastPathComponent())) != nil
    }

    private func remove(_ names: [String]) {
        for name in names { try? disk.remove(folder.appendingPathComponent(name)) }
    }
}
