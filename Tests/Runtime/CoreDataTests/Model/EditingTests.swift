import CoreData
import Foundation
import Testing

/// Models built and changed in code.
@Suite struct EditingTests {
    private static func entity(_ name: String, _ properties: NSPropertyDescription...) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    private static func attribute(_ name: String) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = .string
        return attribute
    }

    private static func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    @Test func descriptionsHaveApplesDefaults() {
        let attribute = NSAttributeDescription()
        #expect(attribute.isOptional)
        #expect(!attribute.isTransient)
        #expect(attribute.attributeType == .undefinedAttributeType)
        #expect(NSEntityDescription().managedObjectClassName == "NSManagedObject")
        #expect(NSRelationshipDescription().deleteRule == .nullifyDeleteRule)
        #expect(NSRelationshipDescription().minCount == 0)
        #expect(NSCompositeAttributeDescription().attributeType == .compositeAttributeType)
        #expect(NSFetchedPropertyDescription().isTransient)
        #expect(NSManagedObjectModel().entities.isEmpty)
    }

    @Test func attributesOfTwoCopiesAreEqual() throws {
        let model = Self.model(
            Self.entity("A", Self.attribute("x"), Self.attribute("y")), Self.entity("B", Self.attribute("x")))
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        func attribute(_ model: NSManagedObjectModel, _ entity: String, _ name: String) throws -> NSAttributeDescription
        {
            try #require(model.entitiesByName[entity]?.attributesByName[name])
        }
        let (first, second) = (try attribute(model, "A", "x"), try attribute(copy, "A", "x"))
        #expect(first == second && first !== second && first.hash == second.hash)
        #expect(try first != attribute(copy, "A", "y"))
        #expect(try first != attribute(copy, "B", "x"))
        second.defaultValue = "text"
        #expect(first != second)
        first.defaultValue = "text"
        #expect(first == second)
        second.setValidationPredicates([NSPredicate(format: "SELF != 'a'")], withValidationWarnings: ["a"])
        #expect(first != second)
    }

    @Test func inversesCanBeBuiltInCode() {
        let books = NSRelationshipDescription()
        let author = NSRelationshipDescription()
        let (authorEntity, bookEntity) = (Self.entity("Author", books), Self.entity("Book", author))
        books.name = "books"
        author.name = "author"
        (books.destinationEntity, author.destinationEntity) = (bookEntity, authorEntity)
        (books.inverseRelationship, author.inverseRelationship) = (author, books)
        books.maxCount = 0
        author.maxCount = 1
        let model = Self.model(authorEntity, bookEntity)
        #expect(books.isToMany)
        #expect(!author.isToMany)
        // The property was named after being added to the entity.
        #expect(authorEntity.relationshipsByName["books"] === books)
        #expect(model.entityVersionHashesByName.count == 2)
        #expect(books.entity === authorEntity)
    }

    @Test func subentitiesInheritLaterChanges() {
        let (child, parent) = (Self.entity("Child", Self.attribute("own")), Self.entity("Parent"))
        parent.subentities = [child]
        #expect(child.propertiesByName.keys.sorted() == ["own"])
        parent.properties = [Self.attribute("shared")]
        #expect(child.propertiesByName.keys.sorted() == ["own", "shared"])
        parent.properties = []
        #expect(child.propertiesByName.keys.sorted() == ["own"])
        let other = Self.entity("Other")
        other.subentities = [child]
        #expect(child.superentity === other)
        #expect(parent.subentities.isEmpty)
    }

    @Test func settingPropertiesLeavesInheritedOnesAlone() {
        let (child, parent) = (Self.entity("Child"), Self.entity("Parent", Self.attribute("shared")))
        parent.subentities = [child]
        child.properties += [Self.attribute("own")]
        #expect(child.properties.map(\.name) == ["shared", "own"])
        #expect(parent.properties.map(\.name) == ["shared"])
    }

    @Test func copiesAreIndependent() throws {
        let fixture = try CompiledFixture()
        let model = try fixture.load(CompiledFixture.library)
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy == model)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        let (old, new) = (try #require(model.entitiesByName["Book"]), try #require(copy.entitiesByName["Book"]))
        #expect(old !== new)
        #expect(old == new)
        #expect(new.relationshipsByName["author"]?.destinationEntity === copy.entitiesByName["Author"])
        #expect(
            new.relationshipsByName["author"]?.inverseRelationship
                === copy.entitiesByName["Author"]?.relationshipsByName["books"])
        #expect(new.indexes.first?.elements.first?.property === new.propertiesByName["title"])
        #expect(copy.entitiesByName["Novel"]?.superentity === new)
        #expect(copy.fetchRequestTemplate(forName: "ByTitle")?.entity === new)
        #expect(copy.entities(forConfigurationName: "Cloud") == [try #require(copy.entitiesByName["Author"])])
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        new.properties += [Self.attribute("added")]
        #expect(copy != model)
        #expect(!old.propertiesByName.keys.contains("added"))
    }

    @Test func modelsAreReleased() throws {
        let fixture = try CompiledFixture()
        weak var released: NSManagedObjectModel?
        weak var entity: NSEntityDescription?
        do {
            let model = try fixture.load(CompiledFixture.library)
            released = model
            entity = model.entitiesByName["Book"]
            #expect(entity != nil)
        }
        #expect(released == nil)
        #expect(entity == nil)
    }

    @Test func uniquenessConstraintsAreNames() {
        let (name, code) = (Self.attribute("name"), Self.attribute("code"))
        let entity = Self.entity("Item", name, code)
        entity.uniquenessConstraints = [[name, "code"], [code]]
        #expect(entity.uniquenessConstraints as? [[String]] == [["name", "code"], ["code"]])
        code.name = "number"
        #expect(entity.uniquenessConstraints[1] as? [String] == ["number"])
    }

    @Test func indexesOfBothKindsTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = NSFetchIndexDescription(
                name: "mixed",
                elements: [
                    NSFetchIndexElementDescription(property: Self.attribute("a"), collationType: .rTree),
                    NSFetchIndexElementDescription(property: Self.attribute("b"), collationType: .binary),
                ])
        }
        await #expect(processExitsWith: .failure) {
            let index = NSFetchIndexDescription(
                name: "mixed", elements: [.init(property: Self.attribute("a"), collationType: .rTree)])
            index.elements += [.init(property: Self.attribute("b"), collationType: .binary)]
        }
    }

    @Test func expressionDescriptionsAreFetched() {
        let sum = NSExpressionDescription()
        sum.name = "total"
        sum.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "price")])
        sum.resultType = .double
        #expect(sum.expressionResultType == .doubleAttributeType)
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        request.propertiesToFetch = [sum]
        request.resultType = .dictionaryResultType
        let copy = request.copy() as? NSFetchRequest<NSFetchRequestResult>
        #expect((copy?.propertiesToFetch?.first as? NSExpressionDescription)?.expression?.description == "sum:(price)")
        #expect(copy?.resultType == .dictionaryResultType)
        #expect(copy?.includesPendingChanges == true)
    }

    /// CoreData's alias and Foundation's name are the same type, even if both modules are imported as here.
    @Test func expressionIsFoundationsType() {
        let expression: NSExpression = NSExpression(format: "price * %@", 2)
        #expect(expression.description == "price * 2")
        let comparison: NSComparisonPredicate? = NSPredicate(format: "a == 1") as? NSComparisonPredicate
        #expect(comparison?.description == "a == 1")
    }
}

/// Misuse for which Apple's framework throws an exception traps with the reason.
@Suite struct MisuseTests {
    private static func message(of result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func changingAModelInUseTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let entity = NSEntityDescription()
            entity.name = "Book"
            let model = NSManagedObjectModel()
            model.entities = [entity]
            _ = NSPersistentStoreCoordinator(managedObjectModel: model)
            entity.isAbstract = true
        }
        #expect(Self.message(of: result).contains("Can't modify an immutable model"))
    }

    @Test func changingAPropertyOfAModelInUseTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let attribute = NSAttributeDescription()
            attribute.name = "title"
            let entity = NSEntityDescription()
            entity.name = "Book"
            entity.properties = [attribute]
            let model = NSManagedObjectModel()
            model.entities = [entity]
            _ = NSPersistentStoreCoordinator(managedObjectModel: model)
            attribute.isOptional = false
        }
        #expect(Self.message(of: result).contains("Can't modify an immutable model"))
    }

    @Test func duplicateEntityNamesTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (first, second) = (NSEntityDescription(), NSEntityDescription())
            first.name = "Book"
            second.name = "Book"
            NSManagedObjectModel().entities = [first, second]
        }
        #expect(Self.message(of: result).contains("two entities with the name “Book”"))
    }

    @Test func inheritanceCyclesTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (first, second) = (NSEntityDescription(), NSEntityDescription())
            first.subentities = [second]
            second.subentities = [first]
        }
        #expect(Self.message(of: result).contains("cannot inherit from"))
    }

    @Test func mergingDifferentEntitiesOfOneNameTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let models = [true, false].map { isAbstract in
                let entity = NSEntityDescription()
                entity.name = "Book"
                entity.isAbstract = isAbstract
                let model = NSManagedObjectModel()
                model.entities = [entity]
                return model
            }
            _ = NSManagedObjectModel(byMerging: models)
        }
        #expect(Self.message(of: result).contains("Can't merge models with two different entities named 'Book'"))
    }

    @Test func missingVariablesTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "title == $TITLE").withSubstitutionVariables(["OTHER": 1])
        }
        #expect(Self.message(of: result).contains("TITLE"))
    }

    @Test func invalidFormatsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "title == ")
        }
        #expect(Self.message(of: result).contains("Unable to parse the format string \"title == \""))
    }
}
