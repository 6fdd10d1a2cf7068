internal import CoreData
internal import Foundation

/// The SQL with which rows of a PostgreSQL database are moved.
struct PostgreSQLMigrationDialect: MigrationDialect {
    let sql: any SQLDialect
    /// The columns whose type was changed before rows are moved, by table.
    var converted: [String: Set<String>] = [:]
    let versionColumn = "_version"
    let reservedColumnCount = PostgreSQLSchema.reservedColumns.count

    init(namespace: String) {
        sql = PostgreSQLDialect(namespace: namespace)
    }

    func identity(_ name: String) -> String { name }

    func isConverted(_ column: String, in table: String) -> Bool { converted[table]?.contains(column) ?? false }

    func conversion(
        _ column: SQLFragment, old: NSAttributeDescription, new: NSAttributeDescription
    ) -> SQLFragment {
        Self.conversion(column, old: old.attributeType, new: new.attributeType)
    }

    /// Returns the value of a column, converted to another type as a SQLite store converts it.
    static func conversion(_ column: SQLFragment, old: NSAttributeType, new: NSAttributeType) -> SQLFragment {
        guard old != new, let type = PostgreSQLColumnType(new) else { return column }
        let name: SQLFragment = "\(word: type.declaration)"
        switch (old, new) {
        case (.booleanAttributeType, _): return "\(column)::integer::\(name)"
        case (.doubleAttributeType, .floatAttributeType):
            // The server rejects numbers that would become zero.
            return "CASE WHEN abs(\(column)) <= 7.006492321624085e-46 THEN 0 ELSE \(column)::real END"
        // Numbers are cut off, and the server would round them.
        case (.doubleAttributeType, _), (.floatAttributeType, _):
            return new.integerRange == nil ? "\(column)::\(name)" : "trunc(\(column)::double precision)::\(name)"
        // In two steps, as a file has all numbers in double precision.
        case (_, .floatAttributeType): return "\(column)::double precision::real"
        default: return "\(column)::\(name)"
        }
    }

    func integer(_ column: SQLFragment, old: NSAttributeType) -> SQLFragment? {
        guard old != .booleanAttributeType else { return nil }
        return old.integerRange == nil ? "trunc(\(column)::double precision)" : column
    }

    func argument(_ value: SlotValue, of attribute: NSAttributeDescription) -> SQLArgument? {
        switch value {
        case .boolean(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        // As in a save, NaN is null.
        case .double(let value): return value.isNaN ? nil : .real(value)
        case .float(let value): return value.isNaN ? nil : .real(Double(value))
        case .string(let value): return .text(value)
        case .date(let value): return .real(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): return .uuid(value)
        case .data(let value): return .bytes(value)
        case .boxed(let box): return (box.value as? URL).map { .text($0.absoluteString) }
        case .object(let object):
            guard let number = object as? NSDecimalNumber, number != .notANumber else { return nil }
            return .decimal(number.decimalValue.description)
        case .null, .reference, .managed, .many, .stored: return nil
        }
    }
}
