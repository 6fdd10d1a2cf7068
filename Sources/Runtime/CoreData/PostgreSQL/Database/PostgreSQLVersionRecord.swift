internal import CompiledModel
internal import Foundation

/// The version of the model that a migrated store has: a second row of `_metadata`, which overrides the
/// version in the metadata of the program.
///
/// A migration writes it with statements that are known without the database, and programs that have the store open
/// notice by its stamp that the schema is no longer theirs.
enum PostgreSQLVersionRecord {
    /// The key of the version checksum, by which the stages of a migration know where to begin.
    static let checksumKey = "NSStoreModelVersionChecksumKey"

    private static func table(_ namespace: String) -> String { "\(PostgreSQLName.quoted(namespace)).\"_metadata\"" }

    /// Returns a subquery for the stamp, which is null as long as the store has not been migrated.
    static func stamp(_ namespace: String) -> String {
        "(SELECT \"uuid\" FROM \(table(namespace)) WHERE \"version\" = 2)"
    }

    /// Returns a subquery for the version's part of the metadata.
    static func properties(_ namespace: String) -> String {
        "(SELECT \"properties\" FROM \(table(namespace)) WHERE \"version\" = 2)"
    }

    /// Returns the part of metadata that tells the version.
    static func version(of metadata: [String: Any]) -> [String: Any] {
        metadata.filter { $0.key.hasPrefix("NSStoreModelVersion") }
    }

    /// Returns metadata with the version of a migrated store.
    static func metadata(_ metadata: [String: Any], version: [String: Any]?) -> [String: Any] {
        guard let version else { return metadata }
        return metadata.filter { !$0.key.hasPrefix("NSStoreModelVersion") }.merging(version) { $1 }
    }

    /// Returns metadata as stored in a row, with the version of a migrated store.
    ///
    /// - Parameters:
    ///   - column: the column of the metadata.
    ///   - version: the column of the version's part.
    static func metadata(_ result: any PostgreSQLResult, column: Int, version: Int) -> [String: Any]? {
        func list(_ column: Int) -> [String: Any]? {
            result.bytes(row: 0, column: column)
                .flatMap { (try? PropertyListValue(binary: [UInt8]($0)))?.foundationValue as? [String: Any] }
        }
        guard result.rowCount == 1, let own = list(column) else { return nil }
        guard result.bytes(row: 0, column: version) != nil else { return own }
        // An unreadable version is not the former one.
        return list(version).map { metadata(own, version: $0) }
    }

    /// Returns the statements that record a version.
    static func statements(
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
