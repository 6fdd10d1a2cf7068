internal import Foundation

/// The SQL with which rows of a SQLite file are moved.
struct SQLiteMigrationDialect: MigrationDialect {
    /// The SQL function that converts a value to the form of attributes that allow external storage.
    static let toExternal = "NSCoreDataMigrationExternalValue"
    /// The SQL function that reverses the conversion.
    static let toInline = "NSCoreDataMigrationInlineValue"
    /// The SQL function that rounds a number to single precision.
    static let toFloat = "NSCoreDataMigrationFloatValue"

    let sql: any SQLDialect = SQLiteDialect()
    let versionColumn = "Z_OPT"
    let reservedColumnCount = StoreSchema.reservedColumns.count

    func identity(_ name: String) -> String { SQLName.key(name) }

    func isConverted(_ column: String, in table: String) -> Bool { false }

    func conversion(
        _ column: SQLFragment, old: NSAttributeDescription, new: NSAttributeDescription
    ) -> SQLFragment {
        if Self.isBytes(old), Self.isBytes(new),
            old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage
        {
            return "\(word: new.allowsExternalBinaryDataStorage ? Self.toExternal : Self.toInline)(\(column))"
        }
        guard old.attributeType != new.attributeType else { return column }
        if new.attributeType.integerRange != nil {
            return old.attributeType.integerRange != nil ? column : "CAST(\(column) AS INTEGER)"
        }
        switch new.attributeType {
        case .doubleAttributeType: return "CAST(\(column) AS REAL)"
        // As a save would write the number.
        case .floatAttributeType: return "\(word: Self.toFloat)(\(column))"
        default: return column
        }
    }

    private static func isBytes(_ attribute: NSAttributeDescription) -> Bool {
        [.binaryDataAttributeType, .transformableAttributeType].contains(attribute.attributeType)
    }

    func integer(_ column: SQLFragment, old: NSAttributeType) -> SQLFragment? { "CAST(\(column) AS INTEGER)" }

    func argument(_ value: SlotValue, of attribute: NSAttributeDescription) -> SQLArgument? {
        switch value {
        case .boolean(let value): return .integer(value ? 1 : 0)
        case .integer(let value): return .integer(value)
        case .double(let value): return .real(value)
        case .float(let value): return .real(Double(value))
        case .string(let value): return .text(value)
        case .date(let value): return .real(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): return .bytes(withUnsafeBytes(of: value.uuid) { Data($0) })
        case .data(let value):
            return .bytes(
                attribute.allowsExternalBinaryDataStorage ? Data([ExternalStorage.inlineMark]) + value : value)
        case .boxed(let box): return (box.value as? URL).map { .text($0.absoluteString) }
        case .object(let object):
            return (object as? NSDecimalNumber).map { .real(DecimalCoding.double($0.decimalValue)) }
        case .null, .reference, .managed, .many, .stored: return nil
        }
    }
}
