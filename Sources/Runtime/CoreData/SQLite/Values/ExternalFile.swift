internal import Foundation

/// A file with a value outside of a store, shared by everything in the process that refers to it.
///
/// Rows in memory may outlive the file: when a store of this process removes it, its content stays available to them.
/// Thread-safe.
final class ExternalFile: StoredFile, @unchecked Sendable {
    let url: URL
    private let lock = NSLock()
    /// The content of the file, once it is removed.
    private var kept: Data?

    private static let registry = Registry()

    /// The files in use, by path.
    private final class Registry: @unchecked Sendable {
        let lock = NSLock()
        var files: [String: Weak] = [:]

        struct Weak {
            weak var file: ExternalFile?
        }
    }

    private init(_ url: URL) {
        self.url = url
    }

    deinit {
        Self.registry.lock.withLock {
            // Another one may have been registered in the meantime.
            if Self.registry.files[url.path]?.file == nil { Self.registry.files[url.path] = nil }
        }
    }

    static func at(_ url: URL) -> ExternalFile {
        registry.lock.withLock {
            if let cached = registry.files[url.path]?.file { return cached }
            let file = ExternalFile(url)
            registry.files[url.path] = Registry.Weak(file: file)
            return file
        }
    }

    /// Returns the content. The pages are read on demand.
    ///
    /// - Throws: `UnreadableValue`.
    func read() throws -> Data {
        if let kept = lock.withLock({ kept }) { return kept }
        do {
            return try Self.content(of: url)
        } catch {
            // It may have been removed just now.
            if let kept = lock.withLock({ kept }) { return kept }
            let isMissing = !FileManager.default.fileExists(atPath: url.path)
            throw UnreadableValue(
                description: "the external data “\(url.path)” cannot be read: \(error.localizedDescription)",
                isMissingFile: isMissing)
        }
    }

    private static func content(of url: URL) throws -> Data {
        do {
            return try Data(contentsOf: url, options: .alwaysMapped)
        } catch CocoaError.fileReadNoSuchFile {
            throw CocoaError(.fileReadNoSuchFile)
        } catch {
            // The number of mappings of a process is limited.
            return try Data(contentsOf: url)
        }
    }

    /// Removes a file, whose content stays available to the rows in memory that refer to it.
    static func remove(_ url: URL, _ disk: StoreDisk) {
        let used = registry.lock.withLock { registry.files[url.path]?.file }
        if let used, let content = try? content(of: url) { used.lock.withLock { used.kept = content } }
        try? disk.remove(url)
    }
}
