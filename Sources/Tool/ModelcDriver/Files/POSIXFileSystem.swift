internal import CLibrary

/// The file system of the machine. Uses system calls instead of Foundation, because a run of modelc creates hundreds of
/// small files and spends most of its time there.
package struct POSIXFileSystem: FileSystem {
    private let base: String

    /// Creates a file system.
    ///
    /// - Parameter workingDirectory: The absolute path that relative paths start from; `nil` for the process's working
    ///   directory.
    package init(workingDirectory: String? = nil) {
        base = workingDirectory.map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? ""
    }

    func absolute(_ path: String) -> String {
        path.hasPrefix("/") || base.isEmpty ? path : base + path
    }

    /// Returns the error of the last system call.
    func failure(_ path: String, _ action: String) -> FileSystemError {
        FileSystemError(path: path, action: action, reason: String(cString: strerror(errno)))
    }

    /// Returns the kind of file at a path, following symbolic links.
    package func kind(of path: String) -> FileKind? {
        var status = stat()
        guard stat(absolute(path), &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .directory
        case S_IFREG: return .file(size: Int(status.st_size))
        default: return .other
        }
    }

    /// Returns the target of a symbolic link.
    package func linkTarget(of path: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            buffer.withMemoryRebound(to: CChar.self) { buffer in
                count = buffer.baseAddress.map { max(0, readlink(absolute(path), $0, buffer.count)) } ?? 0
            }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the identity of a file or folder.
    package func identity(of path: String) -> FileIdentity? {
        var status = stat()
        guard stat(absolute(path), &status) == 0 else { return nil }
        return FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(truncatingIfNeeded: status.st_ino))
    }

    /// Returns the absolute path without links.
    package func canonicalPath(_ path: String) -> String? {
        guard let result = realpath(path.isEmpty ? absolute(".") : absolute(path), nil) else { return nil }
        defer { free(result) }
        return String(cString: result)
    }

    /// Returns the modification time of the file, folder or link itself.
    package func modificationTime(of path: String) -> Int? {
        var status = stat()
        guard lstat(absolute(path), &status) == 0 else { return nil }
        #if canImport(Darwin)
        return Int(status.st_mtimespec.tv_sec)
        #else
        return Int(status.st_mtim.tv_sec)
        #endif
    }

    package func stamp(of path: String) -> FileStamp? {
        var status = stat()
        guard let identity = identity(of: path), stat(absolute(path), &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return FileStamp(
            identity: identity, size: Int(status.st_size), seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
    }

    /// Returns the bytes of a file.
    package func read(_ path: String) throws(FileSystemError) -> [UInt8] { try read(path, limit: nil) }

    /// Returns the first bytes of a file.
    package func readHead(_ path: String, count: Int) throws(FileSystemError) -> [UInt8] {
        try read(path, limit: count)
    }

    private func read(_ path: String, limit: Int?) throws(FileSystemError) -> [UInt8] {
        // `O_NONBLOCK`, because opening a pipe must not wait for a writer.
        let descriptor = open(absolute(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(path, "read") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, "read") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileSystemError(path: path, action: "read", reason: "It is not a regular file")
        }
        let capacity = limit ?? Int(status.st_size) + 1
        var isComplete = true
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = 0
            while count < capacity, let start = buffer.baseAddress {
                let got = systemRead(descriptor, buffer: start + count, count: capacity - count)
                if got < 0, errno == EINTR { continue }
                if got < 0 { isComplete = false }
                if got <= 0 { break }
                count += got
            }
        }
        guard isComplete else { throw failure(path, "read") }
        return bytes
    }

    /// Returns the names in a directory, sorted.
    package func list(_ path: String) throws(FileSystemError) -> [String] {
        guard let directory = opendir(absolute(path)) else { throw failure(path, "list") }
        defer { closedir(directory) }
        var isComplete = true
        let names = Self.names {
            // The end of the directory leaves the error number as it is.
            errno = 0
            let entry = readdir(directory)
            if entry == nil, errno != 0 { isComplete = false }
            return entry
        }
        guard isComplete else { throw failure(path, "list") }
        return names.sorted()
    }

    /// Returns the names in an open directory, in the order of the file system.
    static func names(_ next: () -> UnsafeMutablePointer<dirent>?) -> [String] {
        var names: [String] = []
        while let entry = next() {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the path, made absolute if the working directory is not the process's.
    package func systemPath(_ path: String) -> String { absolute(path) }
}

// Inside the type, its methods shadow the system's functions of the same names.
private func systemRead(_ descriptor: Int32, buffer: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
    read(descriptor, buffer, count)
}
