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
    ///   - contents: the files by name; a name with a slash is a file in a folder inside.
    ///   - path: the folder. What is there now is removed, with all files in it.
    func write(_ contents: [String: [UInt8]], to path: String) throws(FileSystemError) {
        let parent = PathName.parent(of: path)
        let name = PathName.name(of: path)
        let fresh = PathName.joined(parent, ".\(name).modelc-new")
        let old = PathName.joined(parent, ".\(name).modelc-old")
        if !parent.isEmpty { try files.createDirectory(parent) }
        // Left by a run that was killed.
        if files.kind(of: fresh) != nil { try removeFolder(fresh, includingFolders: true) }
        if files.kind(of: old) != nil { try removeFolder(old) }
        do throws(FileSystemError) {
            try files.createDirectory(fresh)
            for fileName in contents.keys.sorted() {
                let file = PathName.joined(fresh, fileName)
                if fileName.contains("/") { try files.createDirectory(PathName.parent(of: file)) }
                try files.create(file, contents[fileName] ?? [])
            }
        } catch {
            try? removeFolder(fresh, includingFolders: true)
            throw error
        }
        guard files.kind(of: path) != nil else { return try files.rename(fresh, to: path) }
        try files.rename(path, to: old)
        do throws(FileSystemError) {
            try files.rename(fresh, to: path)
        } catch {
            try? files.rename(old, to: path)
            try? removeFolder(fresh, includingFolders: true)
            throw error
        }
        try removeFolder(old)
    }

    /// Removes a folder with the files in it.
    ///
    /// - Parameter includingFolders: whether folders inside go too, which is right only for one that this type made itself.
    private func removeFolder(_ path: String, includingFolders: Bool = false) throws(FileSystemError) {
        for name in try files.list(path) {
            let inner = PathName.joined(path, name)
            if includingFolders, files.kind(of: inner) == .directory {
                try removeFolder(inner, includingFolders: true)
            } else {
                try files.remove(inner)
            }
        }
        files.removeEmptyDirectory(path)
    }
}
