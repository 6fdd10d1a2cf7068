import CoreData
import TestSupport
import Testing

import struct ModelSchema.SHA256

/// A model subclass that archives additional content.
private class NotedModel: NSManagedObjectModel {
    var note = ""

    override init() { super.init() }

    required init?(coder: NSCoder) {
        note = coder.decodeObject(of: NSString.self, forKey: "note") as String? ?? ""
        super.init(coder: coder)
    }

    override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(note as NSString, forKey: "note")
    }

    override class var supportsSecureCoding: Bool { true }
}

/// Archives of descriptions and fetch requests.
@Suite struct DescriptionCodingTests {
    @Test(arguments: [true, false]) func entitiesRoundTripWithTheirModel(secure: Bool) throws {
        let original = try ModelCodingTests.model()
        let entity = try #require(original.entitiesByName["Novel"])
        let novel = try RoundTrip.copy(entity, secure: secure)
        #expect(novel.superentity?.name == "Book" && novel.attributesByName["title"] != nil)
        #expect(novel.versionHash == entity.versionHash)
        #expect(novel == entity)
        #expect(novel.managedObjectModel.entities.count == original.entities.count)
        #expect(novel.isKindOf(entity: try #require(novel.superentity)))
    }

    @Test func entitiesWithoutModelRoundTrip() throws {
        let parent = NSEntityDescription()
        parent.name = "Parent"
        let child = NSEntityDescription()
        child.name = "Child"
        parent.subentities = [child]
        let link = NSRelationshipDescription()
        link.name = "parent"
        link.destinationEntity = parent
        let back = NSRelationshipDescription()
        back.name = "children"
        back.destinationEntity = child
        back.maxCount = 0
        link.inverseRelationship = back
        back.inverseRelationship = link
        child.properties = [link]
        parent.properties = [back]
        let copy = try RoundTrip.copy(child)
        #expect(copy.versionHash == child.versionHash && copy.superentity?.name == "Parent")
        let copied = try #require(copy.relationshipsByName["parent"])
        #expect(copied.destinationEntity === copy.superentity && copied.inverseRelationship?.name == "children")
        let model = NSManagedObjectModel()
        model.entities = [copy]
        #expect(copy.managedObjectModel === model)
    }

    @Test(arguments: ["author", "title", "folded", "size", "others", "color"], [true, false])
    func propertiesRoundTripWithTheirModel(name: String, secure: Bool) throws {
        let original = try ModelCodingTests.model()
        let property = try #require(original.entitiesByName["Book"]?.propertiesByName[name])
        let copy = try RoundTrip.copy(property, secure: secure)
        #expect(copy.name == name && copy.versionHash == property.versionHash)
        #expect(type(of: copy) == type(of: property))
        #expect(copy.entity.name == "Book" && copy.entity.managedObjectModel == original)
        #expect(copy.description == property.description)
        #expect(copy.validationPredicates == property.validationPredicates)
        if let relationship = copy as? NSRelationshipDescription {
            #expect(relationship.destinationEntity?.name == "Author" && relationship.deleteRule == .nullifyDeleteRule)
            #expect(relationship.inverseRelationship?.name == "books")
        }
    }

    @Test func propertiesWithoutEntityRoundTrip() throws {
        let lone = NSAttributeDescription()
        lone.name = "lone"
        lone.attributeType = .integer16AttributeType
        lone.defaultValue = 3
        let copy = try RoundTrip.copy(lone)
        #expect(copy.name == "lone" && copy.defaultValue as? Int == 3 && copy.attributeType == .integer16AttributeType)
        let link = NSRelationshipDescription()
        link.name = "book"
        let model = Library.model()
        link.destinationEntity = model.entitiesByName["Book"]
        let copiedLink = try RoundTrip.copy(link)
        #expect(copiedLink.destinationEntity?.name == "Book" && copiedLink.versionHash == link.versionHash)
        let column = NSExpressionDescription()
        column.name = "total"
        column.expression = NSExpression(format: "sum:(pages)")
        column.expressionResultType = .integer64AttributeType
        let copiedColumn = try RoundTrip.copy(column)
        #expect(copiedColumn.expression == column.expression && copiedColumn.resultType == .integer64)
    }

    @Test(arguments: [true, false]) func indexesRoundTripWithTheirModel(secure: Bool) throws {
        let original = try ModelCodingTests.model()
        let first = try #require(original.entitiesByName["Book"]?.indexes.first)
        let index = try RoundTrip.copy(first, secure: secure)
        #expect(index.name == "byTitle" && index.entity?.name == "Book")
        #expect(index.elements.map(\.propertyName) == ["title"] && index.elements.first?.indexDescription === index)
        #expect(index.partialIndexPredicate == first.partialIndexPredicate)
        let element = try RoundTrip.copy(first.elements[0], secure: secure)
        #expect(element.propertyName == "title" && !element.isAscending && element.collationType == .binary)
        #expect(element.property?.entity.name == "Book" && element.indexDescription == nil)
    }

    @Test func customDescriptionClassesRoundTrip() throws {
        let model = NotedModel()
        model.note = "draft"
        let entity = NSEntityDescription()
        entity.name = "Page"
        let attribute = AppAttribute("number", .integer32AttributeType)
        entity.properties = [attribute]
        model.entities = [entity]
        let copy = NotedModel(coder: try unarchiver(of: model))
        #expect(copy?.note == "draft" && copy == model)
        let copied: AppAttribute = try RoundTrip.copy(attribute)
        #expect(copied.name == "number" && copied.attributeType == .integer32AttributeType)
    }

    /// Returns an unarchiver for the content of an object.
    private func unarchiver(of object: NSObject & NSSecureCoding) throws -> NSKeyedUnarchiver {
        try NSKeyedUnarchiver(forReadingFrom: RoundTrip.content(of: object))
    }

    private func request() -> NSFetchRequest<NSFetchRequestResult> {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "title BEGINSWITH %@", "E")
        request.sortDescriptors = [
            NSSortDescriptor(key: "title", ascending: true),
            NSSortDescriptor(key: "pages", ascending: false, selector: Selector("localizedStandardCompare:")),
        ]
        request.resultType = .dictionaryResultType
        let column = NSExpressionDescription()
        column.name = "total"
        column.expression = NSExpression(format: "sum:(pages)")
        column.expressionResultType = .integer64AttributeType
        request.propertiesToFetch = ["title", column]
        request.propertiesToGroupBy = ["title"]
        request.havingPredicate = NSPredicate(format: "$total > 3")
        request.relationshipKeyPathsForPrefetching = ["author"]
        request.includesSubentities = false
        request.includesPendingChanges = false
        request.returnsObjectsAsFaults = false
        request.returnsDistinctResults = true
        request.fetchBatchSize = 20
        request.fetchOffset = 1
        request.fetchLimit = 7
        return request
    }

    @Test(arguments: [true, false]) func fetchRequestsRoundTrip(secure: Bool) throws {
        let request = request()
        let copy = try RoundTrip.copy(request, secure: secure)
        #expect(copy.entityName == "Book" && copy.predicate == request.predicate)
        #expect(copy.sortDescriptors == request.sortDescriptors)
        #expect(copy.resultType == .dictionaryResultType && !copy.includesSubentities && copy.fetchBatchSize == 20)
        #expect(copy.fetchOffset == 1 && copy.fetchLimit == 7 && copy.returnsDistinctResults)
        #expect(!copy.includesPendingChanges && !copy.returnsObjectsAsFaults && copy.includesPropertyValues)
        #expect(copy.relationshipKeyPathsForPrefetching == ["author"])
        #expect(copy.propertiesToFetch?[0] as? String == "title" && copy.havingPredicate == request.havingPredicate)
        #expect(copy.propertiesToGroupBy as? [String] == ["title"])
        let total = copy.propertiesToFetch?[1] as? NSExpressionDescription
        #expect(total?.expression == NSExpression(format: "sum:(pages)"))
        #expect(total?.expressionResultType == .integer64AttributeType)
    }

    @Test func fetchRequestsOfAnyTypeRoundTrip() throws {
        let context = try Library.context()
        _ = context.make("Book", ["title": "Emma"])
        _ = context.make("Book", ["title": "Ulysses"])
        try context.save()
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.predicate = NSPredicate(format: "title == %@", "Emma")
        let data = try RoundTrip.archive(request)
        let books = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSFetchRequest<Book>.self, from: data))
        #expect(try context.fetch(books).map { $0.value(forKey: "title") as? String } == ["Emma"])
        let list = NSArray(array: [request, request])
        let copies = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSArray.self, NSFetchRequest<NSFetchRequestResult>.self], from: try RoundTrip.archive(list))
        #expect((copies as? [NSFetchRequest<NSFetchRequestResult>])?.map(\.entityName) == ["Book", "Book"])
        let own = AppRequest<Book>(entityName: "Book")
        own.fetchLimit = 2
        let plain = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSFetchRequest<NSFetchRequestResult>.self, from: try RoundTrip.archive(own))
        #expect(plain?.fetchLimit == 2)
    }

    @Test func otherArchivesAreRejected() throws {
        let text = try RoundTrip.archive("text" as NSString)
        #expect(throws: CocoaError.self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSFetchRequest<Book>.self, from: text)
        }
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSFetchRequest<Book>.self, from: Data([1, 2, 3]))
        }
        let model = Library.model()
        let book = try #require(model.entitiesByName["Book"])
        let attribute = try #require(book.propertiesByName["title"])
        // The content of one kind of description yields `nil` for the others.
        #expect(NSEntityDescription(coder: try unarchiver(of: model)) == nil)
        #expect(NSRelationshipDescription(coder: try unarchiver(of: attribute)) == nil)
        #expect(NSDerivedAttributeDescription(coder: try unarchiver(of: attribute)) == nil)
        #expect(NSFetchRequest<Book>(coder: try unarchiver(of: book)) == nil)
        #expect(NSFetchIndexDescription(coder: try unarchiver(of: request())) == nil)
        let list = NSArray(array: ["a"])
        #expect(NSManagedObjectModel(coder: try unarchiver(of: list)) == nil)
        #expect(NSFetchIndexElementDescription(coder: try unarchiver(of: list)) == nil)
    }
}

/// Damaged archives.
@Suite struct DamagedDescriptionArchiveTests {
    /// A description and its content, which is read without Foundation logging each failure.
    private struct Sample {
        let bytes: [UInt8]
        /// The byte range of the content written by the description's class.
        let content: Range<Int>
        private let read: (NSCoder) -> NSObject?

        init(_ part: NSObject & NSSecureCoding, _ read: @escaping (NSCoder) -> NSObject?) throws {
            let data = try RoundTrip.content(of: part)
            let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            let block = try #require((list?["$top"] as? [String: Any])?["modelc.description"] as? Data)
            bytes = [UInt8](data)
            content = try #require(data.range(of: block))
            self.read = read
        }

        /// Returns bytes with an updated digest, which hides changes.
        func sealed(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            let list = content.dropFirst(32)
            bytes.replaceSubrange(content.prefix(32), with: SHA256.hash(bytes[list]))
            return bytes
        }

        /// Returns whether a description can be read from bytes.
        func reads(_ bytes: [UInt8]) throws -> Bool {
            read(try NSKeyedUnarchiver(forReadingFrom: Data(bytes))) != nil
        }
    }

    private func samples() throws -> [Sample] {
        let model = try ModelCodingTests.model()
        let book = try #require(model.entitiesByName["Book"])
        // Foundation's unarchiver traps on damaged archives of custom objects.
        book.attributesByName["color"]?.defaultValue = nil
        let request = try #require(model.fetchRequestTemplatesByName["long"])
        let author = try #require(book.relationshipsByName["author"])
        let index = try #require(book.indexes.first)
        return [
            try Sample(model) { NSManagedObjectModel(coder: $0) },
            try Sample(book) { NSEntityDescription(coder: $0) },
            try Sample(author) { NSRelationshipDescription(coder: $0) },
            try Sample(index) { NSFetchIndexDescription(coder: $0) },
            try Sample(index.elements[0]) { NSFetchIndexElementDescription(coder: $0) },
            try Sample(request) { NSFetchRequest<NSFetchRequestResult>(coder: $0) },
        ]
    }

    @Test func damagedContentYieldsNil() throws {
        let model = try ModelCodingTests.model()
        let sample = try Sample(model) { NSManagedObjectModel(coder: $0) }
        Seeds.run(rounds: 300) { numbers, _ in
            var numbers = numbers
            var damaged = sample.bytes
            damaged[Int.random(in: sample.content, using: &numbers)] ^= .random(in: 1...255, using: &numbers)
            let isRead = try sample.reads(damaged)
            #expect(!isRead)
        }
    }

    @Test func changedContentNeverTraps() throws {
        let samples = try samples()
        for sample in samples { #expect(try sample.reads(sample.sealed(sample.bytes))) }
        var refused = 0
        Seeds.run(rounds: 150) { numbers, _ in
            var numbers = numbers
            let sample = samples[Int.random(in: samples.indices, using: &numbers)]
            var damaged = sample.bytes
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let position = Int.random(in: sample.content, using: &numbers)
                damaged[position] =
                    numbers.chance(2)
                    ? damaged[Int.random(in: sample.content, using: &numbers)] : .random(in: 0...255, using: &numbers)
            }
            if try !sample.reads(sample.sealed(damaged)) { refused += 1 }
        }
        #expect(refused > 0)
    }

    @Test func truncatedArchivesAreErrors() throws {
        let data = try RoundTrip.archive(Library.model())
        for count in [0, 1, 8, 40, data.count / 2, data.count - 1] {
            #expect(throws: (any Error).self) {
                try NSKeyedUnarchiver.unarchivedObject(ofClass: NSManagedObjectModel.self, from: data.prefix(count))
            }
        }
    }
}
