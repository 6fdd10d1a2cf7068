internal import CSQLite3
internal import CoreData
internal import StoreFile

/// A value of a column, interpreted by the attribute's type. Buffers are valid until the statement's next step.
enum StoredForm {
    case null
    case integer(Int64)
    case boolean(Bool)
    case real(Double)
    case float(Double)
    /// A decimal number: an integer, a real number, or `NaN`.
    case wholeDecimal(Int64)
    case realDecimal(Double)
    case notANumber
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case text(UnsafeRawBufferPointer)
    case uuid(UnsafeRawBufferPointer)
    case bytes(UnsafeRawBufferPointer)
    case archive(UnsafeRawBufferPointer)
    /// The name of a file in the folder of external values.
    case file(String, isArchive: Bool)
    /// A value of a storage class that the type does not have.
    case other(Other)

    /// A value by its storage class alone.
    enum Other {
        case integer(Int64)
        case real(Double)
        case text(UnsafeRawBufferPointer)
        case bytes(UnsafeRawBufferPointer)
    }

    /// Reads a column of a statement's current row.
    @inline(__always)
    init(_ statement: OpaquePointer, _ column: Int32, type: NSAttributeType, isExternal: Bool) {
        let storage = sqlite3_column_type(statement, column)
        switch storage {
        case SQLITE_NULL: self = .null
        case SQLITE_INTEGER: self = Self.integer(sqlite3_column_int64(statement, column), type)
        case SQLITE_FLOAT: self = Self.real(sqlite3_column_double(statement, column), type)
        case SQLITE_TEXT:
            let start = UnsafeRawPointer(sqlite3_column_text(statement, column))
            let text = UnsafeRawBufferPointer(
                start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
            self = Self.text(text, type)
        default:
            let start = sqlite3_column_blob(statement, column)
            let bytes = UnsafeRawBufferPointer(
                start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
            self = Self.bytes(bytes, type, isExternal: isExternal)
        }
    }

    private static func integer(_ number: Int64, _ type: NSAttributeType) -> StoredForm {
        switch type {
        case .integer16AttributeType: Int16(exactly: number) == nil ? .other(.integer(number)) : .integer(number)
        case .integer32AttributeType: Int32(exactly: number) == nil ? .other(.integer(number)) : .integer(number)
        case .integer64AttributeType: .integer(number)
        case .booleanAttributeType: number == 0 || number == 1 ? .boolean(number == 1) : .other(.integer(number))
        case .doubleAttributeType, .floatAttributeType: .integer(number)
        case .decimalAttributeType: .wholeDecimal(number)
        case .dateAttributeType:
            Double(exactly: number).map { .date($0) } ?? .other(.integer(number))
        default: .other(.integer(number))
        }
    }

    private static func real(_ number: Double, _ type: NSAttributeType) -> StoredForm {
        switch type {
        case .doubleAttributeType: .real(number)
        case .floatAttributeType: .float(number)
        case .decimalAttributeType: number.isFinite ? .realDecimal(number) : .other(.real(number))
        case .dateAttributeType: .date(number)
        default: .other(.real(number))
        }
    }

    private static func text(_ text: UnsafeRawBufferPointer, _ type: NSAttributeType) -> StoredForm {
        switch type {
        case .stringAttributeType, .URIAttributeType: .text(text)
        case .decimalAttributeType where text.elementsEqual("NaN".utf8): .notANumber
        default: .other(.text(text))
        }
    }

    private static func bytes(
        _ bytes: UnsafeRawBufferPointer, _ type: NSAttributeType, isExternal: Bool
    ) -> StoredForm {
        switch type {
        case .UUIDAttributeType where bytes.count == 16: return .uuid(bytes)
        case .binaryDataAttributeType, .transformableAttributeType:
            let isArchive = type == .transformableAttributeType
            var content = bytes
            if isExternal {
                if let name = ExternalReference.fileName(in: bytes) { return .file(name, isArchive: isArchive) }
                // Rows from before the attribute allowed external storage have no mark.
                if bytes.first == 1 { content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst()) }
            }
            return isArchive ? .archive(content) : .bytes(content)
        default: return .other(.bytes(bytes))
        }
    }
}

/// References from rows to files with large values.
enum ExternalReference {
    /// Returns the name of the file that a value refers to: a mark, a UUID as text, and a zero byte.
    static func fileName(in bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count == 38, bytes[0] == 2, bytes[37] == 0 else { return nil }
        let name = String(decoding: bytes[1..<37], as: UTF8.self)
        return ExternalFileList.isName(name) ? name : nil
    }
}
