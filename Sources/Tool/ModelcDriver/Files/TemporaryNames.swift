internal import Diagnostics

/// Names for files that are being written: hidden, in the folder of the final name, and unpredictable.
package struct TemporaryNames {
    private static let prefix = ".modelc-"
    private static let digitCount = 16
    /// The name, in a temporary folder, of the folder with something of the user that is being replaced, under the name
    /// of the replacement.
    static let retiredName = ".modelc-retired"
    /// The age in seconds above which a file is one that a killed run left. Runs that may take as long lock their
    /// folder.
    private static let lifetime = 3600

    private var number = UInt64.random(in: 0...UInt64.max)

    /// Creates a sequence of names.
    package init() {}

    /// Returns a new name beside a path.
    package mutating func next(beside path: String) -> String {
        number &+= 1
        let digits = String(number, radix: 16)
        let name = Self.prefix + String(repeating: "0", count: Self.digitCount - digits.count) + digits
        return PathName.joined(PathName.parent(of: path), name)
    }

    /// Returns a new name for the old contents of a file, which may become the only copy of them. The name tells that
    /// of the file: a backup is a leftover only if another file has replaced its own.
    mutating func backup(of path: String) -> String {
        next(beside: path) + Self.backupMark(PathName.name(of: path))
    }

    /// Returns the end of the names of a file's backups.
    private static func backupMark(_ name: String) -> String { "-" + Fingerprint.hexString(of: name) }

    /// Removes the files that killed runs have left beside a path.
    ///
    /// - Parameter current: A file that was just created there, whose date is the time of the file system's clock.
    static func sweep(beside path: String, current: String, _ files: any FileSystem) {
        let folder = PathName.parent(of: path)
        guard let names = try? files.list(folder.isEmpty ? "." : folder),
            let now = files.modificationTime(of: current)
        else { return }
        let backups = names.filter(isBackup)
        let originals = backups.isEmpty ? [:] : Dictionary(names.map { (backupMark($0), $0) }) { first, _ in first }
        for name in backups {
            let backup = PathName.joined(folder, name)
            // Its own time is that of the old contents.
            guard let name = originals[String(name.suffix(digitCount + 1))] else { continue }
            let original = PathName.joined(folder, name)
            guard case .file? = files.kind(of: original), files.identity(of: original) != files.identity(of: backup),
                let time = files.modificationTime(of: original), now - time > lifetime
            else { continue }
            try? files.remove(backup)
        }
        for name in names where isTemporary(name) {
            let leftover = PathName.joined(folder, name)
            // A folder whose files are written is in use, though its own time is that of the last new name. An export
            // is a folder in it.
            let names = (try? files.list(leftover)) ?? []
            let children = names.map { PathName.joined(leftover, $0) }
            let grandchildren = children.flatMap { child in
                ((try? files.list(child)) ?? []).map { PathName.joined(child, $0) }
            }
            let times = ([leftover] + children + grandchildren).compactMap { files.modificationTime(of: $0) }
            guard let time = times.max(), now - time > lifetime,
                isReplaced(leftover, with: names, files), !files.isLocked(folder: leftover)
            else { continue }
            files.removeTree(leftover)
        }
    }

    /// Returns whether nothing in a temporary folder is the only copy of something of the user: the replacement has
    /// left the folder, and is in its place.
    private static func isReplaced(_ folder: String, with names: [String], _ files: any FileSystem) -> Bool {
        guard names.contains(retiredName) else { return true }
        let retired = PathName.joined(folder, retiredName)
        guard files.linkTarget(of: retired) == nil, let kept = try? files.list(retired) else { return false }
        let parent = PathName.parent(of: folder)
        return kept.isEmpty
            || names.count == 1 && kept.allSatisfy { files.kind(of: PathName.joined(parent, $0)) != nil }
    }

    static func isTemporary(_ name: String) -> Bool {
        name.hasPrefix(prefix) && isNumber(name.utf8.dropFirst(prefix.utf8.count))
    }

    /// Returns whether a file with this name has the old contents of another.
    static func isBackup(_ name: String) -> Bool {
        let parts = name.utf8.dropFirst(prefix.utf8.count).split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return name.hasPrefix(prefix) && parts.count == 2 && parts.allSatisfy(isNumber)
    }

    private static func isNumber(_ digits: Substring.UTF8View) -> Bool {
        digits.count == digitCount
            && digits.allSatisfy { digit in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit)
            }
    }
}
