internal import CSQLite3
internal import Foundation

/// The SQL functions of an in-place migration.
enum MigrationFunctions {
    /// Registers the functions on a connection, which must not outlive the external storage.
    static func register(on connection: SQLiteConnection, _ external: ExternalStorage) throws(SQLiteError) {
        let user = Unmanaged.passUnretained(external).toOpaque()
        var codes: [Int32] = []
        codes.append(
            sqlite3_create_function_v2(
                connection.handle, SQLiteMigrationDialect.toExternal, 1, SQLITE_UTF8, user,
                { context, _, values in
                    MigrationFunctions.convert(context, values: values) { external, bytes in
                        try external.content(of: Data(bytes))
                    }
                }, nil, nil, nil))
        codes.append(
            sqlite3_create_function_v2(
                connection.handle, SQLiteMigrationDialect.toInline, 1, SQLITE_UTF8, user,
                { context, _, values in
                    MigrationFunctions.convert(context, values: values) { external, bytes in
                        let data = try external.data(in: bytes)
                        if let name = ExternalStorage.fileName(in: bytes) { external.drop(name) }
                        return data
                    }
                }, nil, nil, nil))
        codes.append(
            sqlite3_create_function_v2(
                connection.handle, SQLiteMigrationDialect.toFloat, 1, SQLITE_UTF8, nil,
                { context, _, values in
                    guard let values, sqlite3_value_type(values[0]) != SQLITE_NULL else {
                        return sqlite3_result_null(context)
                    }
                    sqlite3_result_double(context, Double(Float(sqlite3_value_double(values[0]))))
                }, nil, nil, nil))
        if let code = codes.first(where: { $0 != SQLITE_OK }) { throw connection.failure(code) }
    }

    private static func convert(
        _ context: OpaquePointer?, values: UnsafeMutablePointer<OpaquePointer?>?,
        body: (ExternalStorage, UnsafeRawBufferPointer) throws -> Data
    ) {
        guard let values, sqlite3_value_type(values[0]) != SQLITE_NULL, let user = sqlite3_user_data(context) else {
            return sqlite3_result_null(context)
        }
        let bytes = UnsafeRawBufferPointer(
            start: sqlite3_value_blob(values[0]), count: Int(sqlite3_value_bytes(values[0])))
        do {
            let result = try body(Unmanaged<ExternalStorage>.fromOpaque(user).takeUnretainedValue(), bytes)
            result.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return sqlite3_result_zeroblob(context, 0) }
                sqlite3_result_blob64(
                    context, start, UInt64(bytes.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }
        } catch {
            sqlite3_result_error(context, "\((error as NSError).localizedFailureReason ?? "\(error)")", -1)
        }
    }
}
