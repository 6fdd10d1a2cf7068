/// A hidden folder beside a path, for what is written in several steps.
///
/// It is locked for as long as the value exists, so that no other run takes it for a leftover.
package struct TemporaryFolder {
    /// The path of the folder.
    package let path: String
    private let files: any FileSystem
    private let lock: FolderLock?

    /// The path for something of the user that is replaced, until the replacement is in its place. A folder with it is never
    /// swept: if the run is killed, it may be the only copy.
    package var retiredPath: String { PathName.joined(path, TemporaryNames.retiredName) }

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
    /// - Parameter isReplaced: Whether the replacement of what was retired is in its place. If it is not, and what was retired
    ///   could not be put back, the folder stays.
    package func discard(isReplaced: Bool = false) {
        guard isReplaced || files.kind(of: retiredPath) == nil else { return }
        files.removeTree(path)
    }
}
