internal import CSQLite3
internal import Foundation
internal import StoreFile

/// The files of a SQLite store as a whole: copying, replacing and removing them.
///
/// Every step leaves a whole store: after a kill at any of them, the destination is the old store or the new one. Files
/// that belong to other stores, which may share the folder of external files, are not touched.
struct StoreFiles {
    private let file: SQLiteFile
    private let settings: SQLiteOptions
    private let disk: StoreDisk
    private let external: ExternalFolder

    init(_ file: SQLiteFile, _ options: [AnyHashable: Any] = [:]) {
        self.init(file, SQLiteOptions(options))
    }

    init(_ file: SQLiteFile, _ settings: SQLiteOptions) {
        self.file = file
        self.settings = settings
        disk = settings.disk
        external = ExternalFolder(file, settings)
    }

    /// The prefix of the names of staged copies, which a later replacement removes if this one is killed.
    private static let stagePrefix = ".replacement-"
    /// The prefix of the names of databases that list the external files of a removed store.
    private static let removalPrefix = ".removal-"

    private var folder: URL { file.resolved.deletingLastPathComponent() }

    /// Returns a new location for a staged copy, or for another file beside the store.
    private func makeStageURL(_ prefix: String = stagePrefix) -> URL {
        folder.appendingPathComponent("\(prefix)\(UUID().uuidString).\(file.resolved.lastPathComponent)")
    }

    /// Returns the files beside the store whose names `makeStageURL(_:)` has made, and their companions if included.
    private func stagedFiles(_ prefix: String, companions: [String] = []) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let name = file.resolved.lastPathComponent
        return names.filter { leftover in
            // After a UUID. The name of another store may end with that of this one.
            leftover.hasPrefix(prefix)
                && ([""] + companions).contains { leftover.dropFirst(prefix.count + 36) == ".\(name)\($0)" }
        }.map(folder.appendingPathComponent)
    }

    // MARK: Copies

    /// Replaces the file with a copy of another store, which may be in use. The copy is a consistent snapshot with the
    /// mode of the original or, if there is one, of the replaced file.
    ///
    /// - Parameter keepsWritersAway: Whether to prevent other connections from saving to the original in the meantime;
    ///   `false` if the caller holds the write lock.
    func copy(_ source: SQLiteFile, keepsWritersAway: Bool = true) throws {
        guard source.exists else {
            throw CoreDataError.error(
                .persistentStoreOperation, text: "there is no store at \(source.url.path)",
                userInfo: [NSURLErrorKey: source.url])
        }
        try source.reporting("the store at \(source.url.path) cannot be copied") {
            let keeper = keepsWritersAway ? try source.keepingWritersAway(settings) : nil
            defer { keeper?.close() }
            let staged = SQLiteFile(makeStageURL())
            var added: [String] = []
            do {
                try copyPages(of: source, to: staged)
                let names = try ExternalFolder.names(in: staged, settings)
                try external.add(names, from: ExternalFolder(source, settings), &added)
                let old = try prepareRemoval().subtracting(names)
                try drop(old, from: staged)
                try removeCompanions()
                try disk.rename(staged.url, file.resolved)
                try? disk.synchronize(folder)
                // If this is killed, the new store removes them when it is opened.
                external.remove(old)
            } catch {
                for url in [staged.url] + staged.companions { try? FileManager.default.removeItem(at: url) }
                external.removeStaged()
                external.discard(added)
                throw error
            }
        }
    }

    /// Replaces the store with a copy of another, which may be in use.
    ///
    /// - Throws: An error of Cocoa's domain with the code 134070. The store is then unchanged.
    func replace(with source: SQLiteFile) throws {
        guard !file.isInMemory, !source.isInMemory else {
            throw CoreDataError.error(
                .persistentStoreOperation, text: "a store in memory cannot be replaced or copied by its URL",
                userInfo: [NSURLErrorKey: file.url])
        }
        do {
            _ = try source.metadata()
            try file.checkIsReplaceable()
            try StoreFolderLock(file.url).withLock {
                removeStaged()
                finishRemovals()
                try copy(source)
            }
        } catch {
            throw CoreDataError.error(
                .persistentStoreOperation, text: "the store at \(file.url.path) cannot be replaced",
                userInfo: [NSURLErrorKey: file.url, NSUnderlyingErrorKey: error])
        }
    }

    private func copyPages(of source: SQLiteFile, to staged: SQLiteFile) throws {
        // SQLite gives journals and logs the mode of their database.
        let mode = FileMode.of(file.url) ?? FileMode.of(source.url)
        try disk.createFile(staged.url, mode: mode)
        let from = try source.open(isReadOnly: true, settings)
        defer { from.close() }
        let target = try SQLiteConnection(path: staged.url.path, vfs: settings.vfs)
        defer { target.close() }
        guard let backup = sqlite3_backup_init(target.handle, "main", from.handle, "main") else {
            throw target.failure(sqlite3_errcode(target.handle))
        }
        // All pages in one step, so that the source cannot change in between.
        let code = sqlite3_backup_step(backup, -1)
        let ended = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, ended == SQLITE_OK else {
            let failed = code == SQLITE_DONE ? ended : code
            throw SQLiteError(code: failed, message: String(cString: sqlite3_errstr(failed)))
        }
        try target.execute("PRAGMA journal_mode = DELETE")
    }

    /// Records in a staged database that the external files of the old store are not needed.
    private func drop(_ names: Set<String>, from staged: SQLiteFile) throws {
        guard !names.isEmpty else { return }
        let connection = try SQLiteConnection(path: staged.url.path, vfs: settings.vfs)
        defer { connection.close() }
        try connection.transaction {
            try DroppedFiles(external).add(names.sorted(), connection)
        }
    }

    private func removeStaged() {
        for leftover in stagedFiles(Self.stagePrefix, companions: ["-wal", "-shm", "-journal"]) {
            try? disk.remove(leftover)
        }
        external.removeStaged()
    }

    // MARK: Removal

    /// Replaces the file with an empty database and removes its companion files, even if the store is damaged. A
    /// missing file is created, but no folder.
    ///
    /// Apple's framework also leaves an empty database: callers delete the file themselves. It is a new file, so that
    /// connections to the old one detect the change.
    ///
    /// - Throws: An error with the code 134070 for a folder, a device, or a database of another program.
    func destroy() throws {
        // It is removed with the last store that has it open.
        if file.isInMemory { return }
        try file.checkIsReplaceable()
        do {
            try StoreFolderLock(file.url).withLock {
                removeStaged()
                finishRemovals()
                let isOnlyOwner = external.hasSingleOwner
                let old = try prepareRemoval()
                try removeCompanions()
                // Without the list, for example because the disk is full, a kill would only leave files behind.
                let list = try? makeRemovalList(old)
                if FileManager.default.fileExists(atPath: folder.path) {
                    do {
                        try replaceWithEmptyFile()
                    } catch {
                        if let list { try? disk.remove(list.url) }
                        throw error
                    }
                    try disk.synchronize(folder)
                }
                if isOnlyOwner { external.removeAll() } else if !external.remove(old) { return }
                if let list { try? disk.remove(list.url) }
            }
        } catch let error as NSError where error.domain == NSCocoaErrorDomain && error.code >= 134_000 {
            throw error
        } catch {
            throw CoreDataError.error(
                .persistentStoreOperation, text: "the store cannot be removed: \(file.url.path)",
                userInfo: [NSURLErrorKey: file.url, NSUnderlyingErrorKey: error])
        }
    }

    private func replaceWithEmptyFile() throws {
        let empty = makeStageURL()
        try disk.createFile(empty, mode: FileMode.of(file.url))
        try disk.rename(empty, file.resolved)
    }

    /// Lists external files in a database beside the store, so that their removal can be finished after a kill. Returns
    /// `nil` if there are none.
    private func makeRemovalList(_ names: Set<String>) throws -> SQLiteFile? {
        guard !names.isEmpty else { return nil }
        let list = SQLiteFile(makeStageURL(Self.removalPrefix))
        do {
            try disk.createFile(list.url, mode: FileMode.of(file.url))
            try drop(names, from: list)
            return list
        } catch {
            for url in [list.url] + list.companions { try? FileManager.default.removeItem(at: url) }
            throw error
        }
    }

    /// Finishes removals that were killed, when a new store is opened at their path.
    func finishRemovalsOfFormerStores() {
        guard !file.isInMemory, FileManager.default.fileExists(atPath: external.folder.path),
            !stagedFiles(Self.removalPrefix).isEmpty
        else { return }
        try? StoreFolderLock(file.url).withLock { finishRemovals() }
    }

    /// Removes the external files of stores that were at this path, if `destroy()` was killed before it had removed
    /// them. What cannot be read or removed now stays for the next time.
    private func finishRemovals() {
        for url in stagedFiles(Self.removalPrefix) {
            let list = SQLiteFile(url)
            guard let names = try? ExternalFolder.names(in: list, settings) else { continue }
            var used: Set<String> = []
            // The kill may have come before the store was removed.
            if let size = FileStatus.size(file.url.path), size > 0 {
                guard let own = try? ExternalFolder.names(in: file, settings) else { continue }
                used = own
            }
            guard external.remove(names.subtracting(used)) else { continue }
            for url in list.companions + [url] { try? disk.remove(url) }
        }
    }

    /// Removes the files of a store that a failed migration has created. Other stores may share the folder of its
    /// external files.
    func discard() {
        let isAlone = external.hasSingleOwner
        let names = isAlone ? [] : (try? ExternalFolder.names(in: file, settings)) ?? []
        for url in [file.url] + file.companions { try? FileManager.default.removeItem(at: url) }
        if isAlone { external.removeAll() } else { external.remove(names) }
    }

    /// Moves all commits of the store into its file, so that it is whole without its log, and returns the names of its
    /// external files. A damaged store has none that are certain.
    ///
    /// - Throws: An error if the file cannot be made whole, for example because it is locked.
    private func prepareRemoval() throws -> Set<String> {
        guard let size = FileStatus.size(file.url.path), size > 0 else { return [] }
        do {
            let connection = try SQLiteConnection(path: file.url.path, timeout: settings.timeout, vfs: settings.vfs)
            defer { connection.close() }
            let names = try ExternalFolder.names(connection)
            if try !connection.emptyLog() { try replaceWithWholeCopy() }
            return names
        } catch let error as SQLiteError where !error.isEnvironmental {
            return []
        }
    }

    /// Replaces the file with a copy that has all commits: a connection that reads an older state of the store keeps
    /// the log from being moved into the file. The log has nothing that the copy lacks, so it may still be beside it.
    private func replaceWithWholeCopy() throws {
        let whole = SQLiteFile(makeStageURL())
        do {
            try copyPages(of: file, to: whole)
            try disk.rename(whole.url, file.resolved)
            try disk.synchronize(folder)
        } catch {
            for url in [whole.url] + whole.companions { try? FileManager.default.removeItem(at: url) }
            throw error
        }
    }

    /// Removes the log and the journal, whose content SQLite would write into a new file.
    private func removeCompanions() throws {
        for url in file.companions where FileManager.default.fileExists(atPath: url.path) {
            do {
                try disk.remove(url)
            } catch CocoaError.fileNoSuchFile {
                continue
            }
        }
        try? disk.synchronize(folder)
    }
}
