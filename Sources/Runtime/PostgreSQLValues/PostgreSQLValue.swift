package import Foundation

/// A value of a statement's parameter. Values are sent in binary form and never become part of a statement's text.
package enum PostgreSQLValue: Sendable, Hashable {
    /// NULL of a type. Without a type, the server infers it.
    case null(PostgreSQLType?)
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case numeric(Decimal)
    case text(String)
    case uuid(UUID)
    case bytes(Data)
    /// A point in time, rounded to microseconds.
    case timestamp(Date)
    case bools([Bool?])
    case ints([Int64?])
    case doubles([Double?])
    case numerics([Decimal?])
    case texts([String?])
    case uuids([UUID?])
    case byteArrays([Data?])
    case timestamps([Date?])
    /// The binary form of a value of any type, by the type's object identifier.
    case encoded(Data, type: UInt32)

    /// The object identifier of the type to declare to the server, or zero if the server infers the type.
    package var typeIdentifier: UInt32 {
        if case .encoded(_, let type) = self { type } else { type?.rawValue ?? 0 }
    }

    private var type: PostgreSQLType? {
        switch self {
        case .null(let type): type
        case .encoded: nil
        case .bool: .bool
        case .int: .int8
        case .double: .float8
        case .numeric: .numeric
        case .text: .text
        case .uuid: .uuid
        case .bytes: .bytea
        case .timestamp: .timestamptz
        case .bools: .boolArray
        case .ints: .int8Array
        case .doubles: .float8Array
        case .numerics: .numericArray
        case .texts: .textArray
        case .uuids: .uuidArray
        case .byteArrays: .byteaArray
        case .timestamps: .timestamptzArray
        }
    }

    /// Whether the value is NULL.
    package var isNull: Bool { if case .null = self { true } else { false } }

    /// Appends the binary form without its length. Appends nothing for NULL.
    ///
    /// - Throws: an error of kind `invalidValue`, for example for a string that contains a NUL character.
    package func encode(into writer: inout BinaryWriter) throws(PostgreSQLError) {
        switch self {
        case .null: break
        case .encoded(let value, _): writer.write(value)
        case .bool(let value): writer.write(value)
        case .int(let value): writer.write(value)
        case .double(let value): writer.write(value)
        case .numeric(let value): writer.write(value)
        case .text(let value): try writer.write(value)
        case .uuid(let value): writer.write(value)
        case .bytes(let value): writer.write(value)
        case .timestamp(let value): try writer.write(value)
        case .bools(let values):
            try writer.writeArray(values, of: .bool) { (writer, value) throws(PostgreSQLError) in writer.write(value) }
        case .ints(let values):
            try writer.writeArray(values, of: .int8) { (writer, value) throws(PostgreSQLError) in writer.write(value) }
        case .doubles(let values):
            try writer.writeArray(values, of: .float8) { (writer, value) throws(PostgreSQLError) in writer.write(value)
            }
        case .numerics(let values):
            try writer.writeArray(values, of: .numeric) { (writer, value) throws(PostgreSQLError) in writer.write(value)
            }
        case .texts(let values):
            try writer.writeArray(values, of: .text) { (writer, value) throws(PostgreSQLError) in
                try writer.write(value)
            }
        case .uuids(let values):
            try writer.writeArray(values, of: .uuid) { (writer, value) throws(PostgreSQLError) in writer.write(value) }
        case .byteArrays(let values):
            try writer.writeArray(values, of: .bytea) { (writer, value) throws(PostgreSQLError) in writer.write(value) }
        case .timestamps(let values):
            try writer.writeArray(values, of: .timestamptz) { (writer, value) throws(PostgreSQLError) in
                try writer.write(value)
            }
        }
    }
}
