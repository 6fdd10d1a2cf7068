internal import CompiledModel
internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

extension PostgreSQLVersionRecord {
    /// Returns metadata as stored in a row, with the version of a migrated store.
    ///
    /// - Parameters:
    ///   - column: The column of the metadata.
    ///   - version: The column of the version's part.
    static func metadata(_ result: Rows, column: Int, version: Int) -> [String: Any]? {
        guard result.count == 1, let own = ownMetadata(result, column: column) else { return nil }
        guard result.bytes(0, version) != nil else { return own }
        // An unreadable version is not the former one.
        return ownMetadata(result, column: version).map { metadata(own, version: $0) }
    }

    /// Returns metadata as stored in a row, whatever version the store was migrated to.
    static func ownMetadata(_ result: Rows, column: Int) -> [String: Any]? {
        result.bytes(0, column)
            .flatMap { (try? PropertyListValue(binary: [UInt8]($0)))?.foundationValue as? [String: Any] }
    }
}
