/// A folder that the user names for generated files.
struct OutputFolder {
    let path: String
    let exists: Bool
    private let files: any FileSystem

    /// Creates a value for a folder, which need not exist.
    ///
    /// - Throws: If something other than a folder is there.
    init(_ path: String, files: any FileSystem) throws(FileSystemError) {
        self.path = path
        self.files = files
        guard !path.isEmpty else { throw OutputDestination.rejection(path, "the path is empty") }
        switch files.kind(of: path) {
        case .directory?: exists = true
        case nil where files.linkTarget(of: PathName.withoutTrailingSlashes(path)) == nil: exists = false
        case nil: throw OutputDestination.rejection(path, "the symbolic link is dangling")
        case .some: throw OutputDestination.rejection(path, "it is not a folder")
        }
    }

    /// Runs the body while no other modelc process writes to the folder. Creates the folder if needed, and removes it
    /// again if the body throws. Signals that end the process are held back until the end.
    ///
    /// Concurrent runs therefore have the same results as consecutive ones.
    func exclusively<Result>(_ body: () throws(InputFailure) -> Result) throws(InputFailure) -> Result {
        try SignalShield.hold { () throws(InputFailure) in
            let (lock, madeFolders) = try InputFailure.wrapping { () throws(FileSystemError) in try makeAndLock() }
            do throws(InputFailure) {
                let result = try body()
                withExtendedLifetime(lock) {}
                return result
            } catch {
                for folder in madeFolders.reversed() { files.removeEmptyDirectory(folder) }
                withExtendedLifetime(lock) {}
                throw error
            }
        }
    }

    private func makeAndLock() throws(FileSystemError) -> (lock: FolderLock?, madeFolders: [String]) {
        var made: [String] = []
        for _ in 0..<100 {
            made += path.missingFolders(files).filter { !made.contains($0) }
            try files.createDirectory(path)
            if let lock = try files.lock(folder: path) { return (lock, made) }
            // Another process has removed the folder that it had created, or the file system has no locks.
            if files.kind(of: path) == .directory { return (nil, made) }
        }
        throw OutputDestination.rejection(path, "another program keeps removing the folder")
    }
}

extension InputFailure {
    /// Runs the body, and converts an error of a file operation to a failure of the command.
    package static func wrapping<Result>(
        _ body: () throws(FileSystemError) -> Result
    ) throws(InputFailure) -> Result {
        do throws(FileSystemError) {
            return try body()
        } catch {
            throw InputFailure(diagnostics: [error.diagnostic], exitCode: .couldNotRun)
        }
    }
}
