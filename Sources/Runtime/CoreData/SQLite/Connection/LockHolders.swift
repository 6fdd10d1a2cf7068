internal import Foundation

/// The processes that hold locks on a database, according to Linux.
struct LockHolders {
    private(set) var processes: [Int32] = []

    private static let lockTable = "/proc/locks"
    private static let attempts = 5

    /// Finds the processes that prevent other processes from using the database at a path.
    init(of path: String) {
        let inodes = [path, path + "-shm"].compactMap(Self.inode)
        // The kernel returns the table in pages. A lock that is released between two reads moves the following lines
        // up, so one of them can be missing.
        for _ in 0..<Self.attempts where processes.isEmpty {
            self = Self(table: Self.table(), inodes: inodes)
        }
    }

    /// Returns the kernel's table. It ends when a read returns nothing: a read returns at most a page, whatever
    /// remains.
    private static func table() -> String {
        let descriptor = open(lockTable, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var all: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &page, page.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            all += page[..<count]
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// Finds the processes in the text of `/proc/locks`.
    ///
    /// - Parameter inodes: The inodes of the database and of its log's index. Device numbers are not compared: they
    ///   differ from those of `stat` on layered file systems.
    init(table: String, inodes: [UInt64]) {
        let locks = table.split(separator: "\n").compactMap(Lock.init).filter { inodes.contains($0.inode) }
        let writers = locks.filter(\.isExclusive)
        // Without a writer, readers prevent other processes from writing. Every process that has the index open locks
        // its last byte.
        let blocking = writers.isEmpty ? locks.filter { $0.inode == inodes.first } : writers
        for lock in blocking where !processes.contains(lock.process) { processes.append(lock.process) }
    }

    private static func inode(_ path: String) -> UInt64? {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
        return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
    }

    /// A line of `/proc/locks`: `1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 0 EOF`.
    private struct Lock {
        var process: Int32
        var inode: UInt64
        var isExclusive: Bool

        init?(_ line: Substring) {
            let fields = line.split(separator: " ")
            // A waiting request has an arrow before its kind.
            guard fields.count >= 8, fields[1] != "->", let process = Int32(fields[4]), process > 0,
                let inode = fields[5].split(separator: ":").last.flatMap({ UInt64($0) })
            else { return nil }
            self.process = process
            self.inode = inode
            isExclusive = fields[3] == "WRITE"
        }
    }

    /// The processes with their names; `nil` if none is known.
    var summary: String? {
        guard !processes.isEmpty else { return nil }
        return processes.map { process in
            guard process != ProcessInfo.processInfo.processIdentifier else {
                return "another connection of this process"
            }
            let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
            let text = name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
            return text.isEmpty ? "process \(process)" : "process \(process) (\(text))"
        }.joined(separator: ", ")
    }
}
