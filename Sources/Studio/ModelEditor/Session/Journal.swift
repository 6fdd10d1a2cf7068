internal import CLibrary
internal import Diagnostics
internal import ModelSchema
package import ModelcDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

enum ModelJournalEntry: Codable, Sendable {
    /// The file of a version before its first edit.
    case base(version: String, bytes: [UInt8])
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

extension ModelJournalEntry: JournalEntry {
    var role: JournalRole {
        switch self {
        case .edit: .edit
        case .undo: .undo
        case .redo: .redo
        case .base, .contents, .draft: .state
        }
    }
}

package protocol JournalEntry: Codable, Sendable {
    /// What the entry does to those before it.
    var role: JournalRole { get }
}

/// What an entry in a journal does to those before it.
package enum JournalRole {
    /// An edit, which can be undone.
    case edit
    /// The last edit was undone.
    case undo
    /// The last undone edit was redone.
    case redo
    /// A state, which cannot be undone.
    case state
}

/// The unsaved edits of a model or store, kept in the user's cache folder so that nothing is lost if the browser, the
/// server or the computer stops.
///
/// A file of JSON lines. While it has entries of an earlier run, the user must restore or discard them before anything
/// is edited. The system releases its lock when the process ends for any reason. Not thread-safe.
package final class Journal<Entry: JournalEntry> {
    let path: String
    /// The entries that an earlier run left, and that were neither restored nor discarded. Edits that it undid are left
    /// out.
    package private(set) var found: [Entry] = []
    /// The path of a copy of the file, if it has entries that cannot be read; otherwise `nil`.
    package private(set) var damagedCopy: String?
    private let files: any FileSystem
    private let descriptor: Int32
    /// The length of the complete entries in the file, in bytes.
    private var length = 0

    /// A line after which the entries before it no longer count.
    private static var reset: String { "{\"reset\":{}}" }

    /// Opens the journal of a file and locks it.
    ///
    /// - Parameters:
    ///   - original: The path of the model or store, without links.
    ///   - folder: The folder of all journals.
    ///   - files: The file system, for the folder.
    /// - Returns: `nil` if another process has it open, or if it cannot be written.
    package init?(path original: String, folder: String, files: any FileSystem) {
        let name = SHA256.hash(Array(original.utf8)).prefix(12).hexadecimal
        path = PathName.joined(folder, name + ".journal")
        guard (try? files.createDirectory(folder)) != nil else { return nil }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.files = files
        do {
            let bytes = try files.read(path)
            read(bytes)
            found = Self.folded(found)
            // The last line of a killed process may be incomplete. Anything else that cannot be read is kept aside.
            if bytes[length...].contains(UInt8(ascii: "\n")) {
                damagedCopy = try createCopy(".damaged", bytes)
            }
            if length < bytes.count { _ = ftruncate(descriptor, off_t(length)) }
        } catch {
            // deinit closes the file.
            return nil
        }
        _ = lseek(descriptor, 0, SEEK_END)
        synchronize(folder)
    }

    deinit { close(descriptor) }

    /// Copies the file, before entries are dropped that could not be repeated.
    ///
    /// - Returns: The path of the copy, or `nil` if it cannot be written.
    package func keepCopy() -> String? { try? createCopy(".rejected", files.read(path)) }

    /// Creates a copy under an unused name, so that copies of earlier journals are kept.
    private func createCopy(_ suffix: String, _ bytes: [UInt8]) throws -> String {
        let path = path + suffix
        var name = path
        var number = 1
        while files.modificationTime(of: name) != nil {
            number += 1
            name = "\(path)-\(number)"
        }
        try files.create(name, bytes, like: self.path)
        return name
    }

    private func read(_ bytes: [UInt8]) {
        let decoder = JSONDecoder()
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            // What follows the last line feed is incomplete.
            guard line.endIndex < bytes.count else { return }
            if line.elementsEqual(Self.reset.utf8) {
                found = []
            } else if let entry = try? decoder.decode(Entry.self, from: Data(line)) {
                found.append(entry)
            } else {
                return
            }
            length = line.endIndex + 1
        }
    }

    /// Returns the entries that count: edits that were undone are left out, so that one that cannot be repeated does
    /// not make an undo take back another.
    private static func folded(_ entries: [Entry]) -> [Entry] {
        var result: [Entry?] = []
        var done: [Int] = []
        var undone: [Entry] = []
        for entry in entries {
            switch entry.role {
            case .edit:
                undone = []
                done.append(result.count)
                result.append(entry)
            case .undo:
                guard let index = done.popLast(), let edit = result[index] else { continue }
                undone.append(edit)
                result[index] = nil
            case .redo:
                guard let edit = undone.popLast() else { continue }
                done.append(result.count)
                result.append(edit)
            case .state: result.append(entry)
            }
        }
        return result.compactMap(\.self)
    }

    /// Synchronizes the folder, so that the file's name survives a crash of the computer, too.
    private func synchronize(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }

    /// Appends an entry, and waits until the disk has it.
    ///
    /// - Returns: Whether it was written; a full disk does not prevent editing.
    package func append(_ entry: Entry) -> Bool { append([entry]) }

    /// Appends entries, all or none, and waits until the disk has them.
    package func append(_ entries: [Entry]) -> Bool { append(entries, afterReset: false) }

    /// Replaces all entries in one step: after a crash, either the old or the new ones are found.
    ///
    /// - Returns: Whether they were written. If not, the file is as before.
    package func replace(with entries: [Entry]) -> Bool {
        if entries.isEmpty {
            clear()
            return true
        }
        guard append(entries, afterReset: true) else { return false }
        found = []
        return true
    }

    private func append(_ entries: [Entry], afterReset: Bool) -> Bool {
        var bytes = afterReset ? Array("\(Self.reset)\n".utf8) : []
        for entry in entries {
            guard let data = try? JSONEncoder().encode(entry) else { return false }
            bytes += data
            bytes.append(UInt8(ascii: "\n"))
        }
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return removePartialEntries() }
            offset += count
        }
        guard fsync(descriptor) == 0 || errno == EINVAL else { return removePartialEntries() }
        length += bytes.count
        return true
    }

    /// Removes what was written of entries that the disk has no room for; a partial entry would make later ones
    /// unreadable.
    private func removePartialEntries() -> Bool {
        _ = ftruncate(descriptor, off_t(length))
        _ = lseek(descriptor, off_t(length), SEEK_SET)
        return false
    }

    /// Adopts the entries of an earlier run; they stay in the file.
    package func adoptExisting() { found = [] }

    /// Empties the journal, after everything was saved or discarded.
    package func clear() {
        found = []
        length = 0
        _ = ftruncate(descriptor, 0)
        _ = lseek(descriptor, 0, SEEK_SET)
        _ = fsync(descriptor)
    }
}
