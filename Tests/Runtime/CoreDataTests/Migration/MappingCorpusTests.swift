import CompiledMapping
import CoreData
import MappingModel
import ModelSchema
import ModelSource
import StoreFile
import Testing

/// The mapping models and stores of real apps in the folder named by `MODELC_CORPUS`: every store migrates with every
/// mapping model that matches it, and the values follow from the mapping model.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil))
struct MappingCorpusTests {
    private static let root = URL(fileURLWithPath: ProcessInfo.processInfo.environment["MODELC_CORPUS"] ?? "")
        .appendingPathComponent("mapping")

    private static func files(_ suffixes: [String]) -> [URL] {
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { path in suffixes.contains { path.hasSuffix($0) } }.sorted().map {
            root.appendingPathComponent($0)
        }
    }

    /// Returns the first folder of a path, which is a repository.
    private static func repository(_ url: URL) -> String {
        String(url.path.dropFirst(root.path.count + 1).prefix { $0 != "/" })
    }

    private static func sources() throws -> [(repository: String, model: Model)] {
        try files(["/contents"]).map { url in
            let name = url.deletingLastPathComponent().deletingPathExtension().lastPathComponent
            return (
                repository(url),
                try ModelDocument(bytes: [UInt8](try Data(contentsOf: url)), path: name, name: name).model
            )
        }
    }

    /// Returns the compiled form of each mapping model, with the models that it matches.
    private static func mappings(
        _ models: [(repository: String, model: Model)]
    ) throws -> [(name: String, file: Data, source: Model, destination: Model)] {
        var result: [(name: String, file: Data, source: Model, destination: Model)] = []
        for url in files(["/xcmapping.xml"]) {
            let own = models.filter { $0.repository == repository(url) }.map(\.model)
            let name = url.deletingLastPathComponent().deletingPathExtension().lastPathComponent
            let document = try MappingDocument(bytes: [UInt8](try Data(contentsOf: url)), path: name, name: name)
            func model(_ path: String?) -> Model? {
                let name = path.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent }
                return own.first { $0.name == name }
            }
            guard let source = model(document.source.sourceModel.path),
                let destination = model(document.source.destinationModel.path)
            else { continue }
            let compiled = MappingCompiler.compile(document.source, source: source, destination: destination).mapping
            result.append((name, Data(compiled.encoded().bytes), source, destination))
        }
        return result
    }

    @Test func storesOfAppsMigrateWithTheirMappingModels() throws {
        let fixture = try CompiledFixture()
        ValueTransformer.setValueTransformer(PassingTransformer(), forName: "ColorsTransformer")
        let models = try Self.sources()
        let mappings = try Self.mappings(models)
        var migrated: [String] = []
        for (number, store) in Self.files([".sqlite", ".moody"]).enumerated() {
            let hashes = try StoreFile(path: store.path).hashes
            for mapping in mappings where mapping.source.versionHashes().entities == hashes {
                let check = MappedStore(
                    store: store, folder: fixture.folder.appendingPathComponent("\(number)-\(migrated.count)"),
                    fixture: fixture)
                guard try check.run(mapping.file, mapping.source, mapping.destination) else { continue }
                migrated.append("\(store.lastPathComponent) with \(mapping.name)")
            }
        }
        print("migrated \(migrated.joined(separator: ", "))")
        #expect(migrated.count >= 5)
    }
}

/// A stand-in for an app's transformer: the stored bytes are the value.
private final class PassingTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { value }

    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
}

/// One store and one mapping model.
private struct MappedStore {
    let store: URL
    let folder: URL
    let fixture: CompiledFixture

    private func load(_ model: Model) throws -> NSManagedObjectModel {
        let xml = String(decoding: ModelWriter.contents(of: model), as: UTF8.self)
        return try fixture.load(xml)
    }

    /// - Returns: Whether the store could be migrated without the app's policy.
    func run(_ file: Data, _ source: Model, _ destination: Model) throws -> Bool {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let old = folder.appendingPathComponent("Old.sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store.path + suffix) {
            try FileManager.default.copyItem(atPath: store.path + suffix, toPath: old.path + suffix)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: old.path + suffix)
        }
        let cdm = folder.appendingPathComponent("Map.cdm")
        try file.write(to: cdm)
        let mapping = try #require(NSMappingModel(contentsOf: cdm))
        // The apps' policies are not available: their additional changes are missing, so some objects are invalid.
        let hasPolicy = mapping.entityMappings.contains { $0.entityMigrationPolicyClassName != nil }
        for entity in mapping.entityMappings where entity.entityMigrationPolicyClassName != nil {
            entity.entityMigrationPolicyClassName = nil
            entity.mappingType = .transformEntityMappingType
        }
        let (first, second) = (try load(source), try load(destination))
        let new = folder.appendingPathComponent("New.sqlite")
        let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
        do {
            try manager.migrateStore(
                from: old, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: new,
                destinationType: NSSQLiteStoreType)
        } catch let error as NSError where hasPolicy {
            #expect(error.code == NSMigrationError)
            return false
        }
        let before = try MappingFixture.open(old, first)
        let after = try MappingFixture.open(new, second)
        let copies = CopiedValues(mapping)
        for entity in mapping.entityMappings {
            guard let sourceName = entity.sourceEntityName, let name = entity.destinationEntityName else { continue }
            let was = try values(before, sourceName) { copies.text(of: $0, copies.sourceKeys) }
            let `is` = try values(after, name) { copies.text(of: $0, copies.destinationKeys) }
            #expect(was == `is`, "\(store.lastPathComponent): \(sourceName) → \(name)")
            for property in entity.relationshipMappings ?? [] {
                guard let to = property.name, let from = copies.relationship(property) else { continue }
                let keepsOrder =
                    first.entitiesByName[sourceName]?.relationshipsByName[from]?.isOrdered == true
                    && second.entitiesByName[name]?.relationshipsByName[to]?.isOrdered == true
                let had = try values(before, sourceName) { copies.text(of: $0, from, keepsOrder, copies.sourceKeys) }
                let has = try values(after, name) { copies.text(of: $0, to, keepsOrder, copies.destinationKeys) }
                #expect(had == has, "\(store.lastPathComponent): \(sourceName).\(from) → \(name).\(to)")
            }
        }
        try MappingFixture.close(before)
        try MappingFixture.close(after)
        return true
    }

    /// Returns the texts of all objects of an entity, excluding subentities.
    private func values(
        _ context: NSManagedObjectContext, _ entity: String, _ text: (NSManagedObject) -> String
    ) throws -> [String] {
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.includesSubentities = false
            return try context.fetch(request).map(text).sorted()
        }
    }
}

/// The values that a mapping model copies unchanged, which identify the objects in both stores.
private struct CopiedValues {
    /// The copied attributes by source entity, in the order of `destinationKeys`.
    private(set) var sourceKeys: [String: [String]] = [:]
    private(set) var destinationKeys: [String: [String]] = [:]

    init(_ mapping: NSMappingModel) {
        for entity in mapping.entityMappings {
            guard let source = entity.sourceEntityName, let destination = entity.destinationEntityName else { continue }
            let copied = (entity.attributeMappings ?? []).compactMap { property -> (String, String)? in
                guard let name = property.name, let text = property.valueExpression?.description,
                    text.hasPrefix("$source."), !text.dropFirst("$source.".count).contains(".")
                else { return nil }
                return (name, String(text.dropFirst("$source.".count)))
            }
            sourceKeys[source] = copied.map(\.1)
            destinationKeys[destination] = copied.map(\.0)
        }
    }

    /// Returns the source relationship from which a relationship is copied, or `nil` if its expression has another
    /// form.
    func relationship(_ property: NSPropertyMapping) -> String? {
        guard let text = property.valueExpression?.description, text.hasPrefix("FUNCTION($manager"),
            let last = text.components(separatedBy: "$source.").last, last.hasSuffix(")"),
            !last.dropLast().contains(where: { !$0.isLetter && !$0.isNumber && $0 != "_" })
        else { return nil }
        return String(last.dropLast())
    }

    /// Returns the copied values of an object.
    func text(of object: NSManagedObject, _ keys: [String: [String]]) -> String {
        (keys[object.entity.name ?? ""] ?? []).map { "\(object.value(forKey: $0) ?? "nil")" }.joined(separator: "|")
    }

    /// Returns the copied values of an object and of the objects in a relationship, in their order if `keepsOrder`.
    func text(
        of object: NSManagedObject, _ relationship: String, _ keepsOrder: Bool, _ keys: [String: [String]]
    ) -> String {
        let value = object.value(forKey: relationship)
        let members =
            (value as? NSManagedObject).map { [$0] } ?? (value as? Set<NSManagedObject>).map { Array($0) }
            ?? (value as? NSOrderedSet)?.array.compactMap { $0 as? NSManagedObject } ?? []
        let texts = members.filter { keys[$0.entity.name ?? ""] != nil }.map { text(of: $0, keys) }
        return "\(text(of: object, keys)): \(keepsOrder ? texts : texts.sorted())"
    }
}
