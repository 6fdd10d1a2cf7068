import CoreData
import Testing

/// The content of a compiled model in Apple's API.
@Suite struct LoadingTests {
    private let fixture: CompiledFixture
    private let model: NSManagedObjectModel

    init() throws {
        fixture = try CompiledFixture()
        model = try fixture.load(CompiledFixture.library)
    }

    private func entity(_ name: String) throws -> NSEntityDescription {
        try #require(model.entitiesByName[name])
    }

    private func attribute(_ name: String, of entity: String = "Book") throws -> NSAttributeDescription {
        try #require(try self.entity(entity).attributesByName[name])
    }

    @Test func entitiesAreLoaded() throws {
        #expect(model.entities.map { $0.name ?? "" }.sorted() == ["Author", "Book", "Novel"])
        let author = try entity("Author")
        #expect(author.managedObjectClassName == ".Author")
        #expect(author.versionHashModifier == "second")
        #expect(author.userInfo as? [String: String] == ["team": "core"])
        #expect(author.uniquenessConstraints as? [[String]] == [["name"]])
        #expect(author.renamingIdentifier == "Author")
        #expect(author.managedObjectModel === model)
        let book = try entity("Book")
        #expect(book.isAbstract)
        #expect(!author.isAbstract)
        #expect(book.renamingIdentifier == "Work")
        #expect(model.versionIdentifiers == ["2"])
    }

    @Test func inheritanceIsLoaded() throws {
        let (book, novel) = (try entity("Book"), try entity("Novel"))
        #expect(novel.superentity === book)
        #expect(book.subentities == [novel])
        #expect(book.subentitiesByName["Novel"] === novel)
        #expect(novel.isKindOf(entity: book))
        #expect(novel.isKindOf(entity: novel))
        #expect(!book.isKindOf(entity: novel))
        #expect(novel.attributesByName.keys.contains("title"))
        #expect(novel.propertiesByName["title"] === book.propertiesByName["title"])
        #expect(!book.propertiesByName.keys.contains("genre"))
        #expect(novel.properties.count == book.properties.count + 1)
        #expect(novel.propertiesByName["title"]?.entity === book)
    }

    @Test func attributesAreLoaded() throws {
        #expect(try attribute("pageCount").attributeType == .integer16AttributeType)
        #expect(try attribute("pageCount").type == .integer16)
        #expect(try attribute("pageCount").attributeValueClassName == "NSNumber")
        #expect(try attribute("cover").allowsExternalBinaryDataStorage)
        #expect(try attribute("cover").preservesValueInHistoryOnDeletion)
        #expect(try !attribute("title").allowsExternalBinaryDataStorage)
        #expect(try attribute("title").isOptional)
        #expect(try !attribute("rating").isOptional)
        #expect(try attribute("cache").isTransient)
        #expect(try attribute("cache").attributeType == .undefinedAttributeType)
        #expect(try attribute("tags").valueTransformerName == "NSSecureUnarchiveFromData")
        #expect(try attribute("tags").attributeValueClassName == "[String]")
        #expect(try attribute("name", of: "Author").renamingIdentifier == "title")
        #expect(try attribute("title").userInfo?.isEmpty == true)
    }

    @Test func defaultValuesAreLoaded() throws {
        #expect(try attribute("pageCount").defaultValue as? Int16 == 3)
        #expect(try attribute("price").defaultValue as? NSDecimalNumber == NSDecimalNumber(string: "1.5"))
        #expect(try attribute("rating").defaultValue as? Double == 0.5)
        #expect(try attribute("sold").defaultValue as? Bool == true)
        #expect(try attribute("name", of: "Author").defaultValue as? String == "nobody")
        #expect(try attribute("born", of: "Author").defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 0))
        #expect(try attribute("title").defaultValue == nil)
    }

    @Test func validationIsLoaded() throws {
        let name = try attribute("name", of: "Author")
        #expect(
            name.validationPredicates.map(\.description) == ["length >= 1", "length <= 9", "SELF MATCHES \"[a-z]+\""])
        #expect(name.validationWarnings as? [Int] == [1670, 1660, 1680])
        let born = try attribute("born", of: "Author")
        #expect(born.validationPredicates.map(\.description) == ["timeIntervalSinceReferenceDate >= -86400"])
        #expect(born.validationWarnings as? [Int] == [1640])
        #expect(try attribute("title").validationPredicates.isEmpty)
    }

    @Test func relationshipsAreLoaded() throws {
        let books = try #require(try entity("Author").relationshipsByName["books"])
        let author = try #require(try entity("Novel").relationshipsByName["author"])
        #expect(books.destinationEntity === (try entity("Book")))
        #expect(books.inverseRelationship === author)
        #expect(author.inverseRelationship === books)
        #expect(books.isToMany)
        #expect(books.isOrdered)
        #expect(books.minCount == 1)
        #expect(books.maxCount == 7)
        #expect(books.deleteRule == .cascadeDeleteRule)
        #expect(!author.isToMany)
        #expect(author.maxCount == 1)
        #expect(author.deleteRule == .nullifyDeleteRule)
        #expect(try entity("Book").relationships(forDestination: try entity("Author")) == [author])
    }

    @Test func derivedAttributesAndFetchedPropertiesAreLoaded() throws {
        let derived = try #require(try attribute("sortTitle") as? NSDerivedAttributeDescription)
        #expect(derived.derivationExpression?.description == "canonical:(title)")
        let fetched = try #require(try entity("Book").propertiesByName["sameTitle"] as? NSFetchedPropertyDescription)
        #expect(fetched.isTransient)
        #expect(fetched.fetchRequest?.predicate?.description == "title == $FETCH_SOURCE.title")
        #expect(fetched.fetchRequest?.entity === (try entity("Book")))
    }

    @Test func indexesAreLoaded() throws {
        let index = try #require(try entity("Book").indexes.first)
        #expect(index.name == "byTitle")
        #expect(index.entity === (try entity("Book")))
        #expect(index.elements.map(\.propertyName) == ["title", "rating"])
        #expect(index.elements.map(\.isAscending) == [false, true])
        #expect(index.elements.map(\.collationType) == [.binary, .binary])
        #expect(index.elements.first?.indexDescription === index)
        #expect(index.elements.first?.property === (try attribute("title")))
        #expect(index.partialIndexPredicate == nil)
    }

    @Test func configurationsAreLoaded() throws {
        #expect(model.configurations == ["Cloud"])
        #expect(model.entities(forConfigurationName: "Cloud") == [try entity("Author")])
        #expect(model.entities(forConfigurationName: nil)?.count == 3)
        #expect(model.entities(forConfigurationName: "Local") == nil)
    }

    @Test func fetchTemplatesAreLoaded() throws {
        let template = try #require(model.fetchRequestTemplate(forName: "ByTitle"))
        #expect(template.entityName == "Book")
        #expect(template.entity === (try entity("Book")))
        #expect(template.fetchLimit == 5)
        #expect(template.fetchBatchSize == 20)
        #expect(template.returnsDistinctResults)
        #expect(template.includesSubentities)
        #expect(template.predicate?.description == "title == $TITLE AND rating > 1")
        #expect(model.fetchRequestTemplatesByName.keys.sorted() == ["ByTitle"])
        #expect(model.fetchRequestTemplate(forName: "Other") == nil)
    }

    @Test func templatesSubstituteVariables() throws {
        let request = try #require(
            model.fetchRequestFromTemplate(withName: "ByTitle", substitutionVariables: ["TITLE": "Emma"]))
        #expect(request.predicate?.description == "title == \"Emma\" AND rating > 1")
        #expect(request.fetchLimit == 5)
        #expect(model.fetchRequestTemplate(forName: "ByTitle")?.predicate?.description.contains("$TITLE") == true)
        #expect(model.fetchRequestFromTemplate(withName: "Other", substitutionVariables: [:]) == nil)
        let nothing = model.fetchRequestFromTemplate(withName: "ByTitle", substitutionVariables: ["TITLE": NSNull()])
        #expect(nothing?.predicate?.description == "title == <null> AND rating > 1")
    }
}
