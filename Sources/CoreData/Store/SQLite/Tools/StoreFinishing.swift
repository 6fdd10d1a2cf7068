/// The last step of making a store with `modelc-store`.
package enum StoreFinishing {
    /// Gives a closed store the journal mode that Core Data uses, and leaves no log beside it.
    ///
    /// - Throws: An error if the file cannot be opened or written.
    package static func useLog(_ path: String) throws {
        let connection = try SQLiteConnection(path: path)
        defer { connection.close() }
        try connection.execute("PRAGMA journal_mode = WAL")
    }
}
