internal import CSQLite3
internal import Foundation

/// SQLite's description of a failure.
struct SQLiteError: Error {
    /// SQLite's extended result code.
    let code: Int32
    /// SQLite's message.
    let message: String
    /// The statement, if there was one.
    let sql: String?

    init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    /// The code without its extension.
    var primaryCode: Int32 { code & 0xFF }

    /// Whether another connection held a lock for longer than the timeout.
    var isTimeout: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    /// Whether a uniqueness constraint was violated.
    var isUniqueness: Bool { code == Self.uniqueCode || code == Self.primaryKeyCode }

    // Extended codes are macros that Swift does not import.
    private static let uniqueCode = SQLITE_CONSTRAINT | (8 << 8)
    private static let primaryKeyCode = SQLITE_CONSTRAINT | (6 << 8)

    /// Whether the file's content is invalid, so that retrying cannot help.
    var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Whether the failure is one of locks, the disk or memory, rather than of the file's content.
    var isEnvironmental: Bool {
        isTimeout || [SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_PERM].contains(primaryCode)
    }

    /// Returns an error in Cocoa's domain with SQLite's own as the underlying error, as Apple's framework does.
    ///
    /// - Parameters:
    ///   - code: The failed operation: 134080 for opening, 134030 for saving and so on. A file that stays locked always
    ///     results in 134090.
    ///   - url: The store's location.
    func cocoaError(_ code: CocoaError.Code, _ what: String, at url: URL?) -> NSError {
        var details: [String: Any] = [
            NSLocalizedDescriptionKey: message, NSLocalizedFailureReasonErrorKey: message,
        ]
        if let sql { details["NSSQLiteStatement"] = sql }
        let underlying = NSError(domain: NSSQLiteErrorDomain, code: Int(primaryCode), userInfo: details)
        var userInfo: [String: Any] = [NSUnderlyingErrorKey: underlying, NSSQLiteErrorDomain: Int(primaryCode)]
        if let url { userInfo[NSURLErrorKey] = url }
        if let path = url?.path { userInfo[NSFilePathErrorKey] = path }
        userInfo["reason"] = message
        var text = "\(what): \(message) (SQLite \(self.code))"
        if isTimeout {
            if let holders = (url?.path).flatMap({ LockHolders(of: $0).summary }) {
                text += "; it is locked by \(holders)"
            }
            userInfo[NSLocalizedRecoverySuggestionErrorKey] =
                "Close the store there, or set NSPersistentStoreTimeoutOption to wait longer."
        }
        return CoreDataError.error(isTimeout ? .persistentStoreTimeout : code, text: text, userInfo: userInfo)
    }

    /// Returns the error for writing to a file that was moved since it was opened, where the data would be lost. SQLite
    /// reports this only on Apple's platforms.
    ///
    /// - Parameter file: The name of the moved file, for the message.
    static func moved(_ file: String) -> SQLiteError {
        SQLiteError(
            code: SQLITE_IOERR | (27 << 8), message: "\(file) was moved, deleted or replaced while the store was open")
    }
}

extension SQLiteError: CustomStringConvertible {
    var description: String { "\(message) (SQLite \(code))" }
}
