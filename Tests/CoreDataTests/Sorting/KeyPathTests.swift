import CoreData
import Testing

/// Swift key paths as the key paths of key-value coding: what `NSSortDescriptor(keyPath:)` and `SortDescriptor` name, for the
/// classes that modelc generates and those that people write.
@Suite struct KeyPathTests {
    // Models are known as long as they are there.
    private let coordinators: [NSPersistentStoreCoordinator]

    init() throws {
        coordinators = [try Volume.coordinator(), try PortableCodeTests.stack().1]
    }

    private func key<Root: NSManagedObject, Value>(_ keyPath: KeyPath<Root, Value>) -> String? {
        NSSortDescriptor(keyPath: keyPath, ascending: true).key
    }

    @Test func generatedClasses() {
        #expect(key(\Gadget.name) == "name" && key(\Gadget.count16) == "count16" && key(\Gadget.count64) == "count64")
        #expect(key(\Gadget.isOn) == "isOn" && key(\Gadget.weight) == "weight" && key(\Gadget.price) == "price")
        #expect(key(\Gadget.amount) == "amount" && key(\Gadget.seen) == "seen" && key(\Gadget.blob) == "blob")
        #expect(key(\Gadget.link) == "link" && key(\Gadget.tag) == "tag" && key(\Gadget.made) == "made")
        #expect(key(\Gadget.boxed) == "boxed" && key(\Gadget.`repeat`) == "repeat")
        #expect(key(\Crate.gadgets) == "gadgets")
        #expect(key(\Gadget.objectID) == "objectID" && key(\Gadget.self) == "self")
    }

    @Test func paths() throws {
        #expect(key(\Volume.author?.name) == "author.name" && key(\Volume.author!.name) == "author.name")
        #expect(key(\Volume.author) == "author" && key(\Writer.volumes) == "books")
        #expect(key(\Volume.sequel?.sequel?.title) == "sequel.sequel.title")
        #expect(key(\Volume.title) == "title" && key(\Volume.cost) == "cost" && key(\Volume.isFresh) == "isNew")
        #expect(key(\Volume.tags) == "tags" && key(\Volume.author?.volumes) == "author.books")
        // Foundation's own initializers have not taken them.
        #expect(NSSortDescriptor(keyPath: \Volume.pages, ascending: false).key == "pages")
        #expect(NSSortDescriptor(keyPath: \Volume.pages, ascending: true) { _, _ in .orderedSame }.key == "pages")
        #expect(NSSortDescriptor(keyPath: \NSString.length, ascending: true).key == nil)
    }

    @Test func computedPropertiesStopTheProgram() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Library.context(Volume.coordinator())
            _ = NSSortDescriptor(keyPath: \Volume.knownAuthorName, ascending: true)
            withExtendedLifetime(context) {}
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("Could not extract a String from KeyPath"))
    }

    @Test func sorting() throws {
        let context = try Library.context(Volume.coordinator())
        let writers = ["B", "A"].map { context.make("Author", ["name": $0]) }
        for (number, writer) in zip(1..., [writers[0], writers[1], writers[0]]) {
            _ = context.make("Book", ["title": "\(number)", "pages": number, "author": writer])
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [
            NSSortDescriptor(keyPath: \Volume.author?.name, ascending: true),
            NSSortDescriptor(keyPath: \Volume.pages, ascending: false),
        ]
        #expect(request.sortDescriptors?.map(\.key) == ["author.name", "pages"])
        #expect(try context.fetch(request).map { $0.value(forKey: "title") as? String } == ["2", "3", "1"])
    }

    @Test func swiftSortDescriptors() throws {
        let descriptors = [SortDescriptor(\Volume.pages, order: .reverse), SortDescriptor(\Volume.title)]
            .map { NSSortDescriptor($0) }
        #expect(descriptors.map(\.key) == ["pages", "title"] && descriptors.map(\.ascending) == [false, true])
        // One that is not a property of the model still sorts in memory.
        let computed = NSSortDescriptor(SortDescriptor(\Volume.loudTitle, order: .reverse))
        let context = try Library.context(Volume.coordinator())
        let (one, other) = (context.make("Book", ["title": "a"]), context.make("Book", ["title": "b"]))
        #expect(computed.compare(one, to: other) == .orderedDescending)
    }

    @Test func classesThatNoModelHas() {
        #expect(key(\Stranger.name) == "name" && key(\Stranger.made) == "made" && key(\Stranger.link) == "link")
        #expect(key(\Stranger.mood) == "mood" && key(\Stranger.fixed) == "fixed" && key(\Stranger.hue) == "hue")
        #expect(key(\Stranger.friend) == "friend" && key(\Stranger.friend.name) == "friend.name")
        #expect(key(\Stranger.foe?.friend.mood) == "foe.friend.mood")
        #expect(key(\Stranger.friends) == "friends" && key(\Stranger.list) == "list")
        #expect(key(\Stranger.primitiveName) == "primitiveName")
        #expect(key(\Stranger.named) == "named")
    }

    @Test func relationshipsAndEnumerationsOfAModel() throws {
        let model = Library.model()
        model.entitiesByName["Book"]?.managedObjectClassName = "CoreDataTests.StrictVolume"
        model.entitiesByName["Author"]?.managedObjectClassName = "CoreDataTests.Writer"
        let coordinator = try Library.coordinator(model)
        #expect(key(\StrictVolume.author.name) == "author.name" && key(\StrictVolume.author) == "author")
        #expect(key(\StrictVolume.size) == "pages" && key(\StrictVolume.sequel.sequel.size) == "sequel.sequel.pages")
        withExtendedLifetime(coordinator) {}
    }

    @Test func aClassOfSeveralModelsIsFollowedInTheModelWhoseClassesFit() throws {
        func coordinator(book: String) throws -> NSPersistentStoreCoordinator {
            let model = Library.model()
            model.entitiesByName["Book"]?.managedObjectClassName = "CoreDataTests.\(book)"
            model.entitiesByName["Author"]?.managedObjectClassName = "CoreDataTests.Lyricist"
            return try Library.coordinator(model)
        }
        // In the newer model, the relationship leads to objects that the accessor cannot return.
        let coordinators = [try coordinator(book: "Lyric"), try coordinator(book: "StrictVolume")]
        #expect(key(\Lyricist.lyrics) == "books")
        withExtendedLifetime(coordinators) {}
    }

    @Test func stringsAsOnApplesPlatforms() {
        #expect((\Volume.author?.name)._kvcKeyPathString == "author.name")
        func string(of keyPath: AnyKeyPath) -> String? { keyPath._kvcKeyPathString }
        func partial<Root>(_ keyPath: PartialKeyPath<Root>) -> String? { keyPath._kvcKeyPathString }
        #expect(string(of: \Stranger.friend.name) == "friend.name" && partial(\Volume.title) == "title")
        #expect((\String.count)._kvcKeyPathString == nil && (\Volume.loudTitle)._kvcKeyPathString == nil)
    }
}

/// A class of no model, with accessors as the plugin writes them for `@NSManaged`.
class Stranger: NSManagedObject {
    enum Mood: Int16 { case good = 100, bad = 200 }
    enum Fixed: Int { case only = -5000 }
    final class Hue {}

    required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        name = "new"
    }

    var name: String {
        get { readManaged("name") }
        set { writeManaged(newValue, "name") }
    }
    var primitiveName: String { readPrimitive("primitiveName") }
    var made: Date { readManaged("made") }
    var link: URL { readManaged("link") }
    var mood: Mood { readManaged("mood") }
    var fixed: Fixed { readManaged("fixed") }
    var hue: Hue { readManaged("hue") }
    var friend: Stranger { readManaged("friend") }
    var foe: Stranger? { readManaged("foe") }
    var friends: NSSet { readManaged("friends") }
    var list: NSOrderedSet { readManaged("list") }
    var named: String? {
        setPrimitiveValue("x", forKey: "named")
        setValue("y", forKey: "other")
        return primitiveValue(forKey: "named") as? String
    }
}

/// A book whose properties are not optional, with accessors as the plugin writes them for `@NSManaged`.
class StrictVolume: NSManagedObject {
    enum Size: Int32 { case small, large = 7 }

    var author: Writer { readManaged("author") }
    var sequel: StrictVolume { readManaged("sequel") }
    var size: Size { readManaged("pages") }
}

/// A class as people write it, for the entity Book of `Library`.
class Volume: NSManagedObject {
    var title: String? {
        get { value(forKey: "title") as? String }
        set { setValue(newValue, forKey: "title") }
    }
    var pages: Int32 {
        get { value(forKey: "pages") as? Int32 ?? 0 }
        set { setValue(newValue, forKey: "pages") }
    }
    var cost: NSDecimalNumber? { value(forKey: "cost") as? NSDecimalNumber }
    var isFresh: Bool { value(forKey: "isNew") as? Bool ?? false }
    var author: Writer? {
        willAccessValue(forKey: "author")
        defer { didAccessValue(forKey: "author") }
        return primitiveValue(forKey: "author") as? Writer
    }
    var sequel: Volume? { value(forKey: "sequel") as? Volume }
    var tags: Set<NSManagedObject> { value(forKey: "tags") as? Set<NSManagedObject> ?? [] }
    var price: Double { value(forKey: "price") as? Double ?? 0 }
    var date: Date? { value(forKey: "date") as? Date }

    var loudTitle: String { (title ?? "").uppercased() + "!" }
    var isLong: Bool { pages > 1_000_000_000 }
    var knownAuthorName: String? { author?.name ?? "unknown" }
    var constant: Int { 3 }
    var copies: [Volume] { [self] }

    /// A coordinator whose model has these classes, with the key paths of which the process is done.
    static func coordinator() throws -> NSPersistentStoreCoordinator {
        let model = Library.model()
        model.entitiesByName["Book"]?.managedObjectClassName = "CoreDataTests.Volume"
        model.entitiesByName["Author"]?.managedObjectClassName = "CoreDataTests.Writer"
        return try Library.coordinator(model)
    }
}

/// An author that two models have, and the class of its books in one of them.
class Lyricist: NSManagedObject {
    var lyrics: Set<Lyric> { value(forKey: "books") as? Set<Lyric> ?? [] }
}

class Lyric: NSManagedObject {}

/// An author with accessors, for `Volume`.
class Writer: NSManagedObject {
    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
    var age: Int32 { value(forKey: "age") as? Int32 ?? 0 }
    var volumes: Set<Volume> { value(forKey: "books") as? Set<Volume> ?? [] }
}
