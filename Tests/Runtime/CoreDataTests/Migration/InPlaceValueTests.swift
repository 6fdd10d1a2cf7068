import TestSupport
import Testing

@testable import CoreData

/// Values and links that an in-place migration changes.
@Suite struct InPlaceValueTests {
    private func attribute(_ name: String, _ type: String, _ more: String = "") -> String {
        "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" \(more)/>"
    }

    /// A number that becomes Float is stored as a save would store it, so that predicates find it.
    @Test func numbersThatBecomeFloatAreRounded() throws {
        let fixture = try MigrationFixture("<entity name=\"E\">\(attribute("x", "Double"))</entity>")
        try fixture.fill { context in
            NSEntityDescription.insertNewObject(forEntityName: "E", into: context).setValue(0.1, forKey: "x")
        }
        try fixture.migrate(to: "<entity name=\"E\">\(attribute("x", "Float"))</entity>") { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "E")
            request.predicate = NSPredicate(format: "x == %@", NSNumber(value: Float(0.1)))
            let count = try context.count(for: request)
            #expect(count == 1)
        }
    }

    /// Two rows exchange values that must be unique: in the end, no two are equal.
    @Test func attributesWithAConstraintExchangeTheirNames() throws {
        let unique =
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"x\"/></uniquenessConstraint></uniquenessConstraints>"
        let fixture = try MigrationFixture(
            "<entity name=\"E\">\(attribute("x", "String"))\(attribute("y", "String"))\(unique)</entity>")
        try fixture.fill { context in
            for (x, y) in [("a", "b"), ("b", "a")] {
                let object = NSEntityDescription.insertNewObject(forEntityName: "E", into: context)
                object.setValue(x, forKey: "x")
                object.setValue(y, forKey: "y")
            }
        }
        let new = attribute("x", "String", "elementID=\"y\"") + attribute("y", "String", "elementID=\"x\"")
        try fixture.migrate(to: "<entity name=\"E\">\(new)\(attribute("z", "String"))\(unique)</entity>") { context in
            let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "E"))
            let pairs = objects.map { "\($0.value(forKey: "x") ?? "")\($0.value(forKey: "y") ?? "")" }
            #expect(Set(pairs) == ["ab", "ba"])
        }
    }

    /// A one-to-one relationship holds one pair; the other books lose the account.
    @Test func aNewInverseOfAToOneRelationshipIsInStep() throws {
        let old = """
            <entity name="Account"/><entity name="Book">\
            <relationship name="account" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Account"/></entity>
            """
        let new = """
            <entity name="Account"><relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" \
            destinationEntity="Book" inverseName="account" inverseEntity="Book"/></entity><entity name="Book">\
            <relationship name="account" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Account" \
            inverseName="book" inverseEntity="Account"/></entity>
            """
        let fixture = try MigrationFixture(old)
        try fixture.fill { context in
            let account = NSEntityDescription.insertNewObject(forEntityName: "Account", into: context)
            for _ in 0..<3 {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(account, forKey: "account")
            }
        }
        try fixture.migrate(to: new) { context in
            let account = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Account")).first)
            let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
            let owned = books.filter { $0.value(forKey: "account") != nil }
            #expect(books.count == 3 && owned.count == 1)
            #expect(account.value(forKey: "book") as? NSManagedObject === owned.first)
        }
    }

    /// Values are looked up before the same migration overwrites them.
    @Test(arguments: [false, true])
    func newInversesOfSwappedRelationshipsAreInStep(isReflexive: Bool) throws {
        func toOne(_ name: String, _ to: String, _ inverse: String?, was: String? = nil) -> String {
            let back = inverse.map { " inverseName=\"\($0)\" inverseEntity=\"\(to)\"" } ?? ""
            let old = was.map { " elementID=\"\($0)\"" } ?? ""
            return "<relationship name=\"\(name)\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
                + "destinationEntity=\"\(to)\"\(back)\(old)/>"
        }
        let target = isReflexive ? "A" : "B"
        let tag = "<attribute name=\"tag\" optional=\"YES\" attributeType=\"String\"/>"
        func entities(_ own: String, _ others: String) -> String {
            isReflexive
                ? "<entity name=\"A\">\(tag)\(own)\(others)</entity>"
                : "<entity name=\"A\">\(tag)\(own)</entity><entity name=\"B\">\(tag)\(others)</entity>"
        }
        let old = entities(toOne("p", target, nil) + toOne("q", target, nil), "")
        let new = entities(
            toOne("p", target, "ap", was: "q") + toOne("q", target, "aq", was: "p"),
            toOne("ap", "A", "p") + toOne("aq", "A", "q"))
        let fixture = try MigrationFixture(old)
        try fixture.fill { context in
            let first = context.make(target, ["tag": "1"])
            let second = context.make(target, ["tag": "2"])
            _ = context.make("A", ["tag": "a", "p": first, "q": second])
        }
        try fixture.migrate(to: new) { context in
            let objects = try context.all("A") + (isReflexive ? [] : context.all("B"))
            func object(_ tag: String) throws -> NSManagedObject {
                try #require(objects.first { $0.value(forKey: "tag") as? String == tag })
            }
            let (owner, first, second) = (try object("a"), try object("1"), try object("2"))
            #expect(owner.value(forKey: "p") as? NSManagedObject === second)
            #expect(owner.value(forKey: "q") as? NSManagedObject === first)
            #expect(second.value(forKey: "ap") as? NSManagedObject === owner)
            #expect(first.value(forKey: "aq") as? NSManagedObject === owner)
            #expect(first.value(forKey: "ap") == nil && second.value(forKey: "aq") == nil)
        }
    }

    /// A default value is written as a save writes it.
    @Test(arguments: [nil, "NSSecureUnarchiveFromData"], [false, true])
    func defaultsOfTransformableAttributesAreArchived(transformer: String?, isExternal: Bool) throws {
        func model(_ attributes: [NSAttributeDescription]) -> NSManagedObjectModel {
            SmallModel.model([SmallModel.entity("A", [SmallModel.attribute("n", .integer64AttributeType)] + attributes)]
            )
        }
        let defaults: [String: NSObject] = [
            "text": NSString("hi"), "number": NSNumber(value: 4), "list": NSArray(array: ["x"]),
        ]
        let new = model(
            defaults.map { name, value in
                SmallModel.attribute(name, .transformableAttributeType) {
                    $0.defaultValue = value
                    $0.valueTransformerName = transformer
                    $0.allowsExternalBinaryDataStorage = isExternal
                }
            })
        let store = try TestStore(model([]))
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("A", ["n": 1])
            try context.save()
        }
        try TestStore.close(context)
        let migrated = try store.open(MigrationFixture.options, model: new)
        try migrated.performAndWait {
            let object = try #require(try migrated.all("A").first)
            for (name, value) in defaults {
                #expect((object.value(forKey: name) as? NSObject)?.isEqual(value) == true, "\(name)")
            }
        }
    }
}
