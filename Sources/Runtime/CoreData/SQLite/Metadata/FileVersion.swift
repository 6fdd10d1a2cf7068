/// What shows that a file belongs to another version of the model: its schema and its metadata, as bytes.
///
/// A migration may change only the metadata, for example if an attribute becomes required.
struct FileVersion: Equatable {
    private(set) var schema: Int64 = 0
    private var metadata: [UInt8] = []

    /// The version of a file that was not read yet.
    init() {}

    init(_ connection: SQLiteConnection) throws {
        schema = try connection.schemaVersion()
        guard try connection.hasTable("Z_METADATA") else { return }
        let statement = try connection.statement("SELECT Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
        defer { statement.reset() }
        if try statement.step() { metadata = [UInt8](statement.bytes(0)) }
    }
}
