internal import ModelSchema
package import ModelcDriver

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// An entry in the journal of a model.
enum ModelJournalEntry: Codable, Sendable {
    /// The file of a version before its first edit.
    case base(version: String, bytes: [UInt8])
    /// An operation.
    case edit(EditOperation, version: String)
    /// The version was replaced as a whole, by a merge.
    case contents(version: String, bytes: [UInt8])
    /// The last operation was undone.
    case undo
    /// The last undone operation was redone.
    case redo
    /// The text of a file that is being repaired.
    case draft(version: String, text: String)
}

/// The unsaved edits of a model or store, kept in the user's cache folder so that nothing is lost if the browser or the server
/// crashes.
///
/// A file of JSON lines. The system releases its lock when the process ends for any reason. Not thread-safe.
package final class Journal<Entry: Codable & Sendable> {
    /// The path of the file.
    let path: String
    /// The entries that an earlier run left.
    package private(set) var found: [Entry] = []
    private let descriptor: Int32
    /// The length of the complete entries in the file, in bytes.
    private var length = 0

    /// Opens the journal of a file and locks it.
    ///
    /// - Parameters:
    ///   - original: The path of the model or store, without links.
    ///   - folder: The folder of all journals.
    ///   - files: The file system, for the folder.
    /// - Returns: `nil` if another process has it open, or if it cannot be written.
    package init?(path original: String, folder: String, files: any FileSystem) {
        let digest = SHA256.hash(Array(original.utf8)).prefix(12)
        let name = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        path = PathName.joined(folder, name + ".journal")
        guard (try? files.createDirectory(folder)) != nil else { return nil }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        let bytes = (try? files.read(path)) ?? []
        let decoder = JSONDecoder()
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let entry = try? decoder.decode(Entry.self, from: Data(line)) else { break }
            found.append(entry)
            length = min(line.endIndex + 1, bytes.count)
        }
        // The last line of a killed process may be incomplete.
        if length < bytes.count { _ = ftruncate(descriptor, off_t(length)) }
        _ = lseek(descriptor, 0, SEEK_END)
    }

    deinit { close(descriptor) }

    /// Appends an entry.
    ///
    /// - Returns: Whether it was written; a full disk does not prevent editing.
    package func append(_ entry: Entry) -> Bool {
        guard var data = try? JSONEncoder().encode(entry) else { return false }
        data.append(UInt8(ascii: "\n"))
        let bytes = [UInt8](data)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // A partial entry would make later ones unreadable.
                _ = ftruncate(descriptor, off_t(length))
                _ = lseek(descriptor, off_t(length), SEEK_SET)
                return false
            }
            offset += count
        }
        length += bytes.count
        return true
    }

    /// Adopts the entries of an earlier run; they stay in the file.
    package func keepFound() { found = [] }

    /// Empties the journal, after everything was saved or discarded.
    package func clear() {
        found = []
        length = 0
        _ = ftruncate(descriptor, 0)
        _ = lseek(descriptor, 0, SEEK_SET)
    }
}
