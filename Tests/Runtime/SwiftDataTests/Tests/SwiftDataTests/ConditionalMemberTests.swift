import SwiftData
import Testing

/// Members of a model that are in `#if` clauses: a macro sees all of these.
@Suite struct ConditionalMemberTests {
    @Model final class Inactive {
        var first = 1
        #if os(iOS)
        var inactive = 2
        #Unique<Inactive>([\.inactive])
        #endif
        var last = 3
        init() {}
    }

    @Model final class Clauses {
        #if os(iOS)
        var left = 0.5
        var both = 1
        #elseif os(Linux)
        var both = "both"
        var right: Int?
        #if DEBUG || !DEBUG
        @Attribute(.unique) var inner = 7
        #else
        var outer = 8
        #endif
        #Index<Clauses>([\.both])
        #else
        let other: Int
        #endif
        let last: String
        #if os(iOS)
        @Transient var undefined: Int
        init() { undefined = 1 }
        #else
        @Transient var defined = 1
        init(last: String) { self.last = last }
        #endif
    }

    @Model class Base {
        #if os(iOS)
        var inactive = 1
        #endif
        var name = "base"
        init() {}
    }

    @Model final class Derived: Base {
        #if os(iOS)
        var phone = 1
        #else
        var server = 2
        #endif
        var end = 3
        override init() { super.init() }
    }

    @Test func inactivePropertiesAreNotInTheSchema() throws {
        let schema = Schema([Inactive.self, Clauses.self, Base.self, Derived.self])
        func names(_ entity: String) -> [String]? { schema.entitiesByName[entity]?.attributes.map(\.name).sorted() }
        #expect(names("Inactive") == ["first", "last"])
        #expect(names("Clauses") == ["both", "inner", "last", "right"])
        #expect(names("Derived") == ["end", "server"])
        #expect(schema.entitiesByName["Clauses"]?.uniquenessConstraints == [["inner"]])
        #expect(schema.entitiesByName["Clauses"]?.indices == [["both"]])
        #expect(schema.entitiesByName["Inactive"]?.uniquenessConstraints == [])
    }

    @Test func activePropertiesAreStored() throws {
        let container = try makeContainer(Inactive.self, Clauses.self, Base.self, Derived.self)
        let context = ModelContext(container)
        let inactive = Inactive()
        inactive.last = 4
        let clauses = Clauses(last: "z")
        clauses.both = "changed"
        clauses.inner = 9
        let derived = Derived()
        derived.name = "derived"
        derived.server = 5
        for model in [inactive, clauses, derived] as [any PersistentModel] { context.insert(model) }
        try context.save()
        let other = ModelContext(container)
        let first = try #require(try other.fetch(FetchDescriptor<Inactive>()).first)
        #expect(first.first == 1 && first.last == 4)
        let second = try #require(
            try other.fetch(FetchDescriptor<Clauses>(predicate: #Predicate { $0.inner == 9 && $0.last == "z" })).first)
        #expect(second.both == "changed" && second.right == nil && second.inner == 9 && second.last == "z")
        let third = try #require(
            try other.fetch(FetchDescriptor<Derived>(predicate: #Predicate { $0.server == 5 && $0.name == "derived" }))
                .first)
        #expect(third.name == "derived" && third.server == 5 && third.end == 3)
    }
}
