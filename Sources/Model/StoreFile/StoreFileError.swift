/// The reason why a file cannot be read as a Core Data SQLite store.
package struct StoreFileError: Error, Hashable, Sendable {
    /// The kind of problem.
    package enum Kind: Hashable, Sendable {
        /// SQLite cannot open or read the file: it is damaged, or not a database.
        case unreadable
        /// Another process has locked the file.
        case locked
        /// A SQLite database that Core Data did not create.
        case notAStore
        /// The metadata or the cached model is damaged.
        case malformed
    }

    /// The kind of problem.
    package var kind: Kind
    /// The problem, in one sentence without a period.
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
    package var description: String { message }
}
