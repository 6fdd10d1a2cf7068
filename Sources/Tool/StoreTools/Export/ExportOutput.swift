internal import Diagnostics
internal import ModelcDriver
internal import StoreDoctor

/// The destination of an export, which is written in a hidden folder beside it and moved when it is complete.
struct ExportOutput {
    private let path: String
    private let files: any FileSystem
    private let folder: TemporaryFolder
    private let isFolder: Bool
    private let store: String
    private let replaces: Bool
    /// The path at which the export is written.
    var temporaryPath: String { files.systemPath(hidden) }
    private var hidden: String { PathName.joined(folder.path, "export") }

    /// Checks the destination.
    ///
    /// - Throws: If there is something at the path; with `replaces`, if it is no earlier export.
    init(
        _ path: String, isFolder: Bool, store: String, replaces: Bool, _ files: any FileSystem
    ) throws(InputFailure) {
        self.path = PathName.withoutTrailingSlashes(path)
        self.files = files
        self.isFolder = isFolder
        self.store = store
        self.replaces = replaces
        try Self.check(self.path, isFolder: isFolder, store: store, replaces: replaces, files)
        folder = try InputFailure.wrapping { [path = self.path] () throws(FileSystemError) in
            try TemporaryFolder(beside: path, files)
        }
        guard isFolder else { return }
        try InputFailure.wrapping { () throws(FileSystemError) in try files.createDirectory(hidden) }
    }

    private static func check(
        _ path: String, isFolder: Bool, store: String, replaces: Bool, _ files: any FileSystem
    ) throws(InputFailure) {
        func failure(_ reason: String, _ help: String = "Choose another --output.") -> InputFailure {
            Self.failure(path, reason, help)
        }
        let parent = PathName.parent(of: path)
        guard files.kind(of: parent.isEmpty ? "." : parent) == .directory else {
            throw failure("the folder “\(parent)” does not exist")
        }
        if files.linkTarget(of: path) != nil { throw failure("there is a symbolic link at this path") }
        guard let kind = files.kind(of: path) else { return }
        switch (kind, isFolder) {
        case (.directory, true):
            if (try? files.list(path))?.isEmpty == true { return }
            guard replaces else {
                throw failure("the folder exists", "Choose another --output, or replace it with --force.")
            }
            try checkFolder(path, store: store, files)
        case (.file, false):
            guard replaces else {
                throw failure("the file exists", "Choose another --output, or replace it with --force.")
            }
            guard files.identity(of: path) != files.identity(of: store) else {
                throw failure("it is the store that is exported")
            }
            guard let head = try? files.readHead(path, count: 256), StoreExporter.isExport(head: head) else {
                throw failure("the file is not replaced: it is not an export")
            }
            for suffix in ["-wal", "-journal"] where files.kind(of: path + suffix) != nil {
                throw failure("“\(path)\(suffix)” exists: the file is in use")
            }
        case (.directory, false): throw failure("there is a folder at this path")
        case (.file, true): throw failure("there is a file at this path")
        case (.other, _): throw failure("there is a device or pipe at this path")
        }
    }

    /// Checks that a folder contains nothing but an earlier export.
    private static func checkFolder(_ path: String, store: String, _ files: any FileSystem) throws(InputFailure) {
        func failure(_ reason: String) -> InputFailure { Self.failure(path, reason, "Choose another --output.") }
        guard let schema = try? files.read(PathName.joined(path, "schema.json")),
            let listed = StoreExporter.files(ofExport: schema)
        else { throw failure("the folder is not replaced: it is not an export") }
        let source = files.identity(of: store)
        func check(_ name: String, isKnown: Bool) throws(InputFailure) {
            let entry = PathName.joined(path, name)
            guard files.identity(of: entry) != source else {
                throw failure("the folder contains the store that is exported")
            }
            guard isKnown, files.linkTarget(of: entry) == nil, case .file? = files.kind(of: entry) else {
                throw failure("the folder is not replaced: “\(entry)” is not part of the export")
            }
        }
        func names(_ folder: String) throws(InputFailure) -> [String] {
            guard files.linkTarget(of: folder) == nil, files.kind(of: folder) == .directory,
                let names = try? files.list(folder)
            else { throw failure("the folder is not replaced: “\(folder)” cannot be read") }
            return names
        }
        for name in try names(path) {
            guard name == StoreExporter.valueFolder else {
                try check(name, isKnown: listed.contains(name))
                continue
            }
            for folder in try names(PathName.joined(path, name)) {
                let values = "\(name)/\(folder)"
                for value in try names(PathName.joined(path, values)) {
                    try check("\(values)/\(value)", isKnown: StoreExporter.isValueFile(value, in: folder))
                }
            }
        }
    }

    private static func failure(_ path: String, _ reason: String, _ help: String) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .fileSystem, "cannot write: \(reason)", file: path, range: .fileStart,
                    help: "\(help) Nothing was changed.")
            ],
            exitCode: .couldNotRun)
    }

    /// Moves the finished export to its destination, if there is still nothing else.
    func commit() throws(InputFailure) {
        try Self.check(path, isFolder: isFolder, store: store, replaces: replaces, files)
        try InputFailure.wrapping { () throws(FileSystemError) in
            try SignalShield.hold { () throws(FileSystemError) in
                try move()
                folder.discard(isReplaced: true)
            }
        }
    }

    private func move() throws(FileSystemError) {
        let taken = FileSystemError(path: path, action: "write", reason: "It has been created in the meantime")
        guard isFolder else {
            if replaces { return try files.rename(hidden, to: path) }
            guard try files.place(hidden, at: path) else { throw taken }
            return
        }
        guard files.kind(of: path) == .directory, (try? files.list(path))?.isEmpty == false else {
            // Fails if there is a file or a folder that is not empty.
            return try files.rename(hidden, to: path)
        }
        if files.exchange(hidden, path) { return }
        let retired = try folder.retire(path, until: path)
        do throws(FileSystemError) {
            try files.rename(hidden, to: path)
        } catch {
            try? files.rename(retired, to: path)
            throw error
        }
    }

    /// Removes the hidden folder.
    func discard() { folder.discard() }
}
