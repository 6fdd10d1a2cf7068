internal import CSQLite3
internal import Foundation

/// The coding of an attribute's values in a column (Documentation/Formats/SQLiteStore.md, 3.3).
enum ValueCoding {
    /// A coding that only needs the column.
    case plain(PlainCoding)
    /// A real number, which preserves 15 digits.
    case decimal
    /// The absolute string of a URL.
    case uri
    /// 16 bytes.
    case uuid
    case data
    /// A byte that indicates where the data are, followed by the data or the name of a file.
    case externalData(ExternalStorage)
    /// The result of a value transformer.
    case transformable(TransformableCoding)

    /// Creates the coding of an attribute; `nil` for types that cannot be stored.
    init?(_ attribute: NSAttributeDescription, external: ExternalStorage) {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: self = .plain(.integer)
        case .booleanAttributeType: self = .plain(.boolean)
        case .doubleAttributeType: self = .plain(.double)
        case .floatAttributeType: self = .plain(.float)
        case .dateAttributeType: self = .plain(.date)
        case .decimalAttributeType: self = .decimal
        case .stringAttributeType: self = .plain(.string)
        case .URIAttributeType: self = .uri
        case .UUIDAttributeType: self = .uuid
        case .binaryDataAttributeType:
            self = attribute.allowsExternalBinaryDataStorage ? .externalData(external) : .data
        case .transformableAttributeType:
            self = .transformable(
                attribute.allowsExternalBinaryDataStorage
                    ? ExternalTransformableCoding(attribute, external) : TransformableCoding(attribute))
        case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: return nil
        }
    }

    // MARK: Reading

    /// The plain coding, if this is one.
    var plain: PlainCoding? {
        if case .plain(let coding) = self { coding } else { nil }
    }

    /// Returns the value of a column of a statement's current row. A value that does not fit the type is converted as
    /// by SQLite, or read as null if it cannot be.
    func value(_ statement: SQLiteStatement, _ column: Int32) -> SlotValue {
        if let plain { return plain.value(statement.handle, column) }
        guard sqlite3_column_type(statement.handle, column) != SQLITE_NULL else { return .null }
        return otherValue(statement, column)
    }

    private func otherValue(_ statement: SQLiteStatement, _ column: Int32) -> SlotValue {
        switch self {
        case .decimal:
            if sqlite3_column_type(statement.handle, column) == SQLITE_INTEGER {
                return .object(NSDecimalNumber(decimal: Decimal(statement.integer(column))))
            }
            return DecimalCoding.decimal(statement.double(column)).map { .object(NSDecimalNumber(decimal: $0)) }
                ?? .null
        case .uri:
            return URL(string: statement.text(column)).map { .boxed(ValueBox($0)) }
                ?? UnreadableCoding.value(statement, column)
        case .uuid:
            return Self.uuid(statement.bytes(column)).map { .uuid($0) } ?? UnreadableCoding.value(statement, column)
        case .data: return .data(Data(statement.bytes(column)))
        case .externalData(let storage):
            return storage.value(in: statement.bytes(column))
        case .transformable(let coding): return coding.value(of: statement.bytes(column))
        default: return .null
        }
    }

    private static func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID? {
        guard bytes.count == 16 else { return nil }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    // MARK: Writing

    /// Binds a value to a position of a statement.
    ///
    /// - Throws: An error of Cocoa's domain if the value cannot be archived or its file cannot be written.
    @inline(__always)
    func bind(_ value: SlotValue, to statement: SQLiteStatement, at index: Int32) throws {
        if let plain { return plain.bind(value, to: statement, at: index) }
        if value.isNull { return statement.bindNull(at: index) }
        try bindOther(value, statement: statement, index: index)
    }

    private func bindOther(_ value: SlotValue, statement: SQLiteStatement, index: Int32) throws {
        if case .stored(let stored) = value { return try bind(stored, statement: statement, index: index) }
        switch (value, self) {
        case (.uuid(let uuid), .uuid): withUnsafeBytes(of: uuid.uuid) { statement.bind($0, at: index) }
        case (.data(let data), .data): data.withUnsafeBytes { statement.bind($0, at: index) }
        case (.data(let data), .externalData(let storage)):
            try storage.content(of: data).withUnsafeBytes { statement.bind($0, at: index) }
        case (.boxed(let box), .uri):
            guard let url = box.value as? URL else { return statement.bindNull(at: index) }
            statement.bind(url.absoluteString, at: index)
        case (.object(let object), .decimal):
            guard let number = object as? NSDecimalNumber else { return statement.bindNull(at: index) }
            DecimalCoding.bind(number.decimalValue, to: statement, at: index)
        case (_, .transformable(let coding)):
            try coding.content(of: value).withUnsafeBytes { statement.bind($0, at: index) }
        default: statement.bindNull(at: index)
        }
    }

    /// Binds a value as the store keeps it, or converts it if it is from elsewhere.
    private func bind(_ stored: StoredBytes, statement: SQLiteStatement, index: Int32) throws {
        let own: (any StoredCoding)? =
            switch self {
            case .externalData(let storage): storage
            case .transformable(let coding): coding
            default: nil
            }
        guard own !== stored.coding else { return stored.bytes.withUnsafeBytes { statement.bind($0, at: index) } }
        do {
            try bind(stored.decoded ?? stored.decode(), to: statement, at: index)
        } catch let error as UnreadableValue {
            throw CoreDataError.error(
                .persistentStoreSave, text: "a value cannot be written, because it cannot be read: \(error)")
        }
    }

    /// The coding of values that rows have as bytes; `nil` if they are decoded.
    var encoding: (any StoredEncoding)? {
        switch self {
        case .externalData(let storage): storage
        case .transformable(let coding): coding
        default: nil
        }
    }
}

/// The coding of bytes that are not a value of their attribute's type.
private final class UnreadableCoding: StoredCoding {
    static let shared = UnreadableCoding()

    /// Returns the value of a column as it is stored.
    static func value(_ statement: SQLiteStatement, _ column: Int32) -> SlotValue {
        .stored(StoredBytes(Data(statement.bytes(column)), shared))
    }

    func value(of stored: StoredBytes) throws -> SlotValue {
        throw UnreadableValue(
            description: "\(stored.bytes.count) bytes that are not a value of the attribute's type are stored")
    }

    // Such values have always been read as nil silently.
    func report(_ error: any Error) {}
}

/// The codings that only need the column, as used for most values.
enum PlainCoding {
    case integer
    case boolean
    case double
    case float
    /// Seconds since 2001-01-01 00:00 UTC.
    case date
    case string

    /// Returns the value of a column of a statement's current row.
    @inline(__always)
    func value(_ handle: OpaquePointer, _ column: Int32) -> SlotValue {
        // Looking up the column takes longer than converting its value, so it is done once.
        let value = sqlite3_column_value(handle, column)
        guard sqlite3_value_type(value) != SQLITE_NULL else { return .null }
        switch self {
        case .integer: return .integer(sqlite3_value_int64(value))
        case .boolean: return .boolean(sqlite3_value_int64(value) != 0)
        case .double: return .double(sqlite3_value_double(value))
        case .float: return .float(Float(sqlite3_value_double(value)))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: sqlite3_value_double(value)))
        case .string: return .string(String(decoding: Self.text(value), as: UTF8.self))
        }
    }

    /// Returns the text of a column of a statement's current row, which may be invalid UTF-8, or `nil` for null. Valid
    /// until the next row.
    @inline(__always)
    static func text(_ handle: OpaquePointer, _ column: Int32) -> UnsafeRawBufferPointer? {
        let value = sqlite3_column_value(handle, column)
        return sqlite3_value_type(value) == SQLITE_NULL ? nil : text(value)
    }

    @inline(__always)
    private static func text(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
        // In this order: a value of another type is converted first.
        let start = sqlite3_value_text(value)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    /// Binds a value to a position of a statement, or null if it has another type.
    @inline(__always)
    func bind(_ value: SlotValue, to statement: SQLiteStatement, at index: Int32) {
        switch (value, self) {
        case (.integer(let number), .integer): statement.bind(number, at: index)
        case (.boolean(let flag), .boolean): statement.bind(Int64(flag ? 1 : 0), at: index)
        case (.double(let number), .double): statement.bind(number, at: index)
        case (.float(let number), .float): statement.bind(Double(number), at: index)
        case (.date(let date), .date): statement.bind(date.timeIntervalSinceReferenceDate, at: index)
        case (.string(let text), .string): statement.bind(text, at: index)
        default: statement.bindNull(at: index)
        }
    }
}

/// The coding of decimal numbers in a column, which SQLite stores as integers or real numbers: numbers are rounded to
/// 15 digits, as in Apple's framework.
enum DecimalCoding {
    /// Returns the decimal number with 15 digits that a real number represents, or `nil` for NaN.
    ///
    /// The last digits are ignored: Apple's framework writes 3.3333333333 as 3.3333333332999993.
    static func decimal(_ value: Double) -> Decimal? {
        guard value.isFinite else { return nil }
        if let whole = Int64(exactly: value) { return Decimal(whole) }
        return Decimal(string: String(format: "%.15g", value), locale: nil)
    }

    /// Returns the real number nearest to a decimal number. Foundation's own conversion is off in the last digits.
    static func double(_ value: Decimal) -> Double {
        Double(value.description) ?? NSDecimalNumber(decimal: value).doubleValue
    }

    static func bind(_ value: Decimal, to statement: SQLiteStatement, at index: Int32) {
        guard !value.isNaN else { return statement.bindNull(at: index) }
        statement.bind(double(value), at: index)
    }
}
