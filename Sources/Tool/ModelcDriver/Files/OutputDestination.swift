/// How a command writes to a path. Every command uses this for every file.
///
/// - A regular file is replaced in one step, and keeps its permissions and, where possible, its owner.
/// - A symbolic link is followed and kept; a dangling one is rejected, since nothing shows that a file is wanted there.
/// - A device, a pipe and an open descriptor (`/dev/stdout`, `/dev/fd/3`) are written to and never replaced.
/// - A folder and an empty path are rejected.
///
/// Inside a folder of generated files, where the user names only the folder, only regular files are written to.
enum OutputDestination: Equatable {
    /// Nothing is there.
    case new(String)
    /// A regular file; the path without links.
    case file(String)
    /// A device, a pipe or a descriptor, which is written to and never replaced.
    case stream(String)

    /// Determines how to write to a path that the user has named.
    init(_ path: String, _ files: any FileSystem) throws(FileSystemError) {
        guard !path.isEmpty else { throw Self.rejection(path, "the path is empty") }
        var isDescriptor = false
        let target = try Self.followingLinks(path, files: files, isDescriptor: &isDescriptor)
        if isDescriptor {
            self = .stream(target)
            return
        }
        switch files.kind(of: target) {
        case nil where target != path:
            throw Self.rejection(path, "the symbolic link points to “\(target)”, which does not exist")
        case nil where path.hasSuffix("/"), .directory?:
            throw Self.rejection(path, "it is a folder")
        case nil: self = .new(target)
        case .file?: self = .file(target)
        case .other?: self = .stream(target)
        }
    }

    /// Determines how to write to a path in a folder of generated files.
    init(generated path: String, _ files: any FileSystem) throws(FileSystemError) {
        guard files.linkTarget(of: path) == nil else {
            throw Self.rejection(path, "it is a symbolic link, and generated files are not written through links")
        }
        switch files.kind(of: path) {
        case nil: self = .new(path)
        case .file?: self = .file(path)
        case .directory?: throw Self.rejection(path, "a folder with this name already exists")
        case .other?: throw Self.rejection(path, "it is neither a file nor a folder")
        }
    }

    /// Returns the path that a path resolves to through symbolic links, whether or not a file exists there.
    static func followingLinks(_ path: String, _ files: any FileSystem) throws(FileSystemError) -> String {
        var isDescriptor = false
        return try followingLinks(path, files: files, isDescriptor: &isDescriptor)
    }

    /// The number of links that Linux follows.
    private static let linkLimit = 40

    private static func followingLinks(
        _ path: String, files: any FileSystem, isDescriptor: inout Bool
    ) throws(FileSystemError) -> String {
        var current = path
        for _ in 0...linkLimit {
            if PathName.descriptor(of: current) != nil {
                isDescriptor = true
                return current
            }
            guard let target = files.linkTarget(of: current) else { return current }
            current = target.hasPrefix("/") ? target : PathName.joined(PathName.parent(of: current), target)
        }
        throw rejection(path, "the symbolic links form a cycle")
    }

    /// Throws if a file at a path that the user has named holds something other than what a command writes there: the
    /// user may have named the wrong file. An empty file is replaced.
    ///
    /// - Parameters:
    ///   - beginnings: The ways in which the command's files begin.
    ///   - kind: What such a file is, for the message.
    static func requireFile(
        _ path: String, beginningWith beginnings: [[UInt8]], kind: String, _ files: any FileSystem
    ) throws(FileSystemError) {
        guard case .file(let size)? = files.kind(of: path), size > 0 else { return }
        let head = try files.readHead(path, count: 64)
        guard !beginnings.contains(where: { head.starts(with: $0) }) else { return }
        throw rejection(path, "the existing file is not \(kind); remove it first, or name another file")
    }

    static func rejection(_ path: String, _ reason: String) -> FileSystemError {
        FileSystemError(path: path, action: "write", reason: reason)
    }
}
