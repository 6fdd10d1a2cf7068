/// Puts a folder of files in the place of another in one step: it is filled beside it and moved, so that nobody ever sees
/// half of it, and a failure leaves the old one as it was.
struct FolderReplacement {
    private let files: any FileSystem

    init(files: any FileSystem) {
        self.files = files
    }

    /// Whether a folder holds just these files with just these bytes.
    func holds(_ contents: [String: [UInt8]], at path: String) -> Bool {
        guard let names = try? files.list(path), names == contents.keys.sorted() else { return false }
        return contents.allSatisfy { name, bytes in (try? files.read(PathName.joined(path, name))) == bytes }
    }

    /// Writes the folder.
    ///
    /// - Parameters:
    ///   - contents: the files by name; names are plain, without a slash.
    ///   - path: the folder. What is there now is removed, with all files in it.
    func write(_ contents: [String: [UInt8]], to path: String) throws(FileSystemError) {
        let parent = PathName.parent(of: path)
        let name = PathName.name(of: path)
        let fresh = PathName.joined(parent, ".\(name).modelc-new")
        let old = PathName.joined(parent, ".\(name).modelc-old")
        if !parent.isEmpty { try files.createDirectory(parent) }
        // Left by a run that was killed.
        if files.kind(of: fresh) != nil { try removeFolder(fresh) }
        if files.kind(of: old) != nil { try removeFolder(old) }
        do throws(FileSystemError) {
            try files.createDirectory(fresh)
            for fileName in contents.keys.sorted() {
                try files.create(PathName.joined(fresh, fileName), contents[fileName] ?? [])
            }
        } catch {
            try? removeFolder(fresh)
            throw error
        }
        guard files.kind(of: path) != nil else { return try files.rename(fresh, to: path) }
        try files.rename(path, to: old)
        do throws(FileSystemError) {
            try files.rename(fresh, to: path)
        } catch {
            try? files.rename(old, to: path)
            try? removeFolder(fresh)
            throw error
        }
        try removeFolder(old)
    }

    /// Removes a folder with the files in it. A folder inside of it is none of ours, and is an error.
    private func removeFolder(_ path: String) throws(FileSystemError) {
        for name in try files.list(path) { try files.remove(PathName.joined(path, name)) }
        files.removeEmptyDirectory(path)
    }
}
