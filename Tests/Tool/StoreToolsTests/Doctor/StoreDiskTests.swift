import Foundation
import StoreFile
import Testing

@testable import StoreDoctor
@testable import StoreTools

/// A file system in memory of a limited size, where mounting is allowed.
private final class SmallDisk {
    let folder: URL

    static let isPossible = (try? SmallDisk(kilobytes: 100)) != nil

    init(kilobytes: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard Self.run("mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path]) else {
            try? FileManager.default.removeItem(at: folder)
            throw CocoaError(.fileWriteNoPermission)
        }
    }

    deinit {
        _ = Self.run("umount", [folder.path])
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The number of free bytes.
    var free: Int {
        get throws {
            try FileManager.default.attributesOfFileSystem(forPath: folder.path)[.systemFreeSize] as? Int ?? 0
        }
    }

    /// Fills the disk up to a number of bytes.
    func fill(leaving bytes: Int) throws {
        // Truncated, not removed: a program that another test started may have inherited the open file, and would keep
        // the space of a removed one.
        if FileManager.default.fileExists(atPath: path("filler")), truncate(path("filler"), 0) != 0 {
            throw CocoaError(.fileWriteUnknown)
        }
        let count = try free - bytes
        if count > 0 { try Data(count: count).write(to: folder.appendingPathComponent("filler")) }
        // The size of the filler is a whole number of pages.
        #expect(try free > bytes - 4096)
    }

    /// The names of all files but the filler.
    func names() throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: folder.path)).subtracting(["filler"])
    }
}

/// Commands on a full disk change nothing, and compacting needs no more space than it says.
@Suite struct StoreDiskTests {
    private static let entities = """
        <entity name="Book" syncable="YES">
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="isRead" optional="YES" attributeType="Boolean" usesScalarValueType="NO"/>
            <attribute name="text" optional="YES" attributeType="Binary"/>
        </entity>
        """

    /// Returns a store with a fault in each row, 2 MB of values, and 4 MB of free pages.
    private func store() throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: 500) == 0)
        try scratch.execute(
            """
            UPDATE ZBOOK SET ZISREAD = 7, ZTEXT = randomblob(4000); \
            CREATE TABLE junk (a); INSERT INTO junk VALUES (zeroblob(4000000)); DROP TABLE junk; \
            PRAGMA wal_checkpoint(TRUNCATE)
            """, in: "a.sqlite")
        return scratch
    }

    @Test(
        .enabled(if: SmallDisk.isPossible),
        arguments: [
            ["repair", "--unsafe-fixes", "--output", "out"], ["repair", "--unsafe-fixes", "--in-place", "--no-backup"],
            ["repair", "--unsafe-fixes", "--in-place", "--backup", "out"], ["compact", "--output", "out"],
            ["compact", "--in-place"], ["compact", "--in-place", "--rebuild"], ["recover", "--output", "out"],
            ["export", "--output", "out"], ["export", "--format", "csv", "--output", "out"],
            ["export", "--format", "sqlite", "--output", "out"],
        ])
    func aFullDiskChangesNothing(_ command: [String]) throws {
        let scratch = try store()
        let disk = try SmallDisk(kilobytes: 40_000)
        let path = disk.path("a.sqlite")
        try FileManager.default.copyItem(at: scratch.url("a.sqlite"), to: URL(fileURLWithPath: path))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let arguments = [path] + command.dropFirst().map { $0 == "out" ? disk.path("out") : $0 }
        func run() -> Int32 {
            switch command[0] {
            case "repair": scratch.repair(arguments)
            case "compact": scratch.compact(arguments)
            case "recover": scratch.recover(arguments[0], arguments[1], arguments[2])
            default: scratch.export(arguments)
            }
        }
        // From no room at all to some of what is needed.
        for free in [0, 40_000, 300_000, 900_000] {
            try disk.fill(leaving: free)
            let code = run()
            // Few bytes are enough for small steps, which give others back.
            if code == 0, command == ["compact", "--in-place"], free > 0 { break }
            #expect(code == 2, "\(free): \(scratch.output)\(scratch.errorOutput)")
            #expect(scratch.errorOutput.contains("error: "), "\(scratch.errorOutput)")
            let left = try disk.names().subtracting(["a.sqlite", "a.sqlite-wal", "a.sqlite-shm"])
            #expect(left.isEmpty, "\(free): \(left)")
            if command != ["compact", "--in-place"] {
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes, "\(free)")
            }
        }
        try disk.fill(leaving: 25_000_000)
        // The faults stay in a recovered store.
        #expect(run() == (command[0] == "recover" ? 1 : 0), "\(scratch.output)\(scratch.errorOutput)")
        // The store is whole, whatever has happened to it.
        let isRepaired = command.contains("--unsafe-fixes") && command.contains("--in-place")
        #expect(scratch.check(path, "--strict") == (isRepaired ? 0 : 1), "\(scratch.output)")
        #expect(try SeedDatabase(path).integer("SELECT count(*) FROM ZBOOK WHERE length(ZTEXT) = 4000") == 500)
    }

    /// The space that the plan says is enough.
    @Test(.enabled(if: SmallDisk.isPossible), arguments: [[], ["--rebuild"]])
    func theBoundOfAPlanIsEnough(_ options: [String]) throws {
        let scratch = try store()
        let disk = try SmallDisk(kilobytes: 20_000)
        let path = disk.path("a.sqlite")
        try FileManager.default.copyItem(at: scratch.url("a.sqlite"), to: URL(fileURLWithPath: path))
        var compaction = CompactionPlan.Options()
        compaction.rebuilds = !options.isEmpty
        let plan = try CompactionPlan(path: path, isInPlace: true, compaction)
        // Beside it, the index of the log and a hidden folder.
        try disk.fill(leaving: Int(plan.bound) + 80_000)
        #expect(scratch.compact([path, "--in-place"] + options) == 0, "\(scratch.errorOutput)")
        #expect((FileStatus.size(path) ?? 0) < 3_000_000)
    }

    // MARK: Huge stores

    /// The size in GB of the sparse store of the long form; `nil` for the short form.
    private static let gigabytes = ProcessInfo.processInfo.environment["MODELC_HUGE"].flatMap(Double.init)

    /// A store of mostly free pages is compacted within its bound, both by steps and by a new copy of what is in use.
    @Test(arguments: [0, 24_000_000]) func sparseStoresAreCompactedWithinTheBound(values: Int) throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: 100) == 0)
        let size = Int((Self.gigabytes ?? 0.2) * 1_000_000_000)
        let used = Self.gigabytes == nil ? values / 4 : values
        try scratch.execute(
            "UPDATE ZBOOK SET ZTEXT = randomblob(\(used / 100)); PRAGMA wal_checkpoint(TRUNCATE); VACUUM; "
                + "PRAGMA wal_checkpoint(TRUNCATE)", in: "a.sqlite")
        let path = scratch.url("a.sqlite").path
        try SparseStore.addFreePages(to: path, size: size)
        #expect(FileStatus.size(path) ?? 0 > Int64(size) - 5_000_000)
        #expect(try SeedDatabase(path).texts("PRAGMA quick_check(3)") == ["ok"])
        let options = CompactionPlan.Options()
        let plan = try CompactionPlan(path: path, isInPlace: true, options)
        #expect(plan.strategy == (values == 0 ? .rebuild : .incremental))
        #expect(plan.freeBytes > Int64(size) / 10 * 9)
        if values > 0 { #expect(plan.bound < Int64(size) / 20) }
        let before = SparseStore.allocated(in: scratch.folder.path)
        var largest = before
        do {
            let hold = try ExclusiveStoreAccess(path)
            let compactor = StoreCompactor(plan, options) {
                largest = max(largest, SparseStore.allocated(in: scratch.folder.path))
            }
            if plan.strategy == .rebuild {
                try compactor.rebuild(hold, by: scratch.url("new.sqlite").path)
            } else {
                try compactor.compact(hold)
            }
        }
        #expect(largest - before <= plan.bound, "\(largest - before) of \(plan.bound)")
        #expect((FileStatus.size(path) ?? .max) < Int64(used) + 2_000_000)
        #expect(scratch.check("a.sqlite") == 0, "\(scratch.output)")
    }
}

/// Makes stores larger by free pages, which need no space on a disk that keeps no zeros.
private enum SparseStore {
    private static let pageSize = 4096

    /// Appends free pages to a database without a log, in the form of its file format: lists of pages, and a pointer
    /// for each.
    static func addFreePages(to path: String, size: Int) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        func read(_ offset: Int, _ count: Int) throws -> [UInt8] {
            try file.seek(toOffset: UInt64(offset))
            return [UInt8](try file.read(upToCount: count) ?? Data())
        }
        func write(_ bytes: [UInt8], at offset: Int) throws {
            try file.seek(toOffset: UInt64(offset))
            try file.write(contentsOf: Data(bytes))
        }
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let head = try read(0, 100)
        func field(_ offset: Int) -> Int { head[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } }
        guard field(16) >> 16 == pageSize, field(36) == 0, field(52) != 0 else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let (first, last) = (field(28) + 1, size / pageSize)
        // Each page with pointers is followed by the pages that it is about. SQLite does not use the page of its locks.
        let group = pageSize / 5 + 1
        func hasPointers(_ page: Int) -> Bool { (page - 2) % group == 0 }
        let unused = 0x4000_0000 / pageSize + 1
        let free = (first...last).filter { !hasPointers($0) && $0 != unused }
        for page in stride(from: 2, through: last, by: group) {
            var pointers =
                page < first ? try read((page - 1) * pageSize, pageSize) : [UInt8](repeating: 0, count: pageSize)
            for other in (page + 1)..<(page + group) where other >= first && other <= last && other != unused {
                pointers[(other - page - 1) * 5] = 2
            }
            try write(pointers, at: (page - 1) * pageSize)
        }
        // The lists with the last pages come first: they are the first to go.
        var next = 0
        for start in stride(from: 0, to: free.count, by: 1001) {
            let pages = free[start..<min(start + 1001, free.count)]
            let list = number(next) + number(pages.count - 1) + pages.dropFirst().flatMap(number)
            next = pages[start]
            try write(list, at: (next - 1) * pageSize)
        }
        try file.truncate(atOffset: UInt64(last * pageSize))
        try write(number(last), at: 28)
        try write(number(next) + number(free.count), at: 32)
        try write(Array(head[24..<28]), at: 92)
    }

    /// The number of bytes on the disk that the files of a folder take.
    static func allocated(in folder: String) -> Int64 {
        var total: Int64 = 0
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
            var status = stat()
            if lstat("\(folder)/\(name)", &status) == 0 { total += Int64(status.st_blocks) * 512 }
        }
        return total
    }
}
