/// Why a file cannot be read as a SQLite store of Core Data.
package struct StoreFileError: Error, Hashable, Sendable {
    /// What kind of problem it is.
    package enum Kind: Hashable, Sendable {
        /// SQLite cannot open or read the file: it is damaged, locked, or no database.
        case unreadable
        /// A SQLite database that Core Data did not make.
        case isNoStore
        /// The metadata or the cached model is damaged.
        case malformed
    }

    /// What kind of problem it is.
    package var kind: Kind
    /// What is wrong, in one sentence without a full stop.
    package var message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension StoreFileError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
