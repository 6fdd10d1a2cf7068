import SwiftData
import Testing

// Declarations as public projects write them.

package enum Priority: Int, Codable, Comparable, CaseIterable, Sendable {
    case low = 0
    case medium = 1
    case high = 2

    package static func < (lhs: Priority, rhs: Priority) -> Bool { lhs.rawValue < rhs.rawValue }
}

struct Coordinate: Codable, Hashable {
    var latitude: Double
    var longitude: Double
}

struct Checklist: Codable, Hashable, Identifiable {
    var id = UUID()
    var title: String
    var isDone = false
}

enum Repeat: Codable, Equatable {
    case never
    case every(days: Int)
}

@Model
package final class Task_: Identifiable {
    @Attribute(.unique) package var id: UUID = UUID()
    package private(set) var title: String
    fileprivate var _notes: String?
    var priorityRaw: Int = Priority.medium.rawValue
    var priority: Priority = Priority.medium
    var due: Date? = nil
    var createdAt = Date.now
    var updatedAt: Date = Date()
    var location: Coordinate?
    var checklist: [Checklist] = []
    var repeats: Repeat = Repeat.never
    var settings: [String: Int] = [:]
    var ids: Set<String> = []
    var amount: Decimal = 0
    var link: URL?
    var ratio: Float = 0.5
    var small: Int16 = 3
    var big: UInt64 = .max
    var interval: TimeInterval = 60
    var scores: [Double]? = nil
    var dates: [Date] = []
    @Transient var isSelected: Bool = false
    @Transient var hidden: String?
    @Relationship(deleteRule: .nullify, inverse: \Project.tasks) var project: Project?
    @Relationship var assignee: Person?
    static let limit = 10
    lazy var expensive = 1
    var computed: String { title.uppercased() }
    var notes: String {
        get { _notes ?? "" }
        set { _notes = newValue }
    }

    package init(title: String, priority: Priority = .medium) {
        self.title = title
        self.priority = priority
    }

    convenience init(copy other: Task_) {
        self.init(title: other.title, priority: other.priority)
        self.due = other.due
    }
}

@Model
class Project {
    var name: String
    @Relationship(deleteRule: .cascade) var tasks: [Task_]? = []
    var owner: Person?

    init(name: String) {
        self.name = name
    }
}

@Model
final class Person {
    var firstName: String
    var `class`: String = "a"
    var assigned: [Task_] = []
    @Relationship(deleteRule: .deny, inverse: \Project.owner) var owned: [Project] = []
    var parent: Person?
    @Relationship(deleteRule: .cascade, inverse: \Person.parent) var children: [Person] = []

    init(firstName: String) {
        self.firstName = firstName
    }
}

extension Person {
    @Model
    final class Badge {
        var text: String = ""
        init(text: String) { self.text = text }
    }
}

/// A repository over any model.
struct Repository<Model: PersistentModel> {
    let context: ModelContext

    func all(where predicate: Predicate<Model>? = nil, sortBy: [SortDescriptor<Model>] = []) throws -> [Model] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: sortBy))
    }

    func find(_ id: PersistentIdentifier) throws -> Model? {
        var descriptor = FetchDescriptor<Model>(predicate: #Predicate { $0.persistentModelID == id })
        descriptor.fetchLimit = 1
        return try context.fetch(descriptor).first
    }
}

@Suite struct DeclarationTests {
    private let context: ModelContext

    init() throws {
        context = ModelContext(try makeContainer(Task_.self, Person.Badge.self))
    }

    @Test func valuesOfAllTypesAreSaved() throws {
        let task = Task_(title: "t", priority: .high)
        task.notes = "n"
        task.location = Coordinate(latitude: 1.5, longitude: -2)
        task.checklist = [Checklist(title: "one"), Checklist(title: "two", isDone: true)]
        task.repeats = .every(days: 3)
        task.settings = ["a": 1]
        task.ids = ["x", "y"]
        task.amount = Decimal(string: "12.34") ?? 0
        task.link = URL(string: "https://example.com/a")
        task.scores = [1.5, 2.5]
        task.dates = [Date(timeIntervalSinceReferenceDate: 10)]
        task.isSelected = true
        task.hidden = "h"
        let list = task.checklist
        context.insert(task)
        #expect(task.checklist == list && task.repeats == .every(days: 3) && task.priority == .high)
        try context.save()
        let found = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Task_>()).first)
        #expect(found.title == "t" && found.notes == "n" && found.priority == .high && found.priorityRaw == 1)
        #expect(found.id == task.id && found.createdAt == task.createdAt && found.due == nil)
        #expect(found.location == Coordinate(latitude: 1.5, longitude: -2))
        #expect(found.checklist == list)
        #expect(found.repeats == .every(days: 3))
        #expect(found.settings == ["a": 1] && found.ids == ["x", "y"])
        #expect(found.amount == task.amount && found.link == task.link)
        #expect(found.ratio == 0.5 && found.small == 3 && found.big == .max && found.interval == 60)
        #expect(found.scores == [1.5, 2.5] && found.dates == task.dates)
        #expect(!found.isSelected && found.hidden == nil)
        task.location = nil
        task.checklist[0].isDone = true
        task.scores = nil
        try context.save()
        let again = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Task_>()).first)
        #expect(again.location == nil && again.scores == nil)
        #expect(again.checklist.map(\.isDone) == [true, true])
    }

    @Test func graphsAreInsertedWhole() throws {
        let project = Project(name: "p")
        let person = Person(firstName: "a")
        project.owner = person
        project.tasks = [Task_(title: "1"), Task_(title: "2")]
        project.tasks?.append(Task_(title: "3"))
        project.tasks?.first?.assignee = person
        context.insert(project)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Task_>()) == 3)
        #expect(person.owned.map(\.name) == ["p"])
        #expect(person.assigned.map(\.title) == ["1"])
        #expect(project.tasks?.allSatisfy { $0.project === project } == true)
    }

    @Test func deniedDeletionFails() throws {
        let person = Person(firstName: "a")
        let project = Project(name: "p")
        project.owner = person
        context.insert(project)
        try context.save()
        context.delete(person)
        #expect(throws: (any Error).self) { try context.save() }
    }

    @Test func modelsOfOneClassFormATree() throws {
        let root = Person(firstName: "root")
        context.insert(root)
        for name in ["a", "b"] {
            let child = Person(firstName: name)
            child.parent = root
            child.children = [Person(firstName: name + name)]
        }
        #expect(root.children.map(\.firstName) == ["a", "b"])
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Person>()) == 5)
        context.delete(root)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Person>()) == 0)
    }

    @Test func genericRepositoriesFetchAnyModel() throws {
        let repository = Repository<Task_>(context: context)
        for (title, priority) in [("b", Priority.low), ("a", .high)] {
            context.insert(Task_(title: title, priority: priority))
        }
        try context.save()
        #expect(try repository.all(sortBy: [SortDescriptor(\.title)]).map(\.title) == ["a", "b"])
        let first = try #require(try repository.all(where: #Predicate { $0.title == "b" }).first)
        #expect(try repository.find(first.persistentModelID) === first)
        let sorted = try repository.all(sortBy: [SortDescriptor(\.priority, order: .reverse)])
        #expect(sorted.map(\.priority) == [.high, .low])
        let high = Priority.high
        #expect(try repository.all(where: #Predicate { $0.priority == high }).map(\.title) == ["a"])
        let raws = [Priority.low, .medium]
        #expect(try repository.all(where: #Predicate { raws.contains($0.priority) }).map(\.title) == ["b"])
        let now = Date.now.addingTimeInterval(100)
        #expect(try repository.all(where: #Predicate { $0.due == nil && $0.createdAt < now }).count == 2)
    }

    @Test func provisionalValuesNeedAPermissionInFiles() throws {
        // Files in the temporary folder are allowed to have them.
        let url = URL(fileURLWithPath: "/nonexistent/\(UUID().uuidString).store")
        #expect(throws: SwiftDataError.unknownSchema) {
            try ModelContainer(for: Task_.self, configurations: ModelConfiguration(url: url))
        }
    }

    @Test func transactionSaves() throws {
        try context.transaction {
            context.insert(Person(firstName: "x"))
        }
        #expect(!context.hasChanges)
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Person>()) == 1)
    }

    @Test func changesAreUndoneAndRedone() throws {
        let person = Person(firstName: "x")
        context.insert(person)
        try context.save()
        context.undoManager = UndoManager()
        person.firstName = "y"
        context.processPendingChanges()
        context.undoManager?.undo()
        #expect(person.firstName == "x")
        context.undoManager?.redo()
        #expect(person.firstName == "y")
    }

    @Test func deletingAllDataReachesAllContexts() throws {
        let person = Person(firstName: "x")
        let project = Project(name: "p")
        project.owner = person
        project.tasks = (0..<20).map { Task_(title: "\($0)") }
        context.insert(project)
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(FetchDescriptor<Project>()).count == 1)
        context.container.deleteAllData()
        for context in [context, other] {
            #expect(try context.fetchCount(FetchDescriptor<Person>()) == 0)
            #expect(try context.fetchCount(FetchDescriptor<Task_>()) == 0)
            #expect(try context.fetch(FetchDescriptor<Project>()).isEmpty)
        }
        context.insert(Person(firstName: "y"))
        try context.save()
        #expect(try other.fetchCount(FetchDescriptor<Person>()) == 1)
    }
}
