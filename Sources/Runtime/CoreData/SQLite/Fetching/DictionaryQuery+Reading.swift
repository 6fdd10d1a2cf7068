internal import CSQLite3
internal import Foundation

extension DictionaryQuery {
    /// Returns the dictionary for a statement's current row. A missing value has no key.
    func dictionary(_ statement: SQLiteStatement, _ store: SQLiteStore) -> NSDictionary {
        let dictionary = NSMutableDictionary()
        var position: Int32 = 0
        for (column, reading) in columns {
            switch reading {
            case .value(let type):
                if let value = column.result(statement.value(position, type)) { dictionary[column.name] = value }
                position += 1
            case .exactDecimal:
                if let value = column.result(statement.exactDecimal(position)) { dictionary[column.name] = value }
                position += 1
            case .object:
                if !statement.isNull(position), let entity = store.entity(number: Int(statement.integer(position + 1)))
                {
                    dictionary[column.name] = store.id(statement.integer(position), entity)
                }
                position += 2
            }
        }
        return dictionary
    }
}

extension SQLiteStatement {
    /// Returns the value of a column in the evaluator's form.
    fileprivate func value(_ column: Int32, _ type: SQLType) -> PredicateValue {
        guard !isNull(column) else { return .null }
        switch type {
        case .boolean: return .boolean(integer(column) != 0)
        case .integer: return .integer(integer(column))
        case .number: return isWhole(column) ? .integer(integer(column)) : .real(double(column))
        case .real: return .real(double(column))
        case .decimal:
            if isWhole(column) { return .decimal(NSDecimalNumber(value: integer(column))) }
            return NSDecimalNumber(shortest: double(column)).map { .decimal($0) } ?? .null
        case .date: return .date(double(column))
        case .string: return .string(text(column))
        case .uri: return PredicateValue(any: URL(string: text(column)))
        case .uuid:
            let bytes = bytes(column)
            return bytes.count == 16 ? .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) : .null
        case .data: return .data(Data(bytes(column)))
        }
    }

    /// Returns the decimal number whose digits a column contains; an empty sum is the integer zero.
    fileprivate func exactDecimal(_ column: Int32) -> PredicateValue {
        guard !isNull(column) else { return .null }
        if isWhole(column) { return .integer(integer(column)) }
        return .decimal(NSDecimalNumber(string: text(column)))
    }

    private func isWhole(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_INTEGER }
}
