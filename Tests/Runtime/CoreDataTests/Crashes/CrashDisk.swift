import TestSupport

/// A simulated disk that knows its possible contents after a crash.
///
/// A write, truncation, new name or removal is certain only after a synchronization: of the file for its bytes, of the
/// folder for its names. At a crash, each of them has happened or not, in any combination; a write may have reached
/// only some of its sectors, and others may contain garbage.
struct CrashDisk {
    /// A file operation of a program. Paths are relative to the store's folder.
    enum Operation {
        case create(String)
        case createFolder(String)
        case write(String, offset: Int, [UInt8])
        case truncate(String, size: Int)
        case synchronize(String)
        case synchronizeFolder(String)
        case remove(String)
        case rename(String, to: String)
        /// The start of a save.
        case begin(Int)
        /// A successful return of a save.
        case acknowledge(Int)
    }

    static let sectorSize = 512

    private enum Change {
        case write(offset: Int, [UInt8])
        case size(Int)
    }

    private struct File {
        var isFolder: Bool
        var certain: [UInt8] = []
        var uncertain: [Change] = []
    }

    private var files: [File] = []
    /// The files by name as seen by the program, and those certain to be on disk.
    private var names: [String: Int] = [:]
    private var certainNames: [String: Int] = [:]
    /// The changes of names, each of which happens as a whole.
    private var uncertainNames: [[(path: String, file: Int?)]] = []

    /// The last save that was reported as successful.
    private(set) var acknowledged = 0
    /// The last save that was started.
    private(set) var begun = 0

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    /// Returns whether the program sees a file with that name.
    func has(_ path: String) -> Bool { names[path] != nil }

    mutating func perform(_ operation: Operation) {
        switch operation {
        case .create(let path): add(path, isFolder: false)
        case .createFolder(let path): add(path, isFolder: true)
        case .write(let path, let offset, let bytes): change(path, .write(offset: offset, bytes))
        case .truncate(let path, let size): change(path, .size(size))
        case .synchronize(let path):
            guard let file = names[path] else { return }
            for change in files[file].uncertain { Self.apply(change, to: &files[file].certain) }
            files[file].uncertain = []
        case .synchronizeFolder(let folder):
            for change in uncertainNames where Self.isIn(folder, change) {
                for name in change { certainNames[name.path] = name.file }
            }
            uncertainNames.removeAll { Self.isIn(folder, $0) }
        case .remove(let path):
            names[path] = nil
            uncertainNames.append([(path, nil)])
        case .rename(let path, let new):
            guard let file = names.removeValue(forKey: path) else { return }
            names[new] = file
            uncertainNames.append([(path, nil), (new, file)])
        case .begin(let number): begun = number
        case .acknowledge(let number): acknowledged = number
        }
    }

    private mutating func add(_ path: String, isFolder: Bool) {
        files.append(File(isFolder: isFolder))
        names[path] = files.count - 1
        uncertainNames.append([(path, files.count - 1)])
    }

    private static func isIn(_ folder: String, _ change: [(path: String, file: Int?)]) -> Bool {
        change.allSatisfy { self.folder(of: $0.path) == folder }
    }

    private mutating func change(_ path: String, _ change: Change) {
        guard let file = names[path] else { return }
        files[file].uncertain.append(change)
    }

    private static func apply(_ change: Change, to content: inout [UInt8]) {
        switch change {
        case .write(let offset, let bytes):
            if content.count < offset + bytes.count {
                content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
            }
            content.withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[offset...]).copyBytes(from: bytes)
            }
        case .size(let size):
            if content.count > size { content.removeLast(content.count - size) }
            content += [UInt8](repeating: 0, count: size - content.count)
        }
    }

    // MARK: Crashes

    /// The probabilities of effects of a crash.
    private struct Odds {
        var operation: Double
        var name: Double
        /// The probability that a write is torn.
        var tear: Double
        /// The probability that a sector of a torn write contains garbage.
        var garbage: Double

        init(_ random: inout SeededGenerator) {
            operation = [0, 0.1, 0.5, 0.9, 1].randomElement(using: &random) ?? 1
            name = [0, 0.5, 1].randomElement(using: &random) ?? 1
            tear = [0, 0, 0.3, 1].randomElement(using: &random) ?? 0
            garbage = [0, 0.1].randomElement(using: &random) ?? 0
        }
    }

    /// Returns the files as the program sees them, and leaves them if it is killed; `nil` for folders.
    func kill() -> [String: [UInt8]?] {
        names.mapValues { index in
            let file = files[index]
            if file.isFolder { return nil }
            var content = file.certain
            for change in file.uncertain { Self.apply(change, to: &content) }
            return content
        }
    }

    /// Returns the files as a crash at this moment may leave them; `nil` for folders.
    func crash(_ random: inout SeededGenerator) -> [String: [UInt8]?] {
        let odds = Odds(&random)
        var found = certainNames
        for change in uncertainNames where Double.random(in: 0..<1, using: &random) < odds.name {
            for name in change { found[name.path] = name.file }
        }
        var result: [String: [UInt8]?] = [:]
        for (path, index) in found.sorted(by: { $0.key < $1.key }) where Self.isReachable(path, found) {
            let file = files[index]
            guard !file.isFolder else {
                result[path] = .some(nil)
                continue
            }
            var content = file.certain
            for change in file.uncertain {
                if Double.random(in: 0..<1, using: &random) < odds.tear, case .write(let offset, let bytes) = change {
                    Self.tear(offset, bytes, &content, odds, &random)
                } else if Double.random(in: 0..<1, using: &random) < odds.operation {
                    Self.apply(change, to: &content)
                }
            }
            result[path] = .some(content)
        }
        return result
    }

    private static func isReachable(_ path: String, _ names: [String: Int]) -> Bool {
        let folder = folder(of: path)
        return folder.isEmpty || names[folder] != nil && isReachable(folder, names)
    }

    /// Writes some of the sectors of a write. Bytes outside the write are unchanged: SQLite relies on that, and the
    /// disks and file systems that it is made for guarantee it.
    private static func tear(
        _ offset: Int, _ bytes: [UInt8], _ content: inout [UInt8], _ odds: Odds, _ random: inout SeededGenerator
    ) {
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + sectorSize - (offset + start) % sectorSize)
            if Bool.random(using: &random) {
                let isGarbage = Double.random(in: 0..<1, using: &random) < odds.garbage
                let part =
                    isGarbage
                    ? (start..<end).map { _ in UInt8.random(in: 0...255, using: &random) } : Array(bytes[start..<end])
                apply(.write(offset: offset + start, part), to: &content)
            }
            start = end
        }
    }
}
