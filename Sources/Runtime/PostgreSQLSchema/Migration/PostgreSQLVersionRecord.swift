internal import CompiledModel
package import CoreData
internal import Foundation

/// The version of the model that a migrated store has: a second row of `_metadata`, which overrides the
/// version in the metadata of the program.
///
/// A migration writes it with statements that are known without the database, and programs that have the store open
/// notice by its stamp that the schema is no longer theirs.
package enum PostgreSQLVersionRecord {
    private static func table(_ namespace: String) -> String { "\(PostgreSQLName.quoted(namespace)).\"_metadata\"" }

    /// Returns a subquery for the stamp, which is null as long as the store has not been migrated.
    package static func stamp(_ namespace: String) -> String {
        "(SELECT \"uuid\" FROM \(table(namespace)) WHERE \"version\" = 2)"
    }

    /// Returns a subquery for the version's part of the metadata.
    package static func properties(_ namespace: String) -> String {
        "(SELECT \"properties\" FROM \(table(namespace)) WHERE \"version\" = 2)"
    }

    // MARK: The upcoming version

    /// Returns a subquery for the stamp of the version to which the store is being migrated online, and which programs
    /// have already: that of a third row, which becomes the second one at the end. Null if there is none.
    package static func upcomingStamp(_ namespace: String) -> String {
        "(SELECT \"uuid\" FROM \(table(namespace)) WHERE \"version\" = 3)"
    }

    /// Returns a subquery for the upcoming version's part of the metadata.
    package static func upcomingProperties(_ namespace: String) -> String {
        "(SELECT \"properties\" FROM \(table(namespace)) WHERE \"version\" = 3)"
    }

    /// Returns a subquery for a column of the record with a known stamp, which is upcoming or already the store's.
    package static func own(_ column: String, stamp: String, _ namespace: String) -> String {
        "(SELECT \"\(column)\" FROM \(table(namespace)) WHERE \"version\" IN (2, 3) "
            + "AND \"uuid\" = \(PostgreSQLName.literal(stamp)) LIMIT 1)"
    }

    /// Returns the statement that lets programs of the upcoming version open the store. The model tells what the
    /// migration has added, for those who delete the store meanwhile.
    static func announcement(namespace: String, stamp: String, properties: [UInt8], model: [UInt8]?) -> String {
        "INSERT INTO \(table(namespace)) (\"version\", \"uuid\", \"properties\", \"model\") "
            + "VALUES (3, \(PostgreSQLName.literal(stamp)), \(PostgreSQLLiterals.bytes(properties)), "
            + "\(model.map { PostgreSQLLiterals.bytes($0) } ?? "NULL"))"
    }

    /// Returns the statement that ends an online migration.
    package static func announcementEnd(namespace: String) -> String {
        "DELETE FROM \(table(namespace)) WHERE \"version\" = 3"
    }

    /// Returns the part of metadata that identifies the version.
    package static func version(of metadata: [String: Any]) -> [String: Any] {
        metadata.filter { $0.key.hasPrefix("NSStoreModelVersion") }
    }

    /// Returns metadata with the version of a migrated store.
    package static func metadata(_ metadata: [String: Any], version: [String: Any]?) -> [String: Any] {
        guard let version else { return metadata }
        return metadata.filter { !$0.key.hasPrefix("NSStoreModelVersion") }.merging(version) { $1 }
    }

    /// Returns what a migrated store records about a model.
    package static func version(
        of model: NSManagedObjectModel, _ configuration: String?
    ) -> (stamp: String, properties: [UInt8], model: [UInt8]?) {
        var metadata = version(of: StoreMetadata.metadata([:], noting: model, configuration))
        metadata[StoreMetadata.checksumKey] = model.versionChecksum
        let list = PropertyListValue(foundation: metadata) ?? .dictionary([])
        return (
            model.versionChecksum, list.binaryBytes(), try? EncodedModel(SchemaConverter.schema(of: model)).bytes
        )
    }

    /// Returns the statements that record a version.
    package static func statements(
        namespace: String, stamp: String, properties: [UInt8], model: [UInt8]?
    ) -> [String] {
        return [
            "DELETE FROM \(table(namespace)) WHERE \"version\" = 2",
            "INSERT INTO \(table(namespace)) (\"version\", \"uuid\", \"properties\") "
                + "VALUES (2, \(PostgreSQLName.literal(stamp)), \(PostgreSQLLiterals.bytes(properties)))",
            "UPDATE \(table(namespace)) SET \"model\" = \(model.map { PostgreSQLLiterals.bytes($0) } ?? "NULL") WHERE \"version\" = 1",
        ]
    }
}
