/// A walk through folders that enters each folder once, however many symbolic links lead to it.
///
/// Links to folders are followed after everything else, so that a folder is found by its own path if that is part of
/// the walk. Links to a folder that contains them are therefore not followed.
struct FolderWalk {
    let files: any FileSystem
    private var visited: Set<FileIdentity> = []
    private var links: [String] = []

    /// The depth at which the walk ends, which bounds the recursion. No project nests folders as deep.
    private static let maximumDepth = 64

    init(files: any FileSystem) {
        self.files = files
    }

    /// Visits the entries of a folder and of the folders below it, in the order of their names.
    ///
    /// - Parameters:
    ///   - folder: The folder. Entries of `.` have no prefix.
    ///   - visit: Returns whether an entry is entered if it is a folder.
    ///   - unreadable: Handles a folder that cannot be listed.
    mutating func walk<Failure>(
        _ folder: String, visit: (_ path: String, _ name: String) throws(Failure) -> Bool,
        unreadable: (FileSystemError) throws(Failure) -> Void
    ) throws(Failure) {
        try enter(folder, depth: 0, visit: visit, unreadable: unreadable)
        while !links.isEmpty {
            let next = links.removeFirst()
            try enter(next, depth: 0, visit: visit, unreadable: unreadable)
        }
    }

    private mutating func enter<Failure>(
        _ folder: String, depth: Int, visit: (_ path: String, _ name: String) throws(Failure) -> Bool,
        unreadable: (FileSystemError) throws(Failure) -> Void
    ) throws(Failure) {
        if let identity = files.identity(of: folder), !visited.insert(identity).inserted { return }
        let names: [String]
        do throws(FileSystemError) {
            names = try files.list(folder)
        } catch {
            return try unreadable(error)
        }
        for name in names {
            let path = folder == "." ? name : PathName.joined(folder, name)
            guard try visit(path, name), depth < Self.maximumDepth, files.kind(of: path) == .directory else { continue }
            if files.linkTarget(of: path) == nil {
                try enter(path, depth: depth + 1, visit: visit, unreadable: unreadable)
            } else {
                links.append(path)
            }
        }
    }
}
