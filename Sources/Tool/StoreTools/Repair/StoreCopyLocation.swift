internal import Diagnostics
internal import Foundation
internal import ModelcDriver
internal import StoreDoctor

/// A copy of a store in a hidden folder, which becomes a new store, or whose content replaces that of the original,
/// when it is complete.
struct StoreCopyLocation {
    private enum Destination {
        case new(StagingLocation, path: String)
        /// The original, which is locked for as long as the value exists, and the path of its backup.
        case original(ExclusiveStoreAccess, path: String, folder: TemporaryFolder, backup: String?)
    }

    private let destination: Destination
    private let environment: DriverEnvironment
    private let path: String

    /// Creates the hidden folder of a new store that is made of another.
    ///
    /// - Parameter hint: What to do if the output is the store itself.
    /// - Throws: If there is a file at the new path. Nothing was changed.
    init(
        for output: String, of path: String, replaces: Bool, hint: String = "Use --in-place.",
        _ environment: DriverEnvironment
    ) throws(InputFailure) {
        try Self.requireFile(path, environment)
        if environment.files.identity(of: path) == environment.files.identity(of: output) {
            throw InputFailure(
                output, rule: .fileSystem, message: "the output is the store itself", help: hint)
        }
        self.path = path
        self.environment = environment
        destination = .new(try StagingLocation(output, replaces: replaces, environment.files), path: output)
    }

    /// Copies a store, with its external files, for a new store.
    ///
    /// - Throws: If there is a file at the new path, or the copy cannot be written. Nothing was changed.
    init(copying path: String, to output: String, replaces: Bool, _ environment: DriverEnvironment) throws(InputFailure)
    {
        try self.init(for: output, of: path, replaces: replaces, environment)
        do throws(StoreDoctor.Failure) {
            try StoreSnapshot.copy(environment.files.systemPath(path), to: temporaryPath)
        } catch {
            discard()
            throw StoreModelChoice.failure(error, path: path, environment: environment)
        }
    }

    /// Locks a store, and creates the hidden folder of the copy that replaces its content.
    ///
    /// - Parameter backup: The path at which the database is kept as it was; `nil` for none.
    /// - Throws: If the store is in use, or there is a file at the path of the backup. Nothing was changed.
    init(holding path: String, backup: String? = nil, _ environment: DriverEnvironment) throws(InputFailure) {
        try Self.requireFile(path, environment)
        let files = environment.files
        if let backup, files.kind(of: backup) != nil || files.linkTarget(of: backup) != nil {
            throw InputFailure(
                backup, rule: .fileSystem, message: "the file exists",
                help: "Choose another --backup. Nothing was changed.")
        }
        if let backup {
            let parent = PathName.parent(of: backup)
            guard files.kind(of: parent.isEmpty ? "." : parent) == .directory else {
                throw InputFailure(
                    backup, rule: .fileSystem, message: "the folder “\(parent)” does not exist",
                    help: "Choose another --backup. Nothing was changed.")
            }
        }
        // SQLite names logs after the file that a link leads to.
        let resolved = files.canonicalPath(path) ?? path
        self.path = path
        self.environment = environment
        let hold: ExclusiveStoreAccess
        do throws(StoreDoctor.Failure) {
            hold = try ExclusiveStoreAccess(files.systemPath(resolved))
        } catch {
            throw StoreModelChoice.failure(error, path: path, environment: environment)
        }
        let folder = try InputFailure.wrapping { () throws(FileSystemError) in
            try TemporaryFolder(beside: resolved, files)
        }
        destination = .original(hold, path: resolved, folder: folder, backup: backup)
    }

    /// Locks a store, and copies it.
    init(replacing path: String, backup: String?, _ environment: DriverEnvironment) throws(InputFailure) {
        try self.init(holding: path, backup: backup, environment)
        do throws(StoreDoctor.Failure) {
            try hold?.copy(to: temporaryPath)
        } catch {
            discard()
            throw StoreModelChoice.failure(error, path: path, environment: environment)
        }
    }

    /// The exclusive use of the store; `nil` if a new store is made.
    var hold: ExclusiveStoreAccess? {
        if case .original(let hold, _, _, _) = destination { hold } else { nil }
    }

    private static func requireFile(_ path: String, _ environment: DriverEnvironment) throws(InputFailure) {
        try environment.files.requireStore(path)
    }

    /// The path of the copy.
    var temporaryPath: String {
        switch destination {
        case .new(let location, _): location.temporaryPath
        case .original(_, let path, let folder, _):
            environment.files.systemPath(PathName.joined(folder.path, PathName.name(of: path)))
        }
    }

    /// Renames the copy into place, or writes it into the original, in one transaction.
    func commit() throws(InputFailure) {
        do {
            switch destination {
            case .new(let location, let path):
                try StoreSnapshot.synchronize(temporaryPath)
                StoreSnapshot.setMode(of: temporaryPath, like: environment.files.systemPath(self.path))
                try location.publish()
                try? synchronizeFolder(of: path)
            case .original(let hold, _, _, let backup):
                let kept = try backup.map { try Kept(hold, as: $0, environment.files) }
                defer { kept?.folder.discard() }
                try SignalShield.hold { try replace(hold, kept) }
            }
        } catch let error as InputFailure {
            throw error
        } catch let error as StoreDoctor.Failure {
            throw StoreModelChoice.failure(error, path: path, environment: environment)
        } catch let error as FileSystemError {
            throw InputFailure(diagnostics: [error.diagnostic], exitCode: .couldNotRun)
        } catch {
            throw InputFailure(
                path, rule: .fileSystem, message: "the copy cannot be written: \(error)", help: "Nothing was changed.")
        }
    }

    /// A copy of the original in a hidden folder beside its path, which may be on another disk.
    private struct Kept {
        let folder: TemporaryFolder
        let path: String
        var staged: String { PathName.joined(folder.path, "backup") }

        init(_ hold: ExclusiveStoreAccess, as path: String, _ files: any FileSystem) throws {
            self.path = path
            folder = try TemporaryFolder(beside: path, files)
            do {
                let systemPath = files.systemPath(staged)
                try hold.copy(to: systemPath)
                try StoreSnapshot.synchronize(systemPath)
            } catch {
                folder.discard()
                throw error
            }
        }
    }

    /// Moves the backup into place, and replaces the content of the original.
    private func replace(_ hold: ExclusiveStoreAccess, _ kept: Kept?) throws {
        if let kept, try !environment.files.place(kept.staged, at: kept.path) {
            throw InputFailure(
                kept.path, rule: .fileSystem, message: "the file exists",
                help: "Choose another --backup. Nothing was changed.")
        }
        do {
            if let kept { try synchronizeFolder(of: kept.path) }
            try hold.replaceContent(withDatabaseAt: temporaryPath)
        } catch {
            // After an error of the disk, the backup may be the only copy.
            if let kept, hold.isReadable { try? environment.files.remove(kept.path) }
            throw error
        }
    }

    /// Writes the name of a file to the disk.
    private func synchronizeFolder(of path: String) throws {
        let folder = PathName.parent(of: environment.files.systemPath(path))
        try StoreSnapshot.synchronize(folder.isEmpty ? "." : folder)
    }

    /// Removes the hidden folder.
    func discard() {
        switch destination {
        case .new(let location, _): location.discard()
        case .original(_, _, let folder, _): folder.discard()
        }
    }
}
