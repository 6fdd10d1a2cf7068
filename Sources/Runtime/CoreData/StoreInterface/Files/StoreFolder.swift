internal import Foundation

/// The folder that contains a store's file.
enum StoreFolder {
    /// Creates the folder of a new store if it is missing, as Apple's framework does.
    static func create(for url: URL) throws {
        let folder = url.deletingLastPathComponent()
        guard !FileManager.default.fileExists(atPath: folder.path) else { return }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw CoreDataError.error(
                .persistentStoreOpen, text: "the folder of the store at \(url.path) cannot be created",
                userInfo: [NSURLErrorKey: url, NSUnderlyingErrorKey: error])
        }
    }
}

/// A lock that lets one process or thread at a time migrate, replace or remove the stores in a folder.
package struct StoreFolderLock {
    private let folder: URL

    /// Creates the lock of the folder of a store's file.
    package init(_ store: URL) {
        folder = store.resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Runs a block with the lock held. A folder that cannot be locked, as on some network file systems, does not
    /// prevent the work. Within the block, the same thread may lock the folder again.
    package func withLock(_ body: () throws -> Void) throws {
        let key = "CoreData.lockedFolders"
        let held = Thread.current.threadDictionary[key] as? Set<String> ?? []
        guard !held.contains(folder.path) else { return try body() }
        Thread.current.threadDictionary[key] = held.union([folder.path])
        defer { Thread.current.threadDictionary[key] = held }
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        if descriptor >= 0 {
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        }
        try body()
    }
}
