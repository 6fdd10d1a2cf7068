/// A hidden folder beside a path, for what is written in several steps.
///
/// It is locked until it is discarded, so that no other run removes it as a leftover. A signal that ends the process
/// removes it.
package struct TemporaryFolder: Sendable {
    /// The path of the folder.
    package let path: String
    private let files: any FileSystem
    private let lock: FolderLock?

    /// Moves something of the user out of the way of its replacement.
    ///
    /// A folder with it is only swept when the replacement is in its place: until then, it may be the only copy.
    ///
    /// - Parameters:
    ///   - path: The path of what is moved.
    ///   - target: The path, beside the folder, at which the replacement comes last.
    /// - Returns: The new path.
    package func retire(_ path: String, until target: String) throws(FileSystemError) -> String {
        try files.createDirectory(retired)
        let kept = PathName.joined(retired, PathName.name(of: target))
        try files.rename(path, to: kept)
        return kept
    }

    private var retired: String { PathName.joined(path, TemporaryNames.retiredName) }

    /// Creates the folder, and removes those that killed runs have left beside the path.
    package init(beside path: String, _ files: any FileSystem) throws(FileSystemError) {
        self = try Interruption.hold { () throws(FileSystemError) in
            var names = TemporaryNames()
            let folder = try TemporaryFolder(creating: names.next(beside: path), files)
            Interruption.add(folder)
            return folder
        }
        TemporaryNames.sweep(beside: path, current: self.path, files)
    }

    private init(creating path: String, _ files: any FileSystem) throws(FileSystemError) {
        self.path = path
        self.files = files
        try files.createDirectory(path)
        lock = try? files.lock(folder: path)
    }

    /// Removes the folder with its contents.
    ///
    /// - Parameter isReplaced: Whether the replacement of what was retired is in its place. If it is not, and what was
    ///   retired could not be put back, the folder stays.
    package func discard(isReplaced: Bool = false) {
        _ = remove(isReplaced: isReplaced)
        Interruption.drop(self)
    }

    /// Removes the folder as `discard` does.
    ///
    /// - Returns: Whether a part of it is left, because a file was created meanwhile.
    func remove(isReplaced: Bool = false) -> Bool {
        guard isReplaced || files.kind(of: retired) == nil || (try? files.list(retired))?.isEmpty == true else {
            return false
        }
        files.removeTree(path)
        return files.kind(of: path) != nil
    }
}
