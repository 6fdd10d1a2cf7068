import CoreData
import Testing

/// The model that a store keeps in `Z_MODELCACHE`.
@Suite struct ModelCacheTests {
    /// Writes a store with a model, and returns the model that the store contains.
    private func cachedModel(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
        let store = try TestStore(model)
        try TestStore.close(try store.open())
        let archive = store.folder.appendingPathComponent("Copy.mom")
        try TestStore.modelArchive(store.url).write(to: archive)
        return try #require(NSManagedObjectModel(contentsOf: archive))
    }

    private func rules(_ attribute: NSAttributeDescription?) -> [String] {
        attribute.map { zip($0.validationPredicates, $0.validationWarnings).map { "\($0) \($1)" } } ?? []
    }

    @Test func theCachedModelHasTheEntitiesOfTheModel() throws {
        let model = try CompiledFixture().load(CompiledFixture.library)
        let cached = try cachedModel(model)
        #expect(cached.entitiesByName == model.entitiesByName)
        #expect(cached.entityVersionHashesByName == model.entityVersionHashesByName)
        for (name, entity) in model.entitiesByName {
            for (key, attribute) in entity.attributesByName {
                let copy = cached.entitiesByName[name]?.attributesByName[key]
                #expect(rules(copy) == rules(attribute), "\(name).\(key)")
                #expect("\(copy?.defaultValue ?? "")" == "\(attribute.defaultValue ?? "")", "\(name).\(key)")
            }
        }
        let author = cached.entitiesByName["Author"]?.attributesByName
        #expect(
            rules(author?["name"]) == ["length >= 1 1670", "length <= 9 1660", "SELF MATCHES \"[a-z]+\" 1680"])
        #expect(rules(author?["born"]) == ["timeIntervalSinceReferenceDate >= -86400 1640"])
        #expect(author?["born"]?.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 0))
    }

    @Test func rulesBuiltInCodeAreLimitsOrOmitted() throws {
        let model = Library.model()
        let book = try #require(model.entitiesByName["Book"])
        func set(_ name: String, _ formats: String...) {
            book.attributesByName[name]?.setValidationPredicates(
                formats.map { NSPredicate(format: $0) }, withValidationWarnings: formats.map { _ in 1550 })
        }
        set("title", "length <= 4", "length >= 2", "SELF BEGINSWITH 'a'", "length >= 3")
        set("pages", "SELF >= 1", "SELF < 100")
        let cached = try #require(try cachedModel(model).entitiesByName["Book"]).attributesByName
        #expect(rules(cached["title"]) == ["length >= 2 1670", "length <= 4 1660"])
        #expect(rules(cached["pages"]) == ["SELF >= 1 1620"])
    }

    @Test func modelsWithDifferentRulesDiffer() throws {
        func model(_ format: String) -> NSManagedObjectModel {
            let model = Library.model()
            model.entitiesByName["Book"]?.attributesByName["title"]?
                .setValidationPredicates([NSPredicate(format: format)], withValidationWarnings: [1550])
            return model
        }
        #expect(model("length >= 2") == model("length >= 2"))
        #expect(model("length >= 2") != model("length >= 3"))
        #expect(model("SELF BEGINSWITH 'a'") != model("SELF BEGINSWITH 'b'"))
        #expect(model("SELF BEGINSWITH 'a'") != Library.model())
    }
}
