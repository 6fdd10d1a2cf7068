/// A table in a store's file, as defined with `CREATE TABLE`.
struct TableDefinition: Sendable, Equatable {
    struct Column: Sendable, Equatable {
        var name: String
        var type: ColumnType
    }

    var name: String
    var columns: [Column]
    /// The columns of a composite key; empty if the first column is the key.
    var key: [String] = []

    /// The statement that creates the table, in Apple's spelling.
    var statement: String {
        var parts = columns.enumerated().map { index, column in
            let isKey = index == 0 && key.isEmpty
            return "\(SQLName.quoted(column.name)) \(column.type.rawValue)" + (isKey ? " PRIMARY KEY" : "")
        }
        if !key.isEmpty { parts.append("PRIMARY KEY (\(key.map(SQLName.quoted).joined(separator: ", ")))") }
        return "CREATE TABLE \(SQLName.quoted(name)) ( \(parts.joined(separator: ", ")) )"
    }
}

/// The column types that Apple's framework declares. For SQLite they are affinities; values are stored as they are
/// bound.
enum ColumnType: String, Sendable {
    case integer = "INTEGER"
    case timestamp = "TIMESTAMP"
    case float = "FLOAT"
    case decimal = "DECIMAL"
    case varchar = "VARCHAR"
    case blob = "BLOB"

    /// Creates the type of an attribute's column; `nil` for types that stores do not support.
    init?(_ type: NSAttributeType) {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
            self = .integer
        case .dateAttributeType: self = .timestamp
        case .doubleAttributeType, .floatAttributeType: self = .float
        case .decimalAttributeType: self = .decimal
        case .stringAttributeType, .URIAttributeType: self = .varchar
        case .UUIDAttributeType, .binaryDataAttributeType, .transformableAttributeType: self = .blob
        case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: return nil
        }
    }
}

/// An index in a store's file.
struct IndexDefinition: Sendable, Equatable {
    var name: String
    var table: String
    var isUnique = false
    /// The columns with their suffixes, as in `ZNAME COLLATE BINARY ASC`.
    var columns: [Column]

    /// A column of an index.
    struct Column: Sendable, Equatable {
        var name: String
        /// Whether the column is ascending; `nil` if the index does not specify collation and order, as for foreign
        /// keys.
        var isAscending: Bool?
    }

    /// The statement that creates the index, in Apple's spelling.
    var statement: String {
        let list = columns.map { column in
            let suffix = column.isAscending.map { " COLLATE BINARY " + ($0 ? "ASC" : "DESC") } ?? ""
            return SQLName.quoted(column.name) + suffix
        }
        return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLName.quoted(name)) ON \(SQLName.quoted(table)) "
            + "(\(list.joined(separator: ", ")))"
    }
}
