#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The file system of the machine, by the system's own calls: a run of modelc makes hundreds of small files, and most of
/// its time goes there.
public struct POSIXFileSystem: FileSystem {
    private let base: String

    /// Makes a file system.
    ///
    /// - Parameter workingDirectory: the absolute path that relative paths start from; nil for the process's own.
    public init(workingDirectory: String? = nil) {
        base = workingDirectory.map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? ""
    }

    private func absolute(_ path: String) -> String {
        path.hasPrefix("/") || base.isEmpty ? path : base + path
    }

    private func failure(_ path: String, _ action: String) -> FileSystemError {
        FileSystemError(path: path, action: action, reason: String(cString: strerror(errno)))
    }

    /// What a path names, following symbolic links.
    public func kind(of path: String) -> FileKind? {
        var status = stat()
        guard stat(absolute(path), &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .directory
        case S_IFREG: return .file(size: Int(status.st_size))
        default: return .other
        }
    }

    /// The bytes of a file.
    public func read(_ path: String) throws(FileSystemError) -> [UInt8] { try read(path, limit: nil) }

    /// The first bytes of a file.
    public func readHead(_ path: String, count: Int) throws(FileSystemError) -> [UInt8] {
        try read(path, limit: count)
    }

    private func read(_ path: String, limit: Int?) throws(FileSystemError) -> [UInt8] {
        let descriptor = open(absolute(path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, "read") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, "read") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileSystemError(path: path, action: "read", reason: "It is not a file")
        }
        let capacity = limit ?? Int(status.st_size) + 1
        var isComplete = true
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = 0
            while count < capacity, let start = buffer.baseAddress {
                let got = systemRead(descriptor, start + count, capacity - count)
                if got < 0, errno == EINTR { continue }
                if got < 0 { isComplete = false }
                if got <= 0 { break }
                count += got
            }
        }
        guard isComplete else { throw failure(path, "read") }
        return bytes
    }

    /// The names in a directory, sorted.
    public func list(_ path: String) throws(FileSystemError) -> [String] {
        guard let directory = opendir(absolute(path)) else { throw failure(path, "list") }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Makes a directory and those above it.
    public func createDirectory(_ path: String) throws(FileSystemError) {
        if mkdir(absolute(path), 0o777) == 0 { return }
        let reason = errno
        if kind(of: path) == .directory { return }
        let parent = PathName.parent(of: path)
        guard reason == ENOENT, parent != path, !parent.isEmpty else {
            throw FileSystemError(path: path, action: "create the folder", reason: String(cString: strerror(reason)))
        }
        try createDirectory(parent)
        guard mkdir(absolute(path), 0o777) == 0 || kind(of: path) == .directory else {
            throw failure(path, "create the folder")
        }
    }

    /// Writes a file that must not exist yet; on failure nothing is left of it.
    public func create(_ path: String, _ bytes: [UInt8]) throws(FileSystemError) {
        let descriptor = open(absolute(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(path, "write") }
        var written = 0
        var reason: Int32 = 0
        bytes.withUnsafeBytes { buffer in
            while written < buffer.count, let start = buffer.baseAddress {
                let count = systemWrite(descriptor, start + written, buffer.count - written)
                if count < 0, errno == EINTR { continue }
                if count <= 0 {
                    reason = errno
                    break
                }
                written += count
            }
        }
        // A full disk may show itself only here.
        if close(descriptor) != 0, reason == 0 { reason = errno }
        guard reason == 0, written == bytes.count else {
            unlink(absolute(path))
            throw FileSystemError(path: path, action: "write", reason: String(cString: strerror(reason)))
        }
    }

    /// Renames a file.
    public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        guard systemRename(absolute(path), absolute(newPath)) == 0 else { throw failure(newPath, "replace") }
    }

    /// Removes a file, or a symbolic link itself.
    public func remove(_ path: String) throws(FileSystemError) {
        guard unlink(absolute(path)) == 0 else { throw failure(path, "remove") }
    }

    /// The path, absolute when the working directory is not the process's own.
    public func systemPath(_ path: String) -> String { absolute(path) }

    /// Removes a directory if it is empty.
    public func removeEmptyDirectory(_ path: String) {
        _ = rmdir(absolute(path))
    }
}

// Inside the type, the methods hide the system's functions of the same names.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}

private func systemRename(_ path: String, _ newPath: String) -> Int32 {
    rename(path, newPath)
}
