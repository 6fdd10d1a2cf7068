internal import CSQLite3

/// The SQL functions that the triggers of Apple's stores call (Documentation/Formats/SQLiteStore.md, 5): those of
/// derived attributes, and `ZT_…` triggers that an app's model declares in a way that is not documented. Without them
/// no row of such a store could be written.
///
/// They report which rows a statement has given derived values, so that the store drops these rows from its cache and
/// the context that saves shows the new values.
final class TriggerFunctions {
    /// A row whose derived attribute has a new value.
    struct Affected: Hashable {
        var table: String
        var entity: Int64
        var key: Int64
    }

    /// The rows that were changed since the last `take()`.
    private(set) var affected: Set<Affected> = []

    /// The names that triggers in Apple's stores call.
    private static let names = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        "NSCoreDataTriggerUpdateAffectedObjectValue",
    ]

    /// Registers the functions on a connection, which must not outlive this object.
    func register(on connection: SQLiteConnection) throws(SQLiteError) {
        for name in Self.names {
            // Table, entity number, key, name of the attribute, its value.
            let code = sqlite3_create_function_v2(
                connection.handle, name, 5, SQLITE_UTF8, Unmanaged.passUnretained(self).toOpaque(),
                { context, count, values in
                    guard let user = sqlite3_user_data(context), let values, count >= 3 else { return }
                    Unmanaged<TriggerFunctions>.fromOpaque(user).takeUnretainedValue()
                        .record(
                            sqlite3_value_text(values[0]), entity: sqlite3_value_int64(values[1]),
                            key: sqlite3_value_int64(values[2]))
                    sqlite3_result_null(context)
                }, nil, nil, nil)
            guard code == SQLITE_OK else { throw connection.failure(code) }
        }
    }

    private func record(_ table: UnsafePointer<UInt8>?, entity: Int64, key: Int64) {
        guard let table else { return }
        affected.insert(Affected(table: String(cString: table), entity: entity, key: key))
    }

    /// Removes and returns the changed rows.
    func take() -> Set<Affected> {
        defer { affected = [] }
        return affected
    }
}
