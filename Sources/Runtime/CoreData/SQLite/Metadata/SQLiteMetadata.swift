internal import CompiledModel
internal import Foundation
internal import ModelSchema

/// The metadata of a SQLite store in `Z_METADATA`: the store's UUID in a column, all else in a property list
/// (Documentation/Formats/SQLiteStore.md, 2.2).
struct SQLiteMetadata {
    var uuid: String
    /// The contents of the property list.
    var values: [String: Any]

    /// The version written by the newest examined framework of Apple.
    private static let frameworkVersion = 1344
    private static let frameworkVersionKey = "NSPersistenceFrameworkVersion"
    private static let hashesVersionKey = "NSStoreModelVersionHashesVersion"
    private static let digestKey = "NSStoreModelVersionHashesDigest"
    private static let autoVacuumKey = "_NSAutoVacuumLevel"

    /// Creates the metadata of a new store.
    init(uuid: String) {
        self.uuid = uuid
        values = [
            NSStoreTypeKey: NSSQLiteStoreType, Self.frameworkVersionKey: NSNumber(value: Self.frameworkVersion),
            Self.hashesVersionKey: NSNumber(value: 3), Self.autoVacuumKey: "2",
        ]
    }

    /// Adopts the metadata that a program set.
    ///
    /// - Throws: An error with the code 134070 for a value that cannot be in a property list.
    init(_ metadata: [String: Any], uuid: String) throws {
        self.init(uuid: metadata[NSStoreUUIDKey] as? String ?? uuid)
        for (key, value) in metadata where key != NSStoreUUIDKey { values[key] = value }
        values[NSStoreTypeKey] = NSSQLiteStoreType
        recordHashes()
        guard PropertyListValue(foundation: values) != nil else {
            throw CoreDataError.error(
                .persistentStoreOperation,
                text: "a store's metadata must be strings, numbers, dates, bytes, arrays or dictionaries of these",
                userInfo: ["metadata": metadata])
        }
    }

    /// Updates the digest and the checksum, which follow from the hashes.
    private mutating func recordHashes() {
        guard let hashes = StoreMetadata.entityHashes(in: values) else { return }
        let parsed = EntityVersionHashes(hashes.compactMapValues { VersionHash(bytes: [UInt8]($0)) })
        values[Self.digestKey] = parsed.storeDigest
        values[StoreMetadata.checksumKey] = parsed.checksum
    }

    /// The store's metadata, with its UUID.
    var all: [String: Any] {
        var all = values
        all[NSStoreUUIDKey] = uuid
        all[NSStoreTypeKey] = NSSQLiteStoreType
        return all
    }

    // MARK: The table

    /// Reads the metadata of a file.
    ///
    /// - Returns: `nil` if the file was not created by Core Data.
    /// - Throws: `SQLiteError` if the file cannot be read; a Core Data error with the code 134080 if the metadata are
    ///   invalid.
    init?(_ connection: SQLiteConnection) throws {
        guard try connection.hasTable("Z_METADATA") else { return nil }
        let statement = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
        defer { statement.reset() }
        guard try statement.step() else { throw Self.damaged("the table Z_METADATA has no row", connection) }
        uuid = statement.text(0)
        let bytes = [UInt8](statement.bytes(1))
        let list: PropertyListValue
        do throws(PropertyListError) {
            list = try PropertyListValue(binary: bytes)
        } catch {
            throw Self.damaged("\(error)", connection)
        }
        guard !uuid.isEmpty, let values = list.foundationValue as? [String: Any] else {
            throw Self.damaged("Z_UUID or Z_PLIST has an invalid type", connection)
        }
        self.values = values
    }

    private static func damaged(_ what: String, _ connection: SQLiteConnection) -> NSError {
        CoreDataError.error(
            .persistentStoreOpen, text: "the metadata of the store at \(connection.path) cannot be read: \(what)",
            userInfo: [NSURLErrorKey: URL(fileURLWithPath: connection.path)])
    }

    /// Writes the metadata into the table.
    func write(to connection: SQLiteConnection) throws {
        let list = PropertyListValue(foundation: values) ?? .dictionary([])
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
        statement.bind(uuid, at: 1)
        statement.bind(list.binaryBytes(), at: 2)
        try statement.run()
    }
}
