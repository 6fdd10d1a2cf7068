internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// The coding of an attribute's values in a column.
enum PostgreSQLCoding {
    case integer(PostgreSQLColumnType)
    case boolean
    case double
    case float
    case date
    case decimal
    case string
    case uri
    case uuid
    case data
    case transformable(TransformableCoding)

    /// Creates the coding of an attribute; `nil` for types that cannot be stored.
    init?(_ attribute: NSAttributeDescription) {
        switch attribute.attributeType {
        case .integer16AttributeType: self = .integer(.smallint)
        case .integer32AttributeType: self = .integer(.integer)
        case .integer64AttributeType: self = .integer(.bigint)
        case .booleanAttributeType: self = .boolean
        case .doubleAttributeType: self = .double
        case .floatAttributeType: self = .float
        case .dateAttributeType: self = .date
        case .decimalAttributeType: self = .decimal
        case .stringAttributeType: self = .string
        case .URIAttributeType: self = .uri
        case .UUIDAttributeType: self = .uuid
        case .binaryDataAttributeType: self = .data
        case .transformableAttributeType: self = .transformable(TransformableCoding(attribute))
        case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: return nil
        }
    }

    /// The OID of the column's type in `pg_type`.
    var typeNumber: UInt32 {
        switch self {
        case .integer(.smallint): PostgreSQLValue.TypeNumber.int2
        case .integer(.integer): PostgreSQLValue.TypeNumber.int4
        case .integer: PostgreSQLValue.TypeNumber.int8
        case .boolean: PostgreSQLValue.TypeNumber.boolean
        case .double, .date: PostgreSQLValue.TypeNumber.float8
        case .float: PostgreSQLValue.TypeNumber.float4
        case .decimal: PostgreSQLValue.TypeNumber.numeric
        case .string, .uri: PostgreSQLValue.TypeNumber.text
        case .uuid: PostgreSQLValue.TypeNumber.uuid
        case .data, .transformable: PostgreSQLValue.TypeNumber.bytea
        }
    }

    // MARK: Reading

    /// Returns the value of a column, or null if the bytes do not match the type.
    func value(_ bytes: UnsafeRawBufferPointer) -> SlotValue {
        switch self {
        case .integer: return PostgreSQLBytes.integer(bytes).map { .integer($0) } ?? .null
        case .boolean: return .boolean(bytes.first != 0)
        case .double: return PostgreSQLBytes.double(bytes).map { .double($0) } ?? .null
        case .float: return PostgreSQLBytes.double(bytes).map { .float(Float($0)) } ?? .null
        case .date:
            return PostgreSQLBytes.double(bytes).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
        case .decimal:
            return PostgreSQLNumeric.text(bytes).map { .object(NSDecimalNumber(string: $0)) } ?? .null
        case .string: return .string(String(decoding: bytes, as: UTF8.self))
        case .uri: return URL(string: String(decoding: bytes, as: UTF8.self)).map { .boxed(ValueBox($0)) } ?? .null
        case .uuid:
            return bytes.count == 16 ? .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) : .null
        case .data: return .data(Data(bytes))
        case .transformable(let coding): return coding.value(of: bytes)
        }
    }

    // MARK: Writing

    /// Returns the bytes of a value, or `nil` for null and, as in SQLite, for NaN.
    ///
    /// - Throws: An error of Cocoa's domain with the code 134030 for a value that cannot be archived, and for a string
    ///   with a NUL character.
    func bytes(_ value: SlotValue, _ name: @autoclosure () -> String) throws -> [UInt8]? {
        var buffer = PostgreSQLRowBuffer()
        return try append(value, name(), to: &buffer) ? Array(buffer.bytes.dropFirst(4)) : nil
    }

    /// Appends a value to a row or an array. As in SQLite, NaN becomes null.
    ///
    /// - Returns: Whether the value is not null.
    /// - Throws: The errors of `bytes(_:_:)`.
    @inline(__always)
    func append(
        _ value: SlotValue, _ name: @autoclosure () -> String, to buffer: inout PostgreSQLRowBuffer
    ) throws -> Bool {
        switch (value, self) {
        case (.integer(let number), .integer(.smallint)): buffer.append(Int16(truncatingIfNeeded: number))
        case (.integer(let number), .integer(.integer)): buffer.append(Int32(truncatingIfNeeded: number))
        case (.integer(let number), .integer): buffer.append(number)
        case (.boolean(let flag), .boolean): buffer.append(UInt8(flag ? 1 : 0))
        case (.double(let number), .double) where !number.isNaN: buffer.append(number.bitPattern)
        case (.float(let number), .float) where !number.isNaN: buffer.append(number.bitPattern)
        case (.date(let date), .date) where !date.timeIntervalSinceReferenceDate.isNaN:
            buffer.append(date.timeIntervalSinceReferenceDate.bitPattern)
        case (.object(let object), .decimal):
            guard let number = object as? NSDecimalNumber, !number.decimalValue.isNaN,
                let bytes = PostgreSQLNumeric.bytes(number.decimalValue.description)
            else {
                buffer.appendNull()
                return false
            }
            buffer.append(bytes)
        case (.string(let text), .string): try append(text, name(), to: &buffer)
        case (.boxed(let box), .uri):
            guard let url = box.value as? URL else {
                buffer.appendNull()
                return false
            }
            try append(url.absoluteString, name(), to: &buffer)
        case (.uuid(let uuid), .uuid): withUnsafeBytes(of: uuid.uuid) { buffer.append($0) }
        case (.data(let data), .data): data.withUnsafeBytes { buffer.append($0) }
        case (.null, _):
            buffer.appendNull()
            return false
        case (.stored(let stored), .transformable(let coding)) where stored.coding === coding:
            buffer.append([UInt8](stored.bytes))
        case (_, .transformable(let coding)): buffer.append([UInt8](try coding.content(of: value)))
        default:
            buffer.appendNull()
            return false
        }
        return true
    }

    private func append(_ text: String, _ name: String, to buffer: inout PostgreSQLRowBuffer) throws {
        guard !buffer.append(text) else { return }
        throw CoreDataError.error(
            .persistentStoreSave,
            text: "the value of “\(name)” has a character of the code zero, which a PostgreSQL database cannot hold; "
                + "remove it, or use a binary attribute", userInfo: [NSValidationKeyErrorKey: name])
    }
}

/// Numbers in the server's binary format.
enum PostgreSQLBytes {
    /// Returns an integer of any size, or `nil` for a different number of bytes.
    static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        switch bytes.count {
        case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        default: nil
        }
    }

    /// Returns a floating-point number of either size, or `nil` for a different number of bytes.
    static func double(_ bytes: UnsafeRawBufferPointer) -> Double? {
        switch bytes.count {
        case 8: Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
        case 4: Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
        default: nil
        }
    }
}
