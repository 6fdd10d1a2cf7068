internal import Foundation

/// Large values beside a store: files in `.<name>_SUPPORT/_EXTERNAL_DATA`, each under a UUID that stands in the row
/// (Documentation/Formats/SQLiteStore.md, 6).
///
/// A file is written, and the disk told to keep it, before the row that names it; it is removed after the row is gone. So a
/// row never names a file that is not there, whenever the program is stopped. Used under the coordinator's lock.
final class ExternalStorage {
    /// Values of more bytes go to files.
    static let threshold = 100 * 1024
    /// The first byte of a value that is in the row.
    static let inlineMark: UInt8 = 1
    private static let fileMark: UInt8 = 2
    /// A mark, a UUID as text and a zero byte.
    private static let referenceCount = 38

    private let store: URL
    /// The folder that goes with the store.
    let supportFolder: URL
    private let folder: URL
    private let isReadOnly: Bool
    /// Whether large values go to files; all stay in the database of a store in memory.
    private let usesFiles: Bool
    private let disk: StoreDisk
    private let makeName: @Sendable () -> UUID
    /// The files of the save that is going on.
    private var written: [String] = []
    /// The files of rows that the save takes away or changes.
    private var dropped: [String] = []
    /// Files that no row names anymore, except for rows of the past that somebody still reads.
    private var outlived: [String] = []

    /// - Parameter store: the file of the store.
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

    /// Returns the value that a column stands for; nil when it is in a file that cannot be read, which is said on
    /// standard error.
    func data(in content: UnsafeRawBufferPointer) -> Data? {
        guard let mark = content.first else { return Data() }
        guard mark == Self.fileMark else {
            // Rows from before the attribute was allowed files have no mark.
            return mark == Self.inlineMark ? Data(content.dropFirst()) : Data(content)
        }
        guard let name = Self.fileName(in: content) else { return Data(content) }
        let url = folder.appendingPathComponent(name)
        do {
            // The pages are read when they are wanted.
            return try Data(contentsOf: url, options: .alwaysMapped)
        } catch {
            Log.error("the external data “\(url.path)” cannot be read: \(error)")
            return nil
        }
    }

    /// Returns the name of the file that a column refers to; nil when it holds the value itself.
    static func fileName(in content: UnsafeRawBufferPointer) -> String? {
        guard content.count == referenceCount, content.first == fileMark, content.last == 0 else { return nil }
        // A name that is not a UUID could escape the folder.
        return UUID(uuidString: String(decoding: content.dropFirst().dropLast(), as: UTF8.self))?.uuidString
    }

    // MARK: Writing

    /// Returns what a column holds for a value: the value, or a reference to the file that is written now.
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

    /// Says that a row which names a file is about to go, or to name another one.
    func drop(_ name: String) {
        dropped.append(name)
    }

    /// How many files the save has written.
    var writtenCount: Int { written.count }

    /// Says that no row names the files which were written after some others: their row could not be written.
    func dropWritten(from count: Int) {
        dropped += written[min(count, written.count)...]
    }

    /// Called before a save is committed: the names of new files are on disk too then.
    func prepare() throws {
        guard !written.isEmpty else { return }
        try disk.synchronize(folder)
        try disk.synchronize(supportFolder)
        try disk.synchronize(supportFolder.deletingLastPathComponent())
    }

    /// Called after a save: files that no row names any more are removed.
    ///
    /// - Parameter isPinned: whether somebody reads a state of the past: its files stay until a save after that, or the end.
    func finish(didCommit: Bool, isPinned: Bool = false) {
        if didCommit { outlived += dropped }
        remove(didCommit ? [] : written)
        if !isPinned { removeOutlived() }
        written = []
        dropped = []
    }

    /// Removes the files of the past, when the disk has the commits since.
    func removeOutlived() {
        guard !outlived.isEmpty, hasCommits else { return }
        remove(outlived)
        outlived = []
    }

    /// Whether the disk has what was committed. With `synchronous=NORMAL` SQLite leaves that to the system, and so it does with the
    /// removal of the journal that ends a commit without a log, unless it is `EXTRA`: after a failure of power, rows may be as they
    /// were before the last commits, and name files of then.
    private var hasCommits: Bool {
        let log = SQLiteFile(store).log
        let isLogged = FileManager.default.fileExists(atPath: log.path)
        return (try? disk.synchronize(isLogged ? log : log.deletingLastPathComponent())) != nil
    }

    private func remove(_ names: [String]) {
        for name in names { try? disk.remove(folder.appendingPathComponent(name)) }
    }
}
