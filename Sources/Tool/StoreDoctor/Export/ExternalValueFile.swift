internal import Foundation

/// A file with a large value of a store. Links are not followed.
final class ExternalValueFile {
    private let descriptor: Int32
    /// The size in bytes.
    let size: Int64

    private static let partSize = 1 << 20

    /// Opens a file; fails if it is not a regular file that can be read.
    init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// Returns the next part; an empty one after the last.
    func part() throws(StoreExporter.Failure) -> [UInt8] {
        guard let part = next(Self.partSize) else {
            throw StoreExporter.Failure(
                .notAStore, "an external file cannot be read: \(String(cString: strerror(errno)))",
                help: "Check the file system of the store.")
        }
        return part
    }

    /// Returns all bytes; `nil` if they cannot be read.
    func bytes() -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(Int(size))
        while let part = next(Self.partSize) {
            if part.isEmpty { return result }
            result += part
        }
        return nil
    }

    private func next(_ count: Int) -> [UInt8]? {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var got = Self.read(descriptor, buffer.baseAddress, count)
            while got < 0, errno == EINTR { got = Self.read(descriptor, buffer.baseAddress, count) }
            failed = got < 0
            filled = max(0, got)
        }
        return failed ? nil : bytes
    }

    private static func read(_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
        buffer.map { systemRead(descriptor, $0, count) } ?? 0
    }
}

// Inside the type, the method hides the system's function of the same name.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
