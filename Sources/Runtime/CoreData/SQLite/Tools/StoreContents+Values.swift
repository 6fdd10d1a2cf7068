extension StoreContents {
    /// The error for a store that cannot be read.
    package struct Failure: Error {
        /// The problem, in one sentence.
        package var message: String
        /// The path of the store.
        package var path: String
        /// Whether a file of `_EXTERNAL_DATA` is missing.
        package var isMissingFile = false
    }

    /// A value of an attribute. Strings are UTF-8 bytes: SQLite distinguishes strings that Swift considers equal.
    package enum Value: Hashable, Sendable {
        case null
        case integer(Int64)
        case real(Double)
        case text([UInt8])
        case bytes([UInt8])
    }

    /// The destination row of a relationship.
    package struct Reference: Hashable, Sendable {
        /// The name of the row's entity.
        package var entity: String
        /// The primary key.
        package var key: Int64

        /// Creates a reference.
        package init(entity: String, key: Int64) {
            self.entity = entity
            self.key = key
        }
    }

    /// A row of an entity.
    package struct StoredRow: Sendable {
        /// The primary key.
        package var key: Int64
        /// The values of the requested attributes, in that order.
        package var values: [Value]
        /// The destinations of the requested to-one relationships, in that order; `nil` if there is none.
        package var references: [Reference?]
    }
}
