internal import CompiledModel
internal import CoreData
internal import StoreFile

/// The content of `Z_METADATA`, as far as it can be read: of several rows, the first one with version hashes.
struct StoreMetadataRow {
    /// The number of rows; `nil` if there is no such table.
    private(set) var rowCount: Int?
    private(set) var rowID: Int64 = 0
    /// `Z_UUID`; empty if there is none.
    private(set) var uuid = ""
    /// The property list; `nil` if there is none.
    private(set) var values: PropertyListValue?
    /// The reason why the property list cannot be read; `nil` if it can, or there is none.
    private(set) var damage: String?
    /// Whether there is a property list, readable or not.
    private(set) var hasList = false

    init() {}

    init(_ database: DoctorDatabase, hasTable: Bool) throws(DoctorDatabase.Failure) {
        guard hasTable else { return }
        var count = 0
        try database.forEach("SELECT rowid, Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY rowid LIMIT 16") { row in
            count += 1
            guard hashes == nil else { return }
            let isFirst = count == 1
            var other = StoreMetadataRow()
            other.rowID = row.integer(0) ?? 0
            other.uuid = row.text(1)
            if !row.isNull(2) { other.read(row.bytes(2)) }
            if isFirst || other.hashes != nil { self = other }
        }
        rowCount = count
    }

    private mutating func read(_ list: [UInt8]) {
        hasList = true
        do throws(PropertyListError) {
            values = try PropertyListValue(binary: list)
            if hashes == nil { damage = "it has no valid NSStoreModelVersionHashes" }
        } catch {
            damage = "\(error)"
        }
    }

    /// The version hashes by entity name; `nil` if there are none.
    var hashes: [String: [UInt8]]? {
        guard let entries = values?["NSStoreModelVersionHashes"]?.dictionary else { return nil }
        var result: [String: [UInt8]] = [:]
        for entry in entries {
            guard let hash = entry.value.data, hash.count == 32 else { return nil }
            result[entry.key] = hash
        }
        return result
    }

    /// The number of the framework that wrote last.
    var frameworkVersion: Int64? {
        switch values?["NSPersistenceFrameworkVersion"] {
        case .integer(let number)?: number
        case .unsigned(let number)?: Int64(exactly: number)
        case .real(let number)?: Int64(exactly: number)
        default: nil
        }
    }

    /// Returns the names of the store's entities, if the store contains only a part of a model.
    func entityNames(in model: NSManagedObjectModel) -> Set<String>? {
        guard let hashes, !hashes.isEmpty, hashes.count < model.entities.count,
            hashes.keys.allSatisfy({ model.entitiesByName[$0] != nil })
        else { return nil }
        return Set(hashes.keys)
    }
}

/// The model in `Z_MODELCACHE`.
enum CachedModel {
    /// The store has none.
    case none
    /// It cannot be read, for the given reason.
    case unreadable(String)
    case model(NSManagedObjectModel)

    /// The model, if there is one.
    var model: NSManagedObjectModel? {
        if case .model(let model) = self { model } else { nil }
    }

    static func read(_ database: DoctorDatabase, hasTable: Bool) throws(DoctorDatabase.Failure) -> CachedModel {
        guard hasTable else { return .none }
        let query = try database.query("SELECT Z_CONTENT FROM Z_MODELCACHE")
        guard try query.step(), !query.isNull(0) else { return .none }
        guard let archive = ModelCache.archive(in: query.bytes(0)) else {
            return .unreadable("it is not compressed data")
        }
        do {
            return .model(try NSManagedObjectModel(try DecodedModel(archive, name: "Z_MODELCACHE")))
        } catch {
            return .unreadable("\(error)")
        }
    }
}
