internal import CSQLite3

/// Interrupts the statements of a connection once their migration is canceled.
final class MigrationInterrupt {
    /// The number of SQLite virtual machine instructions between two checks of the status: a few milliseconds' worth.
    private static let instructions: Int32 = 100_000

    private let status: MigrationStatus
    private let connection: SQLiteConnection

    init(_ status: MigrationStatus, _ connection: SQLiteConnection) {
        self.status = status
        self.connection = connection
        sqlite3_progress_handler(
            connection.handle, Self.instructions,
            { context in
                guard let context else { return 0 }
                let status = Unmanaged<MigrationStatus>.fromOpaque(context).takeUnretainedValue()
                do { try status.check() } catch { return 1 }
                return 0
            }, Unmanaged.passUnretained(status).toOpaque())
    }

    /// Stops checking the status. Must be called before the connection is closed.
    func remove() { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
}
