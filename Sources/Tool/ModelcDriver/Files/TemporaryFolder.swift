/// A hidden folder beside a path, for what is written in several steps.
///
/// It is locked for as long as the value exists, so that no other run removes it as a leftover.
package struct TemporaryFolder {
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
        var names = TemporaryNames()
        self.path = names.next(beside: path)
        self.files = files
        try files.createDirectory(self.path)
        lock = try? files.lock(folder: self.path)
        TemporaryNames.sweep(beside: path, current: self.path, files)
    }

    /// Removes the folder with its contents.
    ///
    /// - Parameter isReplaced: Whether the replacement of what was retired is in its place. If it is not, and what was
    ///   retired could not be put back, the folder stays.
    package func discard(isReplaced: Bool = false) {
        guard isReplaced || files.kind(of: retired) == nil || (try? files.list(retired))?.isEmpty == true else {
            return
        }
        files.removeTree(path)
    }
}
