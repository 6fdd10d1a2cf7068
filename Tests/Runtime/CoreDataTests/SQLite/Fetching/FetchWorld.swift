import TestSupport
import Testing

@testable import CoreData

/// Random objects of a model with every type of attribute and relationship, in a SQLite file.
final class FetchWorld {
    let fixture: CompiledFixture
    let context: NSManagedObjectContext
    let coordinator: NSPersistentStoreCoordinator
    let url: URL
    private(set) var random: SeededGenerator

    static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Thing">
                <attribute name="small" optional="YES" attributeType="Integer 16"/>
                <attribute name="whole" optional="YES" attributeType="Integer 32"/>
                <attribute name="large" optional="YES" attributeType="Integer 64"/>
                <attribute name="flag" optional="YES" attributeType="Boolean"/>
                <attribute name="real" optional="YES" attributeType="Double"/>
                <attribute name="single" optional="YES" attributeType="Float"/>
                <attribute name="price" optional="YES" attributeType="Decimal"/>
                <attribute name="day" optional="YES" attributeType="Date"/>
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="note" optional="YES" attributeType="String"/>
                <attribute name="code" optional="YES" attributeType="UUID"/>
                <attribute name="bytes" optional="YES" attributeType="Binary"/>
                <attribute name="link" optional="YES" attributeType="URI"/>
                <attribute name="list" optional="YES" attributeType="Transformable"/>
                <attribute name="passing" optional="YES" transient="YES" attributeType="String"/>
                <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Person" inverseName="things" inverseEntity="Person"/>
                <relationship name="parts" optional="YES" toMany="YES" ordered="YES" destinationEntity="Part" inverseName="thing" inverseEntity="Part"/>
                <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag" inverseName="things" inverseEntity="Tag"/>
                <relationship name="related" optional="YES" toMany="YES" destinationEntity="Thing" inverseName="relatedBy" inverseEntity="Thing"/>
                <relationship name="relatedBy" optional="YES" toMany="YES" destinationEntity="Thing" inverseName="related" inverseEntity="Thing"/>
                <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
                <fetchIndex name="byWhole"><fetchIndexElement property="whole" type="Binary" order="ascending"/></fetchIndex>
            </entity>
            <entity name="Book" parentEntity="Thing">
                <attribute name="pages" optional="YES" attributeType="Integer 32"/>
            </entity>
            <entity name="Novel" parentEntity="Book">
                <attribute name="genre" optional="YES" attributeType="String"/>
            </entity>
            <entity name="Person">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="age" optional="YES" attributeType="Integer 16"/>
                <relationship name="boss" optional="YES" maxCount="1" destinationEntity="Person" inverseName="staff" inverseEntity="Person"/>
                <relationship name="staff" optional="YES" toMany="YES" destinationEntity="Person" inverseName="boss" inverseEntity="Person"/>
                <relationship name="things" optional="YES" toMany="YES" destinationEntity="Thing" inverseName="owner" inverseEntity="Thing"/>
            </entity>
            <entity name="Part">
                <attribute name="title" optional="YES" attributeType="String"/>
                <attribute name="size" optional="YES" attributeType="Integer 64"/>
                <attribute name="cost" optional="YES" attributeType="Decimal"/>
                <relationship name="thing" optional="YES" maxCount="1" destinationEntity="Thing" inverseName="parts" inverseEntity="Thing"/>
            </entity>
            <entity name="Tag">
                <attribute name="label" optional="YES" attributeType="String"/>
                <attribute name="weight" optional="YES" attributeType="Double"/>
                <relationship name="things" optional="YES" toMany="YES" ordered="YES" destinationEntity="Thing" inverseName="tags" inverseEntity="Thing"/>
            </entity>
        </model>
        """

    init(seed: UInt64, things: Int = 24) throws {
        random = SeededGenerator(seed: seed)
        fixture = try CompiledFixture()
        url = fixture.folder.appendingPathComponent("World.sqlite")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: try fixture.load(Self.model))
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try fill(things)
    }

    // MARK: Values

    func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    func pick<Element>(_ elements: [Element]) -> Element { elements[chance(elements.count)] }

    private func some(_ value: @autoclosure () -> Any) -> Any? { chance(4) == 0 ? nil : value() }

    static let words = [
        "a", "b", "A", "ab", "Ab", "éa", "e\u{301}a", "ea", "EA", "straße", "STRASSE", "x*y", "x?y", "a.b", "100%", "_",
        "", "æ", "K", "\u{212A}", "z", "zz", "日本", "naïve", "naive", "o'neil", "\"", "\\", "😀", "\u{FF5E}", "a\nb",
    ]
    static let days = [0.0, 0.5, 1_000_000, -86400, 631_152_000.25]
    static let uuids = [
        "00000000-0000-0000-0000-000000000001", "7F000000-0000-0000-0000-000000000000",
        "FFFFFFFF-0000-0000-0000-00000000000A",
    ]
    static let links = ["http://a.b/c", "file:///x", "http://a.b/d?e=1"]
    static let prices = ["0", "1", "0.1", "0.2", "0.3", "19.99", "-5.5", "100"]

    func word() -> String { chance(3) == 0 ? pick(Self.words) + pick(Self.words) : pick(Self.words) }

    func whole() -> Int { chance(12) == 0 ? pick([Int(Int32.max), Int(Int32.min), 1000]) : chance(9) - 3 }

    private func fill(_ count: Int) throws {
        let people = (0..<count / 3).map { _ in insert("Person") }
        for person in people {
            person.setValue(some(self.word()), forKey: "name")
            person.setValue(some(self.chance(6)), forKey: "age")
            person.setValue(some(self.pick(people)), forKey: "boss")
        }
        let tags = (0..<5).map { _ in insert("Tag") }
        for tag in tags {
            tag.setValue(some(self.word()), forKey: "label")
            tag.setValue(some(Double(self.chance(9)) / 2), forKey: "weight")
        }
        let things = (0..<count).map { _ in insert(pick(["Thing", "Book", "Novel"])) }
        for thing in things { fill(thing, people, tags, things) }
        try context.save()
        context.reset()
    }

    private func insert(_ entity: String) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }

    private func fill(
        _ thing: NSManagedObject, _ people: [NSManagedObject], _ tags: [NSManagedObject], _ things: [NSManagedObject]
    ) {
        thing.setValue(some(self.chance(6) - 2), forKey: "small")
        thing.setValue(some(self.whole()), forKey: "whole")
        thing.setValue(
            some(self.chance(10) == 0 ? self.pick([Int64.max, .min]) : Int64(self.chance(6) - 2)), forKey: "large")
        thing.setValue(some(self.chance(2) == 0), forKey: "flag")
        thing.setValue(some(Double(self.chance(12) - 4) / 2), forKey: "real")
        thing.setValue(some(Float(self.chance(12) - 4) / 4), forKey: "single")
        thing.setValue(some(NSDecimalNumber(string: self.pick(Self.prices))), forKey: "price")
        thing.setValue(some(Date(timeIntervalSinceReferenceDate: self.pick(Self.days))), forKey: "day")
        thing.setValue(some(self.word()), forKey: "name")
        thing.setValue(some(self.word()), forKey: "note")
        thing.setValue(some(UUID(uuidString: self.pick(Self.uuids)) ?? UUID()), forKey: "code")
        thing.setValue(some(Data((0..<self.chance(3)).map { _ in UInt8(self.chance(3)) * 100 })), forKey: "bytes")
        thing.setValue(some(URL(string: self.pick(Self.links)) ?? URL(fileURLWithPath: "/")), forKey: "link")
        thing.setValue(some(self.pick(people)), forKey: "owner")
        thing.mutableSetValue(forKey: "tags").addObjects(from: tags.filter { _ in chance(3) == 0 })
        thing.mutableSetValue(forKey: "related").addObjects(from: things.filter { _ in chance(8) == 0 })
        let parts = (0..<chance(4)).map { _ in insert("Part") }
        for part in parts {
            part.setValue(some(self.word()), forKey: "title")
            part.setValue(some(self.chance(6) - 1), forKey: "size")
            part.setValue(some(NSDecimalNumber(string: self.pick(Self.prices))), forKey: "cost")
        }
        thing.setValue(NSOrderedSet(array: parts), forKey: "parts")
        if thing.entity.name != "Thing" { thing.setValue(some(self.chance(300)), forKey: "pages") }
        if thing.entity.name == "Novel" { thing.setValue(some(self.word()), forKey: "genre") }
    }

    // MARK: Both ways

    /// Returns the objects of an entity.
    func objects(_ entity: String) throws -> [NSManagedObject] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
    }

    /// Returns a translator of requests to SQL, and a connection to run it on.
    func database() throws -> (FetchTranslator, TestDatabase) {
        let database = try TestDatabase(path: url.path)
        #expect(SQLFunctions.register(on: database.handle) == 0)
        let model = coordinator.managedObjectModel
        let schema = try SchemaBuilder.schema(of: model.entities, in: FileLayout(database))
        let layouts = model.entities.map { $0.objectLayout() }
        let fetchModel = FetchModel(schema, layouts) { id in
            if case .number(let key) = id.reference { key } else { nil }
        }
        return (FetchTranslator(model: fetchModel), database)
    }
}

extension NSManagedObject {
    /// The key of a saved object.
    var key: Int64 { if case .number(let key) = objectID.reference { key } else { -1 } }
}
