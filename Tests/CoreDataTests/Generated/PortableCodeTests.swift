import CoreData
import Testing

/// The entity of codegen mode Category/Extension: its class is handwritten.
class Crate: NSManagedObject {}

/// Code that `modelc generate --flavour portable` wrote for `Gadgets.xcdatamodeld`, over the runtime.
@Suite struct PortableCodeTests {
    /// A context for the model, and its coordinator.
    static func stack() throws -> (NSManagedObjectContext, NSPersistentStoreCoordinator) {
        let contents = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Gadgets.xcdatamodeld/Gadgets.xcdatamodel/contents")
        let model = try CompiledFixture().load(String(contentsOf: contents, encoding: .utf8))
        let coordinator = try Library.coordinator(model)
        return (try Library.context(coordinator), coordinator)
    }

    @Test func everyType() throws {
        let (context, coordinator) = try Self.stack()
        let gadget = Gadget(context: context)
        #expect(gadget.isOn && gadget.count32 == 7 && gadget.amount == 0 && gadget.name == nil && gadget.boxed == nil)
        let (uuid, date) = (UUID(), Date(timeIntervalSinceReferenceDate: 1234.5))
        gadget.amount = NSDecimalNumber(string: "1.25")
        gadget.blob = Data([1, 2])
        gadget.boxed = 5
        gadget.count16 = -16
        gadget.count32 = -32
        gadget.count64 = .max
        gadget.extra = ["a": 1]
        gadget.isOn = false
        gadget.link = URL(string: "https://example.org")
        gadget.made = date
        gadget.name = "näme"
        gadget.price = 1.5
        gadget.repeat = true
        gadget.seen = 99
        gadget.tag = uuid
        gadget.weight = 0.25
        try context.save()

        let other = try Library.context(coordinator)
        let same = try #require(try other.fetch(Gadget.fetchRequest()).first)
        #expect(same.isFault)
        #expect(same.amount == NSDecimalNumber(string: "1.25") && same.blob == Data([1, 2]) && same.boxed == 5)
        #expect(same.count16 == -16 && same.count32 == -32 && same.count64 == .max && same.extra == ["a": 1])
        #expect(!same.isOn && same.link == URL(string: "https://example.org") && same.made == date)
        #expect(same.name == "näme" && same.price == 1.5 && same.repeat && same.seen == 99 && same.tag == uuid)
        #expect(same.weight == 0.25)
        // What key-value coding sees is the same.
        #expect(same.value(forKey: "seen") as? Date == Date(timeIntervalSinceReferenceDate: 99))
        #expect(same.value(forKey: "count16") as? Int == -16)
        same.name = nil
        same.made = nil
        #expect(same.hasChanges && same.changedValues().keys.sorted() == ["made", "name"])
    }

    /// “An instance of the appropriate class for entity”, says Apple's reference of `init(entity:insertInto:)`.
    @Test func theBaseClassMakesObjectsOfTheEntitysClass() throws {
        let (context, _) = try Self.stack()
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Gadget", in: context))
        let object = NSManagedObject(entity: entity, insertInto: context)
        object.setValue("a", forKey: "name")
        let gadget = try #require(object as? Gadget)
        gadget.count16 = 3
        #expect(gadget.name == "a" && object.value(forKey: "count16") as? Int == 3)
        #expect(try context.fetch(Gadget.fetchRequest()).map { $0 === object } == [true])
        #expect(NSManagedObject(entity: entity, insertInto: nil) is Gadget)
        try context.save()
        context.refresh(object, mergeChanges: false)
        #expect(object.isFault && gadget.name == "a")
    }

    @Test func relationships() throws {
        let (context, coordinator) = try Self.stack()
        let gadgets = (0..<4).map { number in
            let gadget = Gadget(context: context)
            gadget.name = "\(number)"
            return gadget
        }
        let part = Part(context: context)
        gadgets[0].addToParts(part)
        #expect(part.gadget === gadgets[0] && gadgets[0].parts as? Set<Part> == [part])
        gadgets[1].addToParts(NSSet(array: [part]))
        #expect(gadgets[0].parts?.count == 0)
        gadgets[1].removeFromParts(part)
        #expect(part.gadget == nil)

        let crate = Crate(context: context)
        func names() -> [String?]? { (crate.gadgets?.array as? [Gadget])?.map(\.name) }
        crate.addToGadgets(NSOrderedSet(array: [gadgets[2], gadgets[0]]))
        crate.insertIntoGadgets(gadgets[1], at: 1)
        #expect(names() == ["2", "1", "0"] && gadgets[1].crate === crate)
        crate.replaceGadgets(at: 0, with: gadgets[3])
        #expect(names() == ["3", "1", "0"] && gadgets[2].crate == nil)
        crate.removeFromGadgets(at: 1)
        crate.addToGadgets(gadgets[1])
        #expect(names() == ["3", "0", "1"])
        gadgets[0].crate = nil
        #expect(names() == ["3", "1"])
        try context.save()
        let other = try Library.context(coordinator)
        let saved = try other.fetch(Crate.fetchRequest()).first
        #expect((saved?.gadgets?.array as? [Gadget])?.map(\.name) == ["3", "1"])
    }

    /// The slots of a parent's code hold for objects of its subentities.
    @Test func subentities() throws {
        let (context, coordinator) = try Self.stack()
        let smart = SmartGadget(context: context)
        smart.name = "a"
        smart.count64 = 5
        smart.address = "b"
        smart.addToParts(Part(context: context))
        #expect(smart.entity.name == "SmartGadget" && smart.parts?.count == 1)
        try context.save()
        let other = try Library.context(coordinator)
        let found = try other.fetch(Gadget.fetchRequest())
        let same = try #require(found.first as? SmartGadget)
        #expect(same.name == "a" && same.count64 == 5 && same.address == "b")
    }

    /// Code of another version of the model finds properties by their names.
    @Test func otherModels() throws {
        let text = """
            <model><entity name="Part" representedClassName="Part">
            <attribute name="added" attributeType="String" optional="YES"/>
            <attribute name="number" attributeType="Integer 32" optional="YES" usesScalarValueType="YES" defaultValueString="3"/>
            </entity></model>
            """
        let model = try CompiledFixture().load(text)
        let context = try Library.context(Library.coordinator(model))
        let part = Part(context: context)
        #expect(part.number == 3)
        part.number = 4
        part.setValue("x", forKey: "added")
        #expect(part.number == 4 && part.value(forKey: "number") as? Int == 4)
    }

    @Test func entityOfClass() throws {
        let (context, _) = try Self.stack()
        #expect(Gadget.entity().name == "Gadget")
        let made = NSEntityDescription.insertNewObject(forEntityName: "Gadget", into: context)
        #expect(made is Gadget)
    }
}
