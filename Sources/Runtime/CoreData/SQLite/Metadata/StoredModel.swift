internal import CompiledModel
internal import Foundation
internal import ModelSchema
internal import StoreFile

/// The copy of its model that a store keeps in `Z_MODELCACHE`.
enum StoredModel {
    /// Returns the copy in the form that stores contain, or `nil` if the model has no compiled form.
    static func content(of model: NSManagedObjectModel) -> [UInt8]? {
        (try? EncodedModel(SchemaConverter.schema(of: model)).bytes).flatMap(ModelCache.content)
    }

    /// Replaces the copy.
    ///
    /// - Parameter content: The result of `content(of:)`. A model without a compiled form is still usable; Apple's
    ///   framework also works without the copy.
    static func write(_ content: [UInt8]?, to connection: SQLiteConnection) throws {
        guard let content else { return }
        try connection.execute("DELETE FROM Z_MODELCACHE")
        let statement = try connection.statement("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        statement.bind(content, at: 1)
        try statement.run()
        statement.clear()
    }

    /// Returns the model, or `nil` if the store has none or it cannot be read.
    static func read(_ connection: SQLiteConnection) -> NSManagedObjectModel? {
        guard (try? connection.hasTable("Z_MODELCACHE")) == true,
            let statement = try? connection.statement("SELECT Z_CONTENT FROM Z_MODELCACHE")
        else { return nil }
        defer { statement.reset() }
        guard (try? statement.step()) == true,
            let archive = ModelCache.archive(in: [UInt8](statement.bytes(0))),
            let decoded = try? DecodedModel(archive, name: "Z_MODELCACHE")
        else { return nil }
        return try? NSManagedObjectModel(decoded)
    }
}
