/// Replaces a folder of files in one step: the new folder is filled beside the old one and then moved, so that no
/// program sees a partial folder, and a failure leaves the old one unchanged.
struct FolderReplacement {
    private let files: any FileSystem
    /// Returns whether a replaced folder may hold a file of this name. A folder with other files is left alone.
    private let mayReplace: (String) -> Bool

    /// - Parameter mayReplace: Returns whether a file of this name in an existing folder may be removed; false for
    ///   every name by default.
    init(files: any FileSystem, mayReplace: @escaping (String) -> Bool = { _ in false }) {
        self.files = files
        self.mayReplace = mayReplace
    }

    /// Returns whether a folder holds exactly these files, with these bytes.
    func holds(_ contents: [String: [UInt8]], at path: String) -> Bool {
        guard let names = try? files.list(path), names == contents.keys.sorted() else { return false }
        return contents.allSatisfy { name, bytes in (try? files.read(PathName.joined(path, name))) == bytes }
    }

    /// Throws if the path holds something that may not be replaced.
    func check(_ path: String) throws(FileSystemError) {
        let target = try OutputDestination.followingLinks(PathName.withoutTrailingSlashes(path), files)
        _ = try hasContents([:], target, shownAs: path)
    }

    /// Writes the folder, unless it already has these contents.
    ///
    /// - Parameters:
    ///   - contents: The files by name; a name with a slash is that of a file in a subfolder.
    ///   - path: The folder. A symbolic link to one is followed.
    /// - Returns: Whether something was written.
    func write(_ contents: [String: [UInt8]], to path: String) throws(FileSystemError) -> Bool {
        let target = try OutputDestination.followingLinks(PathName.withoutTrailingSlashes(path), files)
        if try hasContents(contents, target, shownAs: path) { return false }
        return try SignalShield.hold { () throws(FileSystemError) in
            let parent = PathName.parent(of: target)
            let madeFolders = parent.missingFolders(files)
            var names = TemporaryNames()
            let fresh = names.next(beside: target)
            var isWritten = false
            defer {
                files.removeTree(fresh)
                if !isWritten { for folder in madeFolders.reversed() { files.removeEmptyDirectory(folder) } }
            }
            if !parent.isEmpty { try files.createDirectory(parent) }
            try fill(fresh, contents)
            TemporaryNames.sweep(beside: target, current: fresh, files)
            isWritten = try publish(fresh, contents: contents, at: target, shownAs: path)
            return isWritten
        }
    }

    private func fill(_ folder: String, _ contents: [String: [UInt8]]) throws(FileSystemError) {
        try files.createDirectory(folder)
        for name in contents.keys.sorted() {
            let file = PathName.joined(folder, name)
            if name.contains("/") { try files.createDirectory(PathName.parent(of: file)) }
            try files.create(file, contents[name] ?? [], like: nil)
        }
    }

    /// Returns whether the folder already has the contents.
    ///
    /// - Throws: If something else is there that may not be replaced.
    private func hasContents(
        _ contents: [String: [UInt8]], _ target: String, shownAs path: String
    ) throws(FileSystemError) -> Bool {
        switch files.kind(of: target) {
        case nil where target == PathName.withoutTrailingSlashes(path): return false
        case nil: throw OutputDestination.rejection(path, "the symbolic link is dangling")
        case .directory?:
            if holds(contents, at: target) { return true }
            guard let names = try names(in: target) else { return false }
            if let stranger = names.first(where: { !mayReplace($0) }) {
                throw FileSystemError(
                    path: path, action: "replace",
                    reason:
                        "the folder contains “\(stranger)”, which is not part of a compiled model; specify another path"
                )
            }
            return false
        case .some: throw OutputDestination.rejection(path, "a file with this name already exists")
        }
    }

    /// Returns the names in a folder, or `nil` if another process has moved it away.
    private func names(in folder: String) throws(FileSystemError) -> [String]? {
        var attempts = 0
        while true {
            do throws(FileSystemError) {
                return try files.list(folder)
            } catch {
                guard files.kind(of: folder) != nil else { return nil }
                // Between the two calls, another process may have put its own folder there.
                attempts += 1
                guard attempts < 20 else { throw error }
            }
        }
    }

    /// Moves the filled folder to its location. Processes that write to the same path take turns.
    private func publish(
        _ fresh: String, contents: [String: [UInt8]], at target: String, shownAs path: String
    ) throws(FileSystemError) -> Bool {
        for _ in 0..<100 {
            if files.kind(of: target) == nil {
                do throws(FileSystemError) {
                    try files.rename(fresh, to: target)
                    return true
                } catch {
                    // Retry only if another process was faster.
                    guard files.kind(of: target) != nil else { throw error }
                }
            }
            let lock = try files.lock(folder: target)
            defer { withExtendedLifetime(lock) {} }
            guard files.kind(of: target) != nil else { continue }
            if try hasContents(contents, target, shownAs: path) { return false }
            if files.exchange(fresh, target) { return true }
            // After a kill between the two renames, the only copy is here: sweeps keep it until there is another one in
            // its place.
            let folder = try TemporaryFolder(beside: target, files)
            var isReplaced = false
            defer { folder.discard(isReplaced: isReplaced) }
            let old = try folder.retire(target, until: target)
            do throws(FileSystemError) {
                try files.rename(fresh, to: target)
                isReplaced = true
                return true
            } catch {
                // In the meantime, a process that did not see the old folder may have put its own there.
                isReplaced = files.kind(of: target) != nil
                if isReplaced { continue }
                try? files.rename(old, to: target)
                throw error
            }
        }
        throw OutputDestination.rejection(path, "another program keeps writing there")
    }
}
