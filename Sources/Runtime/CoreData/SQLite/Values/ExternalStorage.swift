internal import Foundation
internal import RuntimeSupport

/// Large values outside of a store: files in `.<name>_SUPPORT/_EXTERNAL_DATA`, each named by a UUID in the row
/// (Documentation/Formats/SQLiteStore.md, 6).
///
/// A file is written and synchronized to the disk before the row that refers to it, and removed after the row was
/// deleted. So a row never refers to a missing file, even if the program is killed. Used under the coordinator's lock.
final class ExternalStorage: StoredCoding, StoredEncoding, @unchecked Sendable {
    /// The maximum size, in bytes, of values that are stored in the row.
    static let threshold = 100 * 1024
    /// The first byte of a value that is stored in the row.
    static let inlineMark: UInt8 = 1
    private static let fileMark: UInt8 = 2
    /// The size of a reference: a mark, a UUID as text and a zero byte.
    static let referenceCount = 38

    private let files: ExternalFolder
    /// Whether large values are stored in files; an in-memory store keeps all of them in the database.
    private let usesFiles: Bool
    private let makeName: @Sendable () -> UUID
    /// The files written by the current save.
    private var written: [String] = []
    /// The files of rows that the current save removes or changes.
    private var dropped: [String] = []
    /// The files that rows of past states, which may still be read, refer to.
    let droppedFiles: DroppedFiles

    init(_ file: SQLiteFile, _ settings: SQLiteOptions) {
        files = ExternalFolder(file, settings)
        makeName = settings.reproduction?.makeFileName ?? { @Sendable in UUID() }
        usesFiles = !file.isInMemory
        droppedFiles = DroppedFiles(files)
    }

    private var disk: StoreDisk { files.disk }
    private var folder: URL { files.folder }
    var supportFolder: URL { files.supportFolder }

    static func folder(of store: URL) -> URL { supportFolder(of: store).appendingPathComponent("_EXTERNAL_DATA") }

    static func supportFolder(of store: URL) -> URL {
        let name = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT")
    }

    // MARK: Reading

    /// Returns the value that a column contains or refers to. A file is not read before its value is used.
    func value(in content: UnsafeRawBufferPointer) -> SlotValue {
        guard let file = file(in: content) else { return .data(Self.inlineData(Data(content))) }
        return .stored(StoredBytes(Data(content), file: file, self))
    }

    /// Returns the file that a column refers to, or `nil` if it contains the value itself.
    func file(in content: UnsafeRawBufferPointer) -> ExternalFile? {
        Self.fileName(in: content).map { ExternalFile.at(folder.appendingPathComponent($0)) }
    }

    /// Returns the bytes that a stored value has or refers to.
    ///
    /// - Throws: `UnreadableValue` if its file cannot be read.
    func data(of stored: StoredBytes) throws -> Data {
        if let file = stored.file { return try file.read() }
        return Self.inlineData(stored.bytes)
    }

    /// Returns the bytes that a column contains or refers to.
    ///
    /// - Throws: `UnreadableValue` if its file cannot be read.
    func data(in content: UnsafeRawBufferPointer) throws -> Data {
        if let file = file(in: content) { return try file.read() }
        return Self.inlineData(Data(content))
    }

    /// Returns the value that a column contains.
    private static func inlineData(_ content: Data) -> Data {
        // Rows from before the attribute allowed external storage have no mark.
        content.first == inlineMark ? Data(content.dropFirst()) : content
    }

    func value(of stored: StoredBytes) throws -> SlotValue { .data(try data(of: stored)) }

    func report(_ error: any Error) { Log.error("\(error)") }

    /// Returns the name of the file that a column refers to, or `nil` if it contains the value itself.
    static func fileName(in content: UnsafeRawBufferPointer) -> String? {
        guard content.count == referenceCount, content.first == fileMark, content.last == 0 else { return nil }
        // A name that is not a UUID could escape the folder.
        return UUID(uuidString: String(decoding: content.dropFirst().dropLast(), as: UTF8.self))?.uuidString
    }

    // MARK: Writing

    /// Returns a large value as the store keeps it, in a new file; `nil` for one that stays in the row.
    func encoded(_ value: SlotValue) throws -> SlotValue? {
        let data: Data
        switch value {
        case .data(let value): data = value
        case .stored(let stored):
            // The file may be about to be removed, so the value gets another one.
            guard case .data(let value) = try stored.decoded ?? readable(stored) else { return nil }
            data = value
        default: return nil
        }
        guard usesFiles, data.count > Self.threshold else {
            if case .stored = value { return .data(data) }
            return nil
        }
        return try content(of: data).withUnsafeBytes { self.value(in: $0) }
    }

    func adopted(_ value: SlotValue) -> SlotValue? {
        guard case .stored(let stored) = value, stored.coding !== self else { return nil }
        return stored.bytes.withUnsafeBytes { self.value(in: $0) }
    }

    private func readable(_ stored: StoredBytes) throws -> SlotValue {
        do {
            return try stored.decode()
        } catch {
            throw CoreDataError.error(
                .persistentStoreSave, text: "a value cannot be written, because it cannot be read: \(error)")
        }
    }

    /// Returns the column content for a value: the value itself, or a reference to a file, which is written.
    func content(of data: Data) throws -> Data {
        guard usesFiles, data.count > Self.threshold else { return Data([Self.inlineMark]) + data }
        let name = makeName().uuidString
        let url = folder.appendingPathComponent(name)
        do {
            try files.makeFolders()
            written.append(name)
            try disk.write(data, to: url)
            if let mode = files.mode { chmod(url.path, mode) }
            try disk.synchronize(url)
        } catch {
            throw CoreDataError.error(
                .persistentStoreSave, text: "the external data of \(data.count) bytes cannot be written to \(url.path)",
                userInfo: [NSURLErrorKey: url, NSUnderlyingErrorKey: error])
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

    /// Synchronizes the names of new files to the disk, and records the files that rows no longer refer to. Called
    /// before a save is committed, in its transaction.
    func prepare(_ connection: SQLiteConnection) throws {
        try droppedFiles.add(dropped, connection)
        guard !written.isEmpty else { return }
        try disk.synchronize(folder)
        try disk.synchronize(supportFolder)
        try disk.synchronize(supportFolder.deletingLastPathComponent())
    }

    /// Ends a save that was committed: removes files that no row refers to anymore.
    func didCommit(_ connection: SQLiteConnection) {
        let hasDropped = !dropped.isEmpty
        written = []
        dropped = []
        // What cannot be removed now is removed after a later save.
        if hasDropped || droppedFiles.hasWaiting { try? droppedFiles.removeUnused(connection) }
    }

    /// Ends a save that was not committed: removes the files that it has written.
    func didFail() {
        for name in written { try? disk.remove(folder.appendingPathComponent(name)) }
        written = []
        dropped = []
    }
}
