import CoreData
import Testing

/// A small in-memory file system, which can be full or read-only. It is unmounted with the object.
final class SmallDisk {
    let folder: URL
    private var ballast: URL { folder.appendingPathComponent("Ballast") }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    init(bytes: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            try Self.run("mount", "-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", folder.path)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    deinit {
        // Unmount lazily, so that open files do not prevent it.
        try? Self.run("umount", "-l", folder.path)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Whether the tests can mount file systems on this machine.
    static let isAvailable: Bool = {
        #if os(Linux)
        return (try? SmallDisk(bytes: 1 << 16)) != nil
        #else
        return false
        #endif
    }()

    /// Fills the disk except for a number of bytes, or up to a page more; existing files are kept.
    func leaveRoom(_ bytes: Int) throws {
        try? FileManager.default.removeItem(at: ballast)
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder.path)
        let free = try #require(attributes[.systemFreeSize] as? NSNumber).intValue
        try Data(count: max(free - bytes, 0)).write(to: ballast)
    }

    /// Removes the file that fills the disk.
    func makeRoom() throws {
        try FileManager.default.removeItem(at: ballast)
    }

    /// Makes the disk read-only.
    func lock() throws {
        try Self.run("mount", "-o", "remount,ro", folder.path)
    }

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "“\(arguments.joined(separator: " "))” ended with \(process.terminationStatus)")
        }
    }
}
