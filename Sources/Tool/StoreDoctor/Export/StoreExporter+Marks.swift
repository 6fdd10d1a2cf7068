internal import CoreData
internal import Diagnostics

/// How an earlier export is recognized, which may be replaced.
extension StoreExporter {
    /// The `application_id` of exported databases: `modc`.
    static let applicationID: Int32 = 0x6D6F_6463
    /// The first line of exported views.
    static let viewsMark =
        "-- Views over the tables of a Core Data store, named as in its model. They are temporary, so that the store stays as it is:"
    /// The folder of large values in an export.
    package static let valueFolder = "files"

    /// Returns whether a file is an exported database or script.
    ///
    /// - Parameter head: The first 256 bytes of the file.
    package static func isExport(head: [UInt8]) -> Bool {
        if head.starts(with: viewsMark.utf8) { return true }
        return head.starts(with: "SQLite format 3\0".utf8) && head.count >= 72
            && head[68..<72].reduce(0) { $0 << 8 | Int32($1) } == applicationID
    }

    /// Returns the names of the files of an export, other than those of large values; `nil` if it is not the schema of
    /// an export.
    ///
    /// - Parameter schema: The content of `schema.json`.
    package static func files(ofExport schema: [UInt8]) -> Set<String>? {
        guard case .array(let entities)? = (try? ParsedJSON.parse(schema))?["x-modelc"]?["entities"] else { return nil }
        return Set(["schema.json", "schema.sql", "model.mom"] + entities.compactMap { $0["file"]?.text })
    }

    /// Returns the path of a large value in an export.
    static func valueFile(_ entity: StoreLayout.Entity, key: Int64, property: Int, name: String) -> (
        folder: String, file: String
    ) {
        (
            "\(valueFolder)/\(FileNames.escaped(entity.name).prefix(150))-\(entity.number)",
            "\(key)-\(property)-\(FileNames.escaped(name).prefix(150))"
        )
    }

    /// Returns whether a name in the folder of large values is that of a value.
    package static func isValueFile(_ name: String, in folder: String) -> Bool {
        let parts = name.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 && Int64(parts[0]) != nil && Int(parts[1]) != nil
            && folder.split(separator: "-").last.flatMap { Int($0) } != nil
    }
}
