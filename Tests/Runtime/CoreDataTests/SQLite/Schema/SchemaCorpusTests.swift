import StoreFile
import Testing

@testable import CoreData

/// The stores of Apple's framework in the folder named by `MODELC_CORPUS` have the schema that this runtime would
/// create.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil))
struct SchemaCorpusTests {
    private static let root = URL(fileURLWithPath: ProcessInfo.processInfo.environment["MODELC_CORPUS"] ?? "")

    /// Returns `false` for migrated stores, which contain more than their own model and are not checked here yet.
    static func isPlain(_ path: String) -> Bool { !path.hasPrefix("mapping/") }

    static func files(_ suffix: String) -> [URL] {
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(suffix) && (suffix != ".sqlite" || isPlain($0)) }.sorted().map {
            root.appendingPathComponent($0)
        }
    }

    /// Returns the model that a store was written with: its own copy, or else one in the corpus with the same hashes.
    private static func model(of store: StoreFile, _ fixture: CompiledFixture) throws -> NSManagedObjectModel? {
        if let archive = store.modelArchive {
            let url = fixture.folder.appendingPathComponent(UUID().uuidString + ".mom")
            try Data(archive).write(to: url)
            return NSManagedObjectModel(contentsOf: url)
        }
        let hashes = Dictionary(
            uniqueKeysWithValues: store.hashes.elements.map { ($0.name, Data($0.hash.bytes)) })
        for source in files("/contents") {
            guard let xml = try? String(contentsOf: source, encoding: .utf8),
                let model = try? fixture.load(xml), model.entityVersionHashesByName == hashes
            else { continue }
            return model
        }
        return nil
    }

    @Test func schemasMatchApples() throws {
        let stores = Self.files(".sqlite")
        #expect(!stores.isEmpty)
        let fixture = try CompiledFixture()
        var matches = 0
        for (index, file) in stores.enumerated() {
            let name = file.lastPathComponent
            let copy = fixture.folder.appendingPathComponent("\(index).sqlite")
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: file.path + suffix) {
                try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
            }
            let store = try StoreFile(path: copy.path)
            let model = try #require(try Self.model(of: store, fixture), "\(name)")
            let database = try TestDatabase(path: copy.path)
            let expected = Set(
                try database.rows("SELECT sql FROM sqlite_master WHERE sql NOT NULL").compactMap { $0[0] })
            let schema = try SchemaBuilder.schema(of: model.entities)
            let made = try TestDatabase()
            for statement in schema.statements { try made.run(statement) }
            if expected.contains(where: { $0.contains("TABLE ACHANGE") }) {
                for statement in HistoryTables.statements { try made.run(statement) }
            }
            // Stores from before 2016 have no copy of the model.
            if store.modelArchive == nil { try made.run("DROP TABLE Z_MODELCACHE") }
            let actual = Set(
                try made.rows("SELECT sql FROM sqlite_master WHERE sql NOT NULL").compactMap { $0[0] })
            #expect(actual.subtracting(expected).isEmpty, "\(name)")
            #expect(expected.subtracting(actual).isEmpty, "\(name)")
            // In-place migration keeps the old names of entities. Entities of the history have numbers starting at
            // 16001.
            let numbers = "SELECT Z_ENT, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16001 ORDER BY Z_ENT"
            #expect(try made.rows(numbers) == database.rows(numbers), "\(name)")
            if actual == expected { matches += 1 }

            // The layout of the file yields the same names.
            let probed = try SchemaBuilder.schema(of: model.entities, in: FileLayout(database))
            #expect(probed.entities == schema.entities, "\(name)")
        }
        print("\(matches) of \(stores.count) stores have the schema that we would make")
    }
}

/// The models in the folder named by `MODELC_CORPUS`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil))
struct ModelCorpusTests {
    /// Each model has a schema that SQLite accepts, and each predicate of its fetch requests is translated to SQL or
    /// left to the evaluator.
    @Test func schemasAndPredicatesOfModelsAreTranslated() throws {
        let fixture = try CompiledFixture()
        var counts = (models: 0, whole: 0, partly: 0, memory: 0, refused: 0, unfit: 0)
        for source in SchemaCorpusTests.files("/contents") {
            guard let xml = try? String(contentsOf: source, encoding: .utf8), let model = try? fixture.load(xml) else {
                continue
            }
            let schema: StoreSchema
            do {
                schema = try SchemaBuilder.schema(of: model.entities)
            } catch is SchemaBuilder.Failure {
                counts.unfit += 1
                continue
            }
            counts.models += 1
            let database = try TestDatabase()
            #expect(SQLFunctions.register(on: database.handle) == 0)
            for statement in schema.statements {
                #expect(throws: Never.self, "\(source.path)") { try database.run(statement) }
            }
            // The created tables are found again.
            let probed = try SchemaBuilder.schema(of: model.entities, in: FileLayout(database))
            #expect(probed.entities == schema.entities, "\(source.path)")
            let layouts = model.entities.map { $0.objectLayout() }
            let translator = FetchTranslator(model: FetchModel(schema, layouts) { _ in nil })
            var requests = model.fetchRequestTemplatesByName.values.map { $0.settings }
            for entity in model.entities {
                for case let property as NSFetchedPropertyDescription in entity.properties {
                    if let request = property.fetchRequest { requests.append(request.settings) }
                }
            }
            for request in requests {
                guard let name = request.entity?.name ?? request.entityName,
                    let entity = translator.model.entity(named: name)
                else { continue }
                do {
                    let query = try translator.query(request, entity)
                    _ = try database.rows(query.select("t0.Z_PK"))
                    if query.isComplete {
                        counts.whole += 1
                    } else if request.predicate != nil, query.condition != nil {
                        counts.partly += 1
                    } else {
                        counts.memory += 1
                    }
                } catch let refused as UnsupportedRequest {
                    print("\(source.path): \(refused): \(request.predicate.map { "\($0)" } ?? "")")
                    counts.refused += 1
                }
            }
        }
        print("\(counts)")
        #expect(counts.models > 0)
    }
}

extension FileLayout {
    /// Reads the layout of a database.
    init(_ database: TestDatabase) throws {
        let names = try database.rows("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap { $0[0] }
        let tables = try names.map { name in
            let columns = try database.rows("SELECT name FROM pragma_table_info(\(SQLName.literal(name)))")
            return Table(name: name, columns: columns.compactMap { $0[0] })
        }
        let numbers = try database.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY").compactMap { row in
            row[0].flatMap { name in row[1].flatMap { Int($0) }.map { (name, $0) } }
        }
        self.init(tables: tables, numbers: Dictionary(uniqueKeysWithValues: numbers))
    }
}
