/// Writes and removes several files atomically: if any operation fails, nothing has changed.
///
/// Files are first written completely under temporary names beside their destinations, which is where a lack of space
/// or permission shows. Then they get their final names one by one; if one of these renames fails, the others are
/// undone. Signals that end the process are held back meanwhile. A process that is killed leaves each file either in
/// its old or in its new state.
struct OutputTransaction {
    /// A file that is written.
    private struct Write {
        var destination: OutputDestination
        var bytes: [UInt8]
        /// The bytes that the file must still hold, so that a change by another program is not lost; empty if there
        /// was no file, `nil` for no check.
        var expected: [UInt8]?
    }

    private let files: any FileSystem
    private var writes: [Write] = []
    private var removals: [String] = []

    init(files: any FileSystem) {
        self.files = files
    }

    /// Plans a file that the user has named, or that exists.
    ///
    /// - Parameter expected: The bytes that were read from the file, if the new contents depend on them; empty if there
    ///   was no file.
    /// - Throws: If the path must not be written to; see `OutputDestination`.
    mutating func write(_ path: String, _ bytes: [UInt8], expecting expected: [UInt8]? = nil) throws(FileSystemError) {
        writes.append(Write(destination: try OutputDestination(path, files), bytes: bytes, expected: expected))
    }

    /// Plans a file that must not exist yet.
    mutating func create(_ path: String, _ bytes: [UInt8]) {
        writes.append(Write(destination: .new(path), bytes: bytes))
    }

    /// Plans a file in a folder of generated files.
    ///
    /// - Throws: If the path must not be written to; see `OutputDestination`.
    mutating func write(generated path: String, _ bytes: [UInt8]) throws(FileSystemError) {
        writes.append(Write(destination: try OutputDestination(generated: path, files), bytes: bytes))
    }

    /// Plans the removal of a file.
    mutating func remove(_ path: String) {
        removals.append(path)
    }

    /// Performs the planned operations.
    func commit() throws(FileSystemError) {
        try commit(canLastFail: false) { () throws(FileSystemError) in }
    }

    /// Performs the planned operations, and then a last one; if that throws, the others are undone.
    func commit(last: () throws(FileSystemError) -> Void) throws(FileSystemError) {
        try commit(canLastFail: true, last)
    }

    // An optional function that throws one type of error needs macOS 15.
    private func commit(
        canLastFail: Bool, _ last: () throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        guard !writes.isEmpty || !removals.isEmpty else { return try last() }
        // Writing to a pipe may wait for its reader, so streams are written outside the shield.
        for case let (.stream(path), bytes) in writes.map({ ($0.destination, $0.bytes) }) {
            try files.write(bytes, toStream: path)
        }
        try SignalShield.hold { () throws(FileSystemError) in
            var run = Run(files: files)
            do throws(FileSystemError) {
                try run.stage(writes)
                try run.publish(removals, isLast: !canLastFail)
                try last()
            } catch {
                throw run.undo(after: error)
            }
            run.finish()
        }
    }

    /// The state of a commit: the steps that an error would undo.
    private struct Run {
        /// A file under its temporary name.
        private struct Staged {
            var path: String
            var destination: OutputDestination
        }

        /// A step that other processes can see.
        private enum Step {
            case created(String)
            case replaced(String, backup: String)
        }

        let files: any FileSystem
        private var names = TemporaryNames()
        private var madeFolders: [String] = []
        private var staged: [Staged] = []
        private var steps: [Step] = []

        init(files: any FileSystem) {
            self.files = files
        }

        /// Writes all files under temporary names.
        mutating func stage(_ writes: [Write]) throws(FileSystemError) {
            var folders: Set<String> = []
            for write in writes {
                let original: String?
                let path: String
                switch write.destination {
                case .stream: continue
                case .new(let new):
                    guard files.kind(of: new) == nil else {
                        throw OutputDestination.rejection(new, "a file or folder with this name already exists")
                    }
                    (path, original) = (new, nil)
                case .file(let file): (path, original) = (file, file)
                }
                let folder = PathName.parent(of: path)
                let isFirst = folders.insert(folder).inserted
                if isFirst, original == nil, !folder.isEmpty {
                    madeFolders += folder.missingFolders(files)
                    try files.createDirectory(folder)
                }
                if let expected = write.expected, original != nil || !expected.isEmpty,
                    try files.read(path) != expected
                {
                    throw OutputDestination.rejection(path, "another program changed the file in the meantime")
                }
                let temporary = names.next(beside: path)
                try files.create(temporary, write.bytes, like: original)
                staged.append(Staged(path: temporary, destination: write.destination))
                if isFirst { TemporaryNames.sweep(beside: path, current: temporary, files) }
            }
        }

        /// Renames the files to their final names, and removes what is to be removed.
        ///
        /// - Parameter isLast: Whether no later operation can fail.
        mutating func publish(_ removals: [String], isLast: Bool) throws(FileSystemError) {
            var left = staged.count + removals.count + (isLast ? 0 : 1)
            for file in staged {
                left -= 1
                switch file.destination {
                case .new(let path):
                    guard try files.place(file.path, at: path) else {
                        throw OutputDestination.rejection(path, "another program created the file in the meantime")
                    }
                    steps.append(.created(path))
                case .file(let path):
                    guard files.linkTarget(of: path) == nil, case .file? = files.kind(of: path) else {
                        throw OutputDestination.rejection(path, "it is no longer a regular file")
                    }
                    // Nothing can fail after the last step, so it needs no backup.
                    if left > 0 {
                        let backup = names.backup(of: path)
                        try files.keep(path, as: backup)
                        steps.append(.replaced(path, backup: backup))
                    }
                    try files.rename(file.path, to: path)
                case .stream: break
                }
            }
            for path in removals {
                left -= 1
                guard left > 0 else { return try files.remove(path) }
                let backup = names.backup(of: path)
                try files.rename(path, to: backup)
                steps.append(.replaced(path, backup: backup))
            }
        }

        /// Undoes all steps.
        ///
        /// - Returns: The error, which names what could not be undone.
        mutating func undo(after error: FileSystemError) -> FileSystemError {
            var error = error
            for step in steps.reversed() {
                do throws(FileSystemError) {
                    switch step {
                    case .created(let path): try files.remove(path)
                    case .replaced(let path, let backup):
                        try files.rename(backup, to: path)
                        // If the file was not replaced yet, both names refer to the same file, and such a rename does
                        // nothing.
                        try? files.remove(backup)
                    }
                } catch let failure {
                    error.nothingChanged = false
                    error.reason += "; and cannot restore “\(failure.path)”: \(failure.reason)"
                }
            }
            for file in staged { try? files.remove(file.path) }
            for path in madeFolders.reversed() { files.removeEmptyDirectory(path) }
            return error
        }

        /// Removes the backups.
        func finish() {
            for case .replaced(_, let backup) in steps { try? files.remove(backup) }
        }
    }
}

extension FileSystem {
    /// Writes a single file that the user has named, unless it holds these bytes already.
    ///
    /// - Returns: Whether it was written.
    func writeIfChanged(_ path: String, _ bytes: [UInt8]) throws(FileSystemError) -> Bool {
        if case .file(let size)? = kind(of: path), size == bytes.count, try read(path) == bytes { return false }
        var transaction = OutputTransaction(files: self)
        try transaction.write(path, bytes)
        try transaction.commit()
        return true
    }
}

extension String {
    /// Returns the folders of a path that do not exist, the outermost first.
    func missingFolders(_ files: any FileSystem) -> [String] {
        var missing: [String] = []
        var current = self
        while !current.isEmpty, current != "/", files.kind(of: current) == nil {
            missing.append(current)
            current = PathName.parent(of: current)
        }
        return missing.reversed()
    }
}
