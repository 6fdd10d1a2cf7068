import CoreData
import TestSupport
import Testing

/// A custom color class that can be archived.
final class ArchivableColor: NSObject, NSSecureCoding {
    let hue: Int

    init(hue: Int) { self.hue = hue }

    init?(coder: NSCoder) { hue = coder.decodeInteger(forKey: "hue") }

    func encode(with coder: NSCoder) { coder.encode(hue, forKey: "hue") }

    static var supportsSecureCoding: Bool { true }

    override func isEqual(_ object: Any?) -> Bool { (object as? ArchivableColor)?.hue == hue }

    override var hash: Int { hue }

    override var description: String { "color \(hue)" }
}

/// Archives and unarchives objects for tests.
enum RoundTrip {
    /// Returns the content that an object encodes, without the object itself.
    static func content(of object: NSObject & NSSecureCoding) throws -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        object.encode(with: archiver)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    static func archive(_ object: NSObject & NSSecureCoding, secure: Bool = true) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: secure)
    }

    static func object<Part: NSObject & NSSecureCoding>(
        _ type: Part.Type = Part.self, in data: Data, secure: Bool = true
    ) throws -> Part? {
        guard !secure else { return try NSKeyedUnarchiver.unarchivedObject(ofClass: Part.self, from: data) }
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        return unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? Part
    }

    /// Returns the object read from the archive of an object.
    static func copy<Part: NSObject & NSSecureCoding>(_ part: Part, secure: Bool = true) throws -> Part {
        try #require(try object(in: archive(part, secure: secure), secure: secure))
    }
}

/// Archives of models and their descriptions.
@Suite struct ModelCodingTests {
    static func model() throws -> NSManagedObjectModel {
        let model = Library.model()
        let book = try #require(model.entitiesByName["Book"])
        let title = try #require(book.attributesByName["title"])
        title.setValidationPredicates(
            [NSPredicate(format: "length < 100"), NSPredicate(format: "SELF != %@", "x")],
            withValidationWarnings: [1660, "no x"] as [Any])
        title.userInfo = ["search": 1, "words": ["a", "b"], 7: Date(timeIntervalSinceReferenceDate: 5), "flag": true]
        title.renamingIdentifier = "name"
        title.versionHashModifier = "2"
        book.attributesByName["date"]?.defaultValue = Date(timeIntervalSinceReferenceDate: 123.25)
        book.attributesByName["cost"]?.defaultValue = NSDecimalNumber(string: "1.10")
        book.attributesByName["uuid"]?.defaultValue = UUID(uuidString: "0123A567-89AB-CDEF-0123-456789ABCDEF")
        book.attributesByName["data"]?.defaultValue = Data([1, 2])
        book.attributesByName["link"]?.defaultValue = URL(string: "https://example.org")
        book.uniquenessConstraints = [["title", "pages"]]
        book.versionHashModifier = "b"
        book.renamingIdentifier = "Volume"
        book.userInfo = ["origin": "app", "nested": ["a": [1, 2.5]]]
        book.coreSpotlightDisplayNameExpression = NSExpression(format: "title")
        book.properties += try properties(of: book)
        let index = NSFetchIndexDescription(
            name: "byTitle", elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
        index.elements[0].isAscending = false
        index.partialIndexPredicate = NSPredicate(format: "pages > 10")
        let computed = NSExpressionDescription()
        computed.name = "lowered"
        computed.expression = NSExpression(format: "lowercase:(title)")
        computed.expressionResultType = .stringAttributeType
        let positions = NSFetchIndexDescription(
            name: "places", elements: [NSFetchIndexElementDescription(property: computed, collationType: .rTree)])
        book.indexes = [index, positions]
        model.setEntities([book], forConfigurationName: "Local")
        let template = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        template.predicate = NSPredicate(
            format: "pages > $PAGES AND date > %@", Date(timeIntervalSinceReferenceDate: 9))
        template.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        template.fetchLimit = 4
        model.setFetchRequestTemplate(template, forName: "long")
        model.versionIdentifiers = ["1.0"]
        model.localizationDictionary = ["Entity/Book": "Buch"]
        return model
    }

    /// Returns properties of kinds that the library lacks.
    private static func properties(of book: NSEntityDescription) throws -> [NSPropertyDescription] {
        let derived = NSDerivedAttributeDescription()
        derived.name = "folded"
        derived.attributeType = .stringAttributeType
        derived.derivationExpression = NSExpression(format: "canonical:(title)")
        let ratio = NSAttributeDescription()
        ratio.name = "ratio"
        ratio.attributeType = .floatAttributeType
        ratio.defaultValue = NSNumber(value: Float(0.1))
        let flag = NSAttributeDescription()
        flag.name = "isFresh"
        flag.attributeType = .booleanAttributeType
        flag.defaultValue = true
        flag.preservesValueInHistoryOnDeletion = true
        let color = NSAttributeDescription()
        color.name = "color"
        color.attributeType = .transformableAttributeType
        color.valueTransformerName = "NSSecureUnarchiveFromData"
        color.attributeValueClassName = "ArchivableColor"
        color.defaultValue = ArchivableColor(hue: 9)
        let part = NSAttributeDescription()
        part.name = "width"
        part.attributeType = .doubleAttributeType
        part.defaultValue = 2.5
        let composite = NSCompositeAttributeDescription()
        composite.name = "size"
        composite.elements = [part]
        let fetched = NSFetchedPropertyDescription()
        fetched.name = "others"
        fetched.userInfo = ["limit": 3]
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        request.entity = book
        request.predicate = NSPredicate(format: "title == $FETCH_SOURCE.title")
        fetched.fetchRequest = request
        return [derived, ratio, flag, color, composite, fetched]
    }

    @Test(arguments: [true, false]) func modelsRoundTrip(secure: Bool) throws {
        let original = try Self.model()
        let copy = try RoundTrip.copy(original, secure: secure)
        #expect(copy !== original)
        #expect(copy == original)
        #expect(copy.entityVersionHashesByName == original.entityVersionHashesByName)
        #expect(copy.versionChecksum == original.versionChecksum)
        #expect(copy.versionIdentifiers == ["1.0"] && copy.configurations == ["Local"])
        #expect(copy.entities(forConfigurationName: "Local")?.map(\.name) == ["Book"])
        #expect(copy.localizationDictionary == ["Entity/Book": "Buch"])
        #expect(copy.entities.map(\.name) == original.entities.map(\.name))
        #expect(copy.entities.allSatisfy { $0.managedObjectModel === copy })
        // Reading does not change anything that is archived.
        #expect(try RoundTrip.archive(copy).count == RoundTrip.archive(original).count)
    }

    @Test(arguments: [true, false]) func archivesKeepTemplatesAndEntities(secure: Bool) throws {
        let original = try Self.model()
        let copy = try RoundTrip.copy(original, secure: secure)
        let template = try #require(copy.fetchRequestTemplatesByName["long"])
        let expected = try #require(original.fetchRequestTemplatesByName["long"])
        #expect(template.predicate == expected.predicate && template.fetchLimit == 4 && template.entityName == "Book")
        #expect(template.sortDescriptors == expected.sortDescriptors)
        let book = try #require(copy.entitiesByName["Book"])
        #expect(book.subentities.map(\.name) == ["Novel"])
        #expect(book.uniquenessConstraints as? [[String]] == [["title", "pages"]])
        #expect(book.renamingIdentifier == "Volume" && book.versionHashModifier == "b")
        #expect(book.userInfo?["origin"] as? String == "app")
        #expect((book.userInfo?["nested"] as? [String: [Double]]) == ["a": [1, 2.5]])
        #expect(book.coreSpotlightDisplayNameExpression == NSExpression(format: "title"))
        let author = try #require(book.relationshipsByName["author"])
        #expect(author.destinationEntity === copy.entitiesByName["Author"])
        #expect(author.inverseRelationship === copy.entitiesByName["Author"]?.relationshipsByName["books"])
        let index = try #require(book.indexes.first)
        #expect(index.name == "byTitle" && index.elements[0].property === book.propertiesByName["title"])
        #expect(!index.elements[0].isAscending && index.elements[0].indexDescription === index)
        #expect(index.partialIndexPredicate == NSPredicate(format: "pages > 10"))
        let computed = book.indexes.last?.elements.first
        #expect(computed?.collationType == .rTree && computed?.isAscending == true)
        let expression = (computed?.property as? NSExpressionDescription)?.expression
        #expect(expression == NSExpression(format: "lowercase:(title)"))
    }

    @Test(arguments: [true, false]) func archivesKeepProperties(secure: Bool) throws {
        let original = try Self.model()
        let copy = try RoundTrip.copy(original, secure: secure)
        let book = try #require(copy.entitiesByName["Book"])
        let title = try #require(book.attributesByName["title"])
        #expect(
            title.validationPredicates
                == original.entitiesByName["Book"]?.attributesByName["title"]?.validationPredicates)
        #expect(title.validationWarnings[0] as? Int == 1660 && title.validationWarnings[1] as? String == "no x")
        #expect(title.userInfo?["search"] as? Int == 1 && title.userInfo?["words"] as? [String] == ["a", "b"])
        #expect(title.userInfo?[7] as? Date == Date(timeIntervalSinceReferenceDate: 5))
        #expect(title.userInfo?["flag"] as? Bool == true)
        #expect(title.renamingIdentifier == "name" && title.defaultValue as? String == "Untitled")
        let values = book.attributesByName.mapValues(\.defaultValue)
        #expect(values["date"] as? Date == Date(timeIntervalSinceReferenceDate: 123.25))
        #expect(values["cost"] as? NSDecimalNumber == NSDecimalNumber(string: "1.10"))
        #expect(values["uuid"] as? UUID == UUID(uuidString: "0123A567-89AB-CDEF-0123-456789ABCDEF"))
        #expect(values["data"] as? Data == Data([1, 2]))
        #expect(values["link"] as? URL == URL(string: "https://example.org"))
        #expect(values["ratio"] as? Float == 0.1 && values["isFresh"] as? Bool == true)
        #expect((values["color"] as? ArchivableColor)?.hue == 9)
        #expect(book.attributesByName["isFresh"]?.preservesValueInHistoryOnDeletion == true)
        #expect(book.attributesByName["color"]?.valueTransformerName == "NSSecureUnarchiveFromData")
        #expect(book.attributesByName["color"]?.attributeValueClassName == "ArchivableColor")
        let derived = book.attributesByName["folded"] as? NSDerivedAttributeDescription
        #expect(derived?.derivationExpression == NSExpression(format: "canonical:(title)"))
        let composite = book.attributesByName["size"] as? NSCompositeAttributeDescription
        #expect(composite?.elements.map(\.name) == ["width"])
        #expect(composite?.elements.first?.defaultValue as? Double == 2.5)
        let fetched = book.propertiesByName["others"] as? NSFetchedPropertyDescription
        #expect(fetched?.fetchRequest?.predicate == NSPredicate(format: "title == $FETCH_SOURCE.title"))
        #expect(fetched?.fetchRequest?.entity === book && fetched?.userInfo?["limit"] as? Int == 3)
    }

    @Test func archivedModelsCanBeUsedAndChanged() throws {
        let original = Library.model()
        _ = try Library.context(Library.coordinator(original))
        let copy = try RoundTrip.copy(original)
        copy.entitiesByName["Book"]?.attributesByName["title"]?.isOptional = true
        let context = try Library.context(Library.coordinator(copy))
        let novel = context.make("Novel", ["title": "Emma"])
        try context.save()
        #expect(novel.value(forKey: "title") as? String == "Emma")
    }
}
