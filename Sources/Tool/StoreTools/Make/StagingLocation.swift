internal import Diagnostics
internal import Foundation
internal import ModelcDriver
internal import StoreFile

/// The destination of a new store, which is created in a hidden folder beside it and moved when it is complete.
struct StagingLocation {
    private let path: String
    private let files: any FileSystem
    private let folder: TemporaryFolder
    /// The path at which SQLite creates the store.
    let temporaryPath: String

    fileprivate static let logSuffixes = ["-wal", "-shm", "-journal"]

    /// Checks the destination and creates the hidden folder.
    ///
    /// - Parameters:
    ///   - option: The option that names the path, for messages.
    ///   - replaces: Whether a store at the path is replaced.
    /// - Throws: If there is a file at the path; with `replaces`, if it is anything other than a store that is not in
    ///   use.
    init(
        _ path: String, option: String = "--output", replaces: Bool, _ files: any FileSystem
    ) throws(InputFailure) {
        self.path = path
        self.files = files
        try Check(path: path, option: option, files: files).run(replaces: replaces)
        folder = try InputFailure.wrapping { () throws(FileSystemError) in
            try TemporaryFolder.forStores(beside: path, files)
        }
        temporaryPath = files.systemPath(PathName.joined(folder.work, PathName.name(of: path)))
    }

    /// Returns the folder of a store's external data.
    static func supportFolder(of path: String) -> String {
        PathName.joined(PathName.parent(of: path), ".\(PathName.stem(of: path))_SUPPORT")
    }

    /// Moves the finished store to its destination, or removes it if that fails. A store that it replaces stays
    /// complete until the last step.
    func publish() throws(InputFailure) {
        do throws(FileSystemError) {
            try SignalShield.hold { () throws(FileSystemError) in
                try move()
                folder.discard(isReplaced: true)
            }
        } catch {
            discard()
            throw InputFailure(diagnostics: [error.diagnostic], exitCode: .couldNotRun)
        }
    }

    private func move() throws(FileSystemError) {
        let made = PathName.joined(folder.work, PathName.name(of: path))
        let support = Self.supportFolder(of: path)
        let madeSupport = Self.supportFolder(of: made)
        let retired = files.kind(of: support) == nil ? nil : try folder.retire(support, until: path)
        do throws(FileSystemError) {
            if files.kind(of: madeSupport) != nil { try files.rename(madeSupport, to: support) }
            do throws(FileSystemError) {
                for suffix in Self.logSuffixes where files.kind(of: path + suffix) != nil {
                    try files.remove(path + suffix)
                }
                try files.rename(made, to: path)
                files.removeEmptyDirectory(folder.work)
            } catch {
                if files.kind(of: support) != nil { try? files.rename(support, to: madeSupport) }
                throw error
            }
        } catch {
            if let retired { try? files.rename(retired, to: support) }
            throw error
        }
    }

    /// Removes the hidden folder with its contents.
    func discard() {
        folder.discard()
    }
}

/// Checks that a store can be written to a path.
private struct Check {
    let path: String
    /// The option that names the path, for messages.
    let option: String
    let files: any FileSystem

    func run(replaces: Bool) throws(InputFailure) {
        let parent = PathName.parent(of: path)
        guard !path.isEmpty, !path.hasSuffix("/") else { throw failure("the path names no file") }
        guard files.kind(of: parent.isEmpty ? "." : parent) == .directory else {
            throw failure("the folder “\(parent)” does not exist")
        }
        if files.linkTarget(of: path) != nil { throw failure("there is a symbolic link at this path") }
        let support = StagingLocation.supportFolder(of: path)
        switch files.kind(of: path) {
        case nil:
            for name in StagingLocation.logSuffixes.map({ path + $0 }) + [support]
            where files.kind(of: name) != nil || files.linkTarget(of: name) != nil {
                throw failure(
                    "“\(name)” already exists and belongs to another store", "Remove it, or choose another \(option).")
            }
            return
        case .file?: break
        case .directory?: throw failure("there is a folder at this path")
        case .other?: throw failure("there is a device or pipe at this path")
        }
        guard replaces else {
            throw failure(
                "the file exists",
                option == "--output"
                    ? "Choose another --output, or replace it with --force." : "Choose another \(option).")
        }
        do throws(StoreFileError) {
            _ = try StoreFile(path: files.systemPath(path))
        } catch {
            throw failure("the file is not replaced: it is not a Core Data store (\(error.message))")
        }
        if case .file(let size)? = files.kind(of: path + "-wal"), size > 0 {
            throw failure(
                "the store is in use, or was not closed: “\(path)-wal” contains changes", "Close the store first.")
        }
        guard files.linkTarget(of: support) == nil, [nil, .directory].contains(files.kind(of: support)) else {
            throw failure("“\(support)” is not a folder")
        }
    }

    private func failure(_ reason: String, _ help: String? = nil) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .fileSystem, "cannot write: \(reason)", file: path, range: .fileStart,
                    help: "\(help ?? "Choose another \(option).") Nothing was changed.")
            ],
            exitCode: .couldNotRun)
    }
}
