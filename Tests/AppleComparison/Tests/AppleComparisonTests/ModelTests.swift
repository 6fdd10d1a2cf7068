import CoreData
import Testing

/// Apple's framework loads compiled models, and computes the version hashes that modelc does.
@Suite struct ModelTests {
    @Test(arguments: ["Everything", "Plain"]) func compiledModelsHaveTheVersionHashes(name: String) throws {
        try ComparisonTable.shared.record("models: \(name).momd") {
            for (version, expected) in try Fixtures.hashes("\(name).hashes.json") {
                let file = Fixtures.url("\(name).momd").appendingPathComponent("\(version).mom")
                guard let model = NSManagedObjectModel(contentsOf: file) else {
                    throw Difference(description: "the framework cannot load “\(version)”")
                }
                let found = model.entityVersionHashesByName.mapValues(\.hexadecimal)
                for entity in Set(found.keys).union(expected.keys).sorted() where found[entity] != expected[entity] {
                    throw Difference(
                        description: "the hash of “\(entity)” in “\(version)” is \(found[entity] ?? "missing")")
                }
            }
            guard let current = NSManagedObjectModel(contentsOf: Fixtures.url("\(name).momd")),
                current.isConfiguration(
                    withName: nil,
                    compatibleWithStoreMetadata: [
                        NSStoreModelVersionHashesKey: try Fixtures.model(name, version: "\(name) 2")
                            .entityVersionHashesByName
                    ])
            else { throw Difference(description: "the bundle's current version is not “\(name) 2”") }
        }
    }
}
