internal import Foundation

/// The destination of an export.
package struct ExportTarget {
    enum Kind {
        case folder(String)
        case file(String)
        case stream(([UInt8]) throws(StoreExporter.Failure) -> Void)
    }

    let kind: Kind

    /// Returns an existing, empty folder as the destination, for a file for each entity.
    package static func folder(_ path: String) -> ExportTarget { ExportTarget(kind: .folder(path)) }

    /// Returns a file that does not exist yet as the destination.
    package static func file(_ path: String) -> ExportTarget { ExportTarget(kind: .file(path)) }

    /// Returns a stream as the destination, to which everything is written.
    ///
    /// - Parameter write: Writes bytes, which end with a whole line.
    package static func stream(
        _ write: @escaping ([UInt8]) throws(StoreExporter.Failure) -> Void
    ) -> ExportTarget {
        ExportTarget(kind: .stream(write))
    }
}

extension ExportTarget {
    /// Whether written bytes cannot be removed again.
    var isStream: Bool { if case .stream = kind { true } else { false } }

    /// Removes what was written.
    ///
    /// - Returns: Whether the destination is as it was at first: `false` for a stream.
    func empty() throws(StoreExporter.Failure) -> Bool {
        do {
            switch kind {
            case .stream: return false
            case .file(let path):
                if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            case .folder(let path):
                for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
                }
            }
            return true
        } catch {
            throw StoreExporter.Failure(
                .output, "the incomplete export cannot be removed: \((error as NSError).localizedDescription)",
                help: "Choose another --output.")
        }
    }
}

/// A new file that is written sequentially.
final class NewFile {
    private let path: String
    private var descriptor: Int32

    /// Creates the file.
    ///
    /// - Throws: `StoreExporter.Failure` if there is one, or if it cannot be created.
    init(_ path: String) throws(StoreExporter.Failure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw Self.failure(path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func write(_ bytes: [UInt8]) throws(StoreExporter.Failure) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map { Self.write(descriptor, $0 + written, buffer.count - written) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path) }
            written += count
        }
    }

    // Inside the type, the method hides the system's function of the same name.
    private static func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
        systemWrite(descriptor, buffer: buffer, count: count)
    }

    /// Waits until the content is on the disk, and closes the file.
    func finish() throws(StoreExporter.Failure) {
        let isSynchronized = fsync(descriptor) == 0 || errno == EINVAL
        let isClosed = close(descriptor) == 0
        descriptor = -1
        guard isSynchronized, isClosed else { throw Self.failure(path) }
    }

    /// Waits until the content of a file, or the names in a folder, are on the disk.
    static func synchronize(_ path: String) throws(StoreExporter.Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        // Not every file system can do that with a folder.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(path) }
    }

    fileprivate static func failure(_ path: String) -> StoreExporter.Failure {
        let reason = String(cString: strerror(errno))
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return StoreExporter.Failure(
            .output, "“\(name)” cannot be written: \(reason)", help: "Nothing was exported. Choose another --output.")
    }
}

private func systemWrite(_ descriptor: Int32, buffer: UnsafeRawPointer, count: Int) -> Int {
    write(descriptor, buffer, count)
}

/// Collects bytes, and passes them on in large parts.
final class OutputBuffer {
    var bytes: [UInt8] = []
    private let sink: ([UInt8]) throws(StoreExporter.Failure) -> Void
    private static let capacity = 1 << 17

    init(_ sink: @escaping ([UInt8]) throws(StoreExporter.Failure) -> Void) {
        self.sink = sink
        bytes.reserveCapacity(Self.capacity + Self.capacity / 2)
    }

    /// Ends a line.
    func endRow() throws(StoreExporter.Failure) {
        if bytes.count >= Self.capacity { try flush() }
    }

    func flush() throws(StoreExporter.Failure) {
        guard !bytes.isEmpty else { return }
        try sink(bytes)
        bytes.removeAll(keepingCapacity: bytes.capacity <= 8 * Self.capacity)
    }
}
