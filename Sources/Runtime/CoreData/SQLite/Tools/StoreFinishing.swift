/// The last step of creating a store with `modelc-store`.
package enum StoreFinishing {
    /// Sets a closed store to the journal mode that Core Data uses, leaving no log next to it.
    ///
    /// - Throws: An error if the file cannot be opened or written.
    package static func useLog(_ path: String) throws {
        let connection = try SQLiteConnection(path: path)
        defer { connection.close() }
        try connection.execute("PRAGMA journal_mode = WAL")
    }
}
