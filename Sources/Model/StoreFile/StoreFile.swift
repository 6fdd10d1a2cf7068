package import CompiledModel
package import ModelSchema

/// The self-description of a Core Data SQLite store: its metadata, and the model that it was written with
/// (Documentation/Formats/SQLiteStore.md, 2). The file is never changed.
package struct StoreFile: Sendable {
    /// The store's identifier, `Z_UUID`.
    package let uuid: String?
    /// The metadata, `Z_PLIST`.
    package let metadata: PropertyListValue
    /// The version hashes of the entities of the store's model.
    package let hashes: EntityVersionHashes
    /// The model as the keyed archive in `Z_MODELCACHE`; `nil` if the store has none.
    package let modelArchive: [UInt8]?

    /// The model's checksum as the store states it; `nil` in stores of older systems.
    package var checksum: String? { metadata["NSStoreModelVersionChecksumKey"]?.string }
    /// The digest of the entity hashes as the store states it; `nil` in stores of older systems.
    package var digest: String? { metadata["NSStoreModelVersionHashesDigest"]?.string }

    /// Reads a store.
    ///
    /// The write-ahead log is also read. The file, its log and its folder are not changed.
    ///
    /// - Parameter path: The path of the file, absolute or relative to the process's working directory.
    /// - Throws: `StoreFileError` if the file is not a store, or if it cannot be read.
    package init(path: String) throws(StoreFileError) {
        self = try ReadOnlyDatabase.readOneState(of: path) { database throws(StoreFileError) in
            try StoreFile(database)
        }
    }

    private init(_ database: ReadOnlyDatabase) throws(StoreFileError) {
        guard try database.hasTable("Z_METADATA") else {
            throw StoreFileError(.notAStore, "the database has no table Z_METADATA: Core Data did not make it")
        }
        guard let row = try database.firstRow("SELECT Z_UUID, Z_PLIST FROM Z_METADATA"), row.count == 2 else {
            throw StoreFileError(.malformed, "the store's metadata is missing: the table Z_METADATA is empty")
        }
        if case .text(let text) = row[0] { uuid = text } else { uuid = nil }
        guard case .bytes(let bytes) = row[1] else {
            throw StoreFileError(.malformed, "the store's metadata is missing: Z_PLIST is empty")
        }
        do throws(PropertyListError) {
            metadata = try PropertyListValue(binary: bytes)
        } catch {
            throw StoreFileError(.malformed, "the store's metadata cannot be read: \(error)")
        }
        hashes = try Self.hashes(in: metadata)
        modelArchive = try Self.modelArchive(in: database)
    }

    private static func hashes(in metadata: PropertyListValue) throws(StoreFileError) -> EntityVersionHashes {
        guard let entries = metadata["NSStoreModelVersionHashes"]?.dictionary else {
            throw StoreFileError(.malformed, "the store's metadata has no NSStoreModelVersionHashes")
        }
        var hashes: [String: VersionHash] = [:]
        for entry in entries {
            guard let hash = entry.value.data.flatMap({ VersionHash(bytes: $0) }) else {
                throw StoreFileError(.malformed, "the version hash of “\(entry.key)” is not a hash of 32 bytes")
            }
            hashes[entry.key] = hash
        }
        return EntityVersionHashes(hashes)
    }

    private static func modelArchive(in database: ReadOnlyDatabase) throws(StoreFileError) -> [UInt8]? {
        guard try database.hasTable("Z_MODELCACHE"),
            case .bytes(let deflated)?? = try database.firstRow("SELECT Z_CONTENT FROM Z_MODELCACHE").map(\.first)
        else { return nil }
        guard let archive = ModelCache.archive(in: deflated) else {
            throw StoreFileError(.malformed, "the model in Z_MODELCACHE is damaged")
        }
        return archive
    }
}
