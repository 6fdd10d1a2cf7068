internal import Foundation

/// The backup of a store that `NSPersistentStoreMigrationBackupOption` requests.
struct MigrationBackup {
    private let request: MigrationRequest
    private let file: SQLiteFile

    init(_ request: MigrationRequest, _ file: SQLiteFile) {
        self.request = request
        self.file = file
    }

    /// Copies the store with its external files. Called while holding the write lock, before anything is written.
    ///
    /// - Throws: An error with the code 134110 if the copy cannot be made.
    func make() throws {
        guard let url = try destination() else { return }
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw request.failure(
                .migration, reason: "the backup file \(url.path) already exists",
                help: "Remove it, or choose another location with NSPersistentStoreMigrationBackupOption.")
        }
        do {
            try StoreFiles(SQLiteFile(url)).copy(file, keepsWritersAway: false)
        } catch {
            throw request.failure(
                .migration, reason: "the store cannot be copied to \(url.path)", userInfo: [NSUnderlyingErrorKey: error]
            )
        }
    }

    private func destination() throws -> URL? {
        switch request.options[NSPersistentStoreMigrationBackupOption] {
        case nil: return nil
        case let url as URL: return url
        case let url as NSURL: return url as URL
        default: break
        }
        guard request.options.isOn(NSPersistentStoreMigrationBackupOption) else { return nil }
        let url = request.url
        let name = url.deletingPathExtension().lastPathComponent
        let folder = url.deletingLastPathComponent()
        let names = ["\(name)-backup"] + (2...1000).map { "\(name)-backup-\($0)" }
        let free = names.lazy.map { folder.appendingPathComponent($0).appendingPathExtension(url.pathExtension) }
            .first { !FileManager.default.fileExists(atPath: $0.path) }
        if let free { return free }
        throw request.failure(
            .migration, reason: "there are \(names.count) backups of the store in \(folder.path) already",
            help: "Remove some, or choose another location with NSPersistentStoreMigrationBackupOption.")
    }
}
