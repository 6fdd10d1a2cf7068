/// Why a file cannot be read as a SQLite store of Core Data.
package struct StoreFileError: Error, Hashable, Sendable {
    /// What kind of problem it is.
    package enum Kind: Hashable, Sendable {
        /// SQLite cannot open or read the file: it is damaged, or no database.
        case unreadable
        /// Another process has locked the file.
        case locked
        /// A SQLite database that Core Data did not make.
        case isNoStore
        /// The metadata or the cached model is damaged.
        case malformed
    }

    /// What kind of problem it is.
    package var kind: Kind
    /// What is wrong, in one sentence without a full stop.
    package var message: String

    /// What to do about it.
    package var help: String {
        switch kind {
        case .locked: "Quit the app that uses the store, or name a copy of it."
        default: "Specify an intact SQLite store that Core Data wrote."
        }
    }

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension StoreFileError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
