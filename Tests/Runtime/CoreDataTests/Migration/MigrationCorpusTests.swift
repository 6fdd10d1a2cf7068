import StoreFile
import Testing

@testable import CoreData

/// The stores in the folder named by `MODELC_CORPUS`, migrated to every version of their models for which migration can
/// be inferred.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil))
struct MigrationCorpusTests {
    private static let root = URL(fileURLWithPath: ProcessInfo.processInfo.environment["MODELC_CORPUS"] ?? "")

    private static func files(_ suffix: String) -> [URL] {
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter {
            $0.hasSuffix(suffix) && ($0.hasPrefix("stores/") || $0.hasPrefix("mapping/"))
        }.sorted().map { root.appendingPathComponent($0) }
    }

    @Test func storesKeepTheirRows() throws {
        let fixture = try CompiledFixture()
        let models = Self.files("/contents").compactMap { source in
            (try? String(contentsOf: source, encoding: .utf8)).flatMap { try? fixture.load($0) }
        }
        let schemas = try Self.schemasOfApple()
        var counts = (migrated: 0, refused: 0, rows: 0, compared: 0)
        for (index, file) in Self.files(".sqlite").enumerated() {
            guard let archive = try StoreFile(path: file.path).modelArchive else { continue }
            let cached = fixture.folder.appendingPathComponent("cached-\(index).mom")
            try Data(archive).write(to: cached)
            guard let source = NSManagedObjectModel(contentsOf: cached) else { continue }
            let names = Set(source.entities.compactMap(\.name))
            for model in models
            where model.entityVersionHashesByName != source.entityVersionHashesByName
                && Set(model.entities.compactMap(\.name)).intersection(names).count * 2 >= names.count
            {
                let others = schemas.filter { $0.hashes == model.entityVersionHashesByName }.map(\.lines)
                if let rows = try migrate(file, source, model, others) {
                    counts.migrated += 1
                    counts.rows += rows
                    counts.compared += others.count
                } else {
                    counts.refused += 1
                }
            }
        }
        #expect(counts.migrated > 0)
        #expect(counts.compared > 0)
        print(
            "\(counts.migrated) migrations of corpus stores with \(counts.rows) rows, compared with \(counts.compared) stores of "
                + "Apple's framework; \(counts.refused) not inferable")
    }

    /// Returns the tables, columns and entities of stores written by Apple's framework, with their version hashes.
    private static func schemasOfApple() throws -> [(hashes: [String: Data], lines: Set<String>)] {
        try files(".sqlite").map { file in
            let found = try StoreFile(path: file.path).hashes.elements.map { ($0.name, Data($0.hash.bytes)) }
            let lines = structure(of: try StoreSchemaListing(path: file.path).lines)
            return (Dictionary(uniqueKeysWithValues: found), lines)
        }
    }

    /// Returns the columns and the numbers of entities. In old stores, indexes and triggers have other names and
    /// `Z_MODELCACHE` is missing; in a store migrated by Apple's framework, `Z_PRIMARYKEY` keeps the old name of a
    /// renamed entity.
    private static func structure(of lines: Set<String>) -> Set<String> {
        Set(
            lines.compactMap { line in
                if line.hasPrefix("column ") { return line.hasPrefix("column Z_MODELCACHE.") ? nil : line }
                let words = line.split(separator: " ")
                return words.first == "entity" ? "entity \(words[1]) \(words.last ?? "")" : nil
            })
    }

    /// Migrates a copy, and compares the values that exist in both versions, and the schema with that of a new store.
    ///
    /// - Parameter others: The schemas of Apple's stores of the new version.
    /// - Returns: The number of rows, or `nil` if the migration is rejected.
    private func migrate(
        _ file: URL, _ source: NSManagedObjectModel, _ model: NSManagedObjectModel, _ others: [Set<String>]
    ) throws -> Int? {
        let store = try TestStore(model)
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: file.path + suffix) {
            try FileManager.default.copyItem(atPath: file.path + suffix, toPath: store.url.path + suffix)
        }
        store.isSound = false
        let before = try values(store, source, nil, in: model)
        do {
            let after = try values(store, model, MigrationFixture.options, in: source)
            for (entity, rows) in before { #expect(after[entity] == rows, "\(file.lastPathComponent) \(entity)") }
            #expect(try store.database().rows("PRAGMA integrity_check") == [["ok"]])
            let fresh = try TestStore(model)
            try TestStore.close(try fresh.open())
            let found = try StoreSchemaListing(path: store.url.path).lines
            let expected = try StoreSchemaListing(path: fresh.url.path).lines
            #expect(found.symmetricDifference(expected).sorted() == [], "\(file.lastPathComponent)")
            for lines in others {
                let difference = Self.structure(of: found).symmetricDifference(lines)
                #expect(difference.sorted() == [], "\(file.lastPathComponent) and Apple's")
            }
            return after.values.map(\.count).reduce(0, +)
        } catch let error as NSError where error.domain == NSCocoaErrorDomain && error.code == 134140 {
            return nil
        }
    }

    /// Returns the texts of plain attributes with the same name and type in both versions, by entity and key.
    private func values(
        _ store: TestStore, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]?,
        in other: NSManagedObjectModel
    ) throws -> [String: [String]] {
        let context = try store.open(options, model: model)
        defer { try? TestStore.close(context) }
        var result: [String: [String]] = [:]
        try context.performAndWait { () throws in
            for entity in model.entities {
                guard let name = entity.name, let twin = other.entitiesByName[name], !entity.isAbstract else {
                    continue
                }
                let attributes = entity.attributesByName.values.filter { attribute in
                    guard let same = twin.attributesByName[attribute.name] else { return false }
                    return same.attributeType == attribute.attributeType && same.isOptional == attribute.isOptional
                        && attribute.attributeType != .transformableAttributeType && !attribute.isTransient
                }.map(\.name).sorted()
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.includesSubentities = false
                result[name] = try context.fetch(request).map { object in
                    object.objectID.uriRepresentation().lastPathComponent + " "
                        + attributes.map { "\(object.value(forKey: $0) ?? "nil")" }.joined(separator: "|")
                }.sorted()
            }
        }
        return result
    }
}
