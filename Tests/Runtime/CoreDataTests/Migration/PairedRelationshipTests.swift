import SeededRandom
import Testing

@testable import CoreData

/// Migrations in which the pairing of properties, or of relationships with their inverses, changes.
///
/// The in-place migration and a manager give the same result.
@Suite struct PairedRelationshipTests {
    private static let tag = "<attribute name=\"tag\" optional=\"YES\" attributeType=\"String\"/>"

    private static func entity(_ name: String, _ properties: String, parent: String? = nil) -> String {
        let parent = parent.map { " parentEntity=\"\($0)\"" } ?? ""
        return "<entity name=\"\(name)\"\(parent)>\(parent.isEmpty ? tag : "")\(properties)</entity>"
    }

    private static func relationship(_ name: String, _ to: String, isToMany: Bool, inverse: String?) -> String {
        let count = isToMany ? "toMany=\"YES\"" : "maxCount=\"1\""
        let inverse = inverse.map { " inverseName=\"\($0)\" inverseEntity=\"\(to)\"" } ?? ""
        return "<relationship name=\"\(name)\" optional=\"YES\" \(count) deletionRule=\"Nullify\" "
            + "destinationEntity=\"\(to)\"\(inverse)/>"
    }

    /// Returns the values of all objects by their tags; members of relationships are sorted.
    private static func values(_ context: NSManagedObjectContext, _ keys: [String: [String]]) throws -> [String: String]
    {
        var result: [String: String] = [:]
        for (entity, keys) in keys {
            for object in try context.all(entity) where object.entity.name == entity {
                for key in keys {
                    let value = object.value(forKey: key)
                    let members =
                        (value as? NSManagedObject).map { [$0] } ?? (value as? Set<NSManagedObject>).map(Array.init)
                    let tags = members?.compactMap { $0.value(forKey: "tag") as? String }.sorted().joined(
                        separator: " ")
                    result["\(object.value(forKey: "tag") ?? "").\(key)"] = tags ?? value.map { "\($0)" } ?? ""
                }
            }
        }
        return result
    }

    /// Migrates a store in place, and a copy using a manager, and returns the values of both.
    private static func migrated(
        _ old: String, to new: String, _ keys: [String: [String]], fill: (NSManagedObjectContext) -> Void
    ) throws -> (inPlace: [String: String], manager: [String: String]) {
        let fixture = try MigrationFixture(old)
        try fixture.fill { fill($0) }
        let (source, destination) = (try MigrationFixture.model(old), try MigrationFixture.model(new))
        let copy = try TestStore(destination)
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
            from: fixture.store.url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: copy.url,
            destinationType: NSSQLiteStoreType)
        let context = try copy.open(model: destination)
        let manager = try context.performAndWait { try values(context, keys) }
        try TestStore.close(context)
        var inPlace: [String: String] = [:]
        try fixture.migrate(to: new) { inPlace = try values($0, keys) }
        return (inPlace, manager)
    }

    /// Two relationships become each other's inverses, as the rule `missing-inverse` advises: the links of both stay
    /// as far as they agree.
    @Test(arguments: [(true, true), (true, false), (false, false)])
    func relationshipsThatBecomeInversesKeepTheirLinks(first: Bool, second: Bool) throws {
        func model(_ isPaired: Bool) -> String {
            Self.entity("A", Self.relationship("u", "B", isToMany: first, inverse: isPaired ? "r" : nil))
                + Self.entity("B", Self.relationship("r", "A", isToMany: second, inverse: isPaired ? "u" : nil))
        }
        let (inPlace, manager) = try Self.migrated(model(false), to: model(true), ["A": ["u"], "B": ["r"]]) { context in
            let owners = (1...4).map { context.make("A", ["tag": "a\($0)"]) }
            let members = (0...3).map { context.make("B", ["tag": "b\($0)"]) }
            func link(_ object: NSManagedObject, _ key: String, _ other: NSManagedObject, isToMany: Bool) {
                if isToMany {
                    object.mutableSetValue(forKey: key).add(other)
                } else {
                    object.setValue(other, forKey: key)
                }
            }
            link(owners[0], "u", members[0], isToMany: first)
            link(owners[2], "u", members[2], isToMany: first)
            link(members[0], "r", owners[1], isToMany: second)
            link(members[3], "r", owners[3], isToMany: second)
        }
        // The end of B decides where a member has one owner.
        let shared = first && second
        let expected = [
            "a1.u": shared ? "b0" : "", "a2.u": "b0", "a3.u": "b2", "a4.u": "b3", "b0.r": shared ? "a1 a2" : "a2",
            "b1.r": "", "b2.r": "a3", "b3.r": "a4",
        ]
        #expect(inPlace == expected)
        #expect(manager == expected)
    }

    /// Links of relationships that become each other's inverses are lost where they differ. Those that are lost are
    /// counted before.
    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func lostLinksOfRelationshipsThatBecomeInversesAreCounted(first: Bool, second: Bool) throws {
        func model(_ isPaired: Bool) -> String {
            Self.entity("A", Self.relationship("u", "B", isToMany: first, inverse: isPaired ? "r" : nil))
                + Self.entity("B", Self.relationship("r", "A", isToMany: second, inverse: isPaired ? "u" : nil))
        }
        let keys = ["A": ["u"], "B": ["r"]]
        func links(_ values: [String: String], _ key: String) -> Set<String> {
            Set(
                values.filter { $0.key.hasSuffix(".\(key)") }.flatMap { name, members in
                    members.split(separator: " ").map { "\(name) \($0)" }
                })
        }
        for seed in 0..<8 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let fixture = try MigrationFixture(model(false))
            var before: [String: String] = [:]
            try fixture.fill { context in
                let owners = (1...8).map { context.make("A", ["tag": "a\($0)"]) }
                let members = (1...8).map { context.make("B", ["tag": "b\($0)"]) }
                try context.obtainPermanentIDs(for: owners + members)
                for (objects, key, others, isToMany) in [
                    (owners, "u", members, first), (members, "r", owners, second),
                ] {
                    // An object is a member of one object's relationship.
                    var free = others.shuffled(using: &generator)
                    for object in objects where Bool.random(using: &generator) {
                        if !isToMany {
                            object.setValue(others.randomElement(using: &generator), forKey: key)
                        } else if let other = free.popLast() {
                            object.mutableSetValue(forKey: key).add(other)
                        }
                    }
                }
                before = try Self.values(context, keys)
            }
            let migrator = try StoreMigrator(
                path: fixture.store.url.path, from: try MigrationFixture.model(model(false)),
                to: try MigrationFixture.model(model(true)))
            let counts = try migrator.preview().losses.reduce(into: [:]) {
                $0[$1.property ?? "", default: 0] += $1.count
            }
            var after: [String: String] = [:]
            try fixture.migrate(to: model(true)) { after = try Self.values($0, keys) }
            for key in ["u", "r"] {
                let lost = links(before, key).subtracting(links(after, key))
                #expect(counts[key] ?? 0 == lost.count, "\(seed) \(key): \(lost)")
            }
        }
    }

    /// A to-many relationship without an inverse is stored in the rows of its members: of several owners, the first
    /// keeps a member. There are more owners than a manager keeps in memory.
    @Test(arguments: [(false, nil), (true, "r")])
    func theFirstOwnerKeepsAMemberOfARelationshipWithoutAnInverse(wasToMany: Bool, inverse: String?) throws {
        let back = inverse.map { Self.relationship($0, "A", isToMany: true, inverse: "u") } ?? ""
        let old =
            Self.entity("A", Self.relationship("u", "B", isToMany: wasToMany, inverse: inverse))
            + Self.entity("B", back) + Self.entity("C", "", parent: "A")
        let new =
            Self.entity("A", Self.relationship("u", "B", isToMany: true, inverse: nil)) + Self.entity("B", "")
            + Self.entity("C", "", parent: "A")
        let (inPlace, manager) = try Self.migrated(old, to: new, ["A": ["u"], "C": ["u"]]) { context in
            let members = (1...2).map { context.make("B", ["tag": "b\($0)"]) }
            let owners = (1...1200).map { context.make($0 == 1200 ? "C" : "A", ["tag": "a\($0)"]) }
            #expect(throws: Never.self) { try context.obtainPermanentIDs(for: owners) }
            for (index, owner) in owners.enumerated() {
                let member = members[index == 0 || index == 1100 ? 0 : 1]
                if wasToMany {
                    owner.mutableSetValue(forKey: "u").add(member)
                } else {
                    owner.setValue(member, forKey: "u")
                }
            }
        }
        let expected = ["a1.u": "b1", "a2.u": "b2"]
        #expect(inPlace.count == 1200 && inPlace.filter { $0.value != "" } == expected)
        #expect(manager.count == 1200 && manager.filter { $0.value != "" } == expected)
    }

    /// Other stores keep the members of every object.
    @Test func xmlStoresKeepAMemberWithAllOwners() throws {
        let old = Self.entity("A", Self.relationship("u", "B", isToMany: false, inverse: nil)) + Self.entity("B", "")
        let new = Self.entity("A", Self.relationship("u", "B", isToMany: true, inverse: nil)) + Self.entity("B", "")
        let fixture = try MigrationFixture(old)
        try fixture.fill { context in
            let member = context.make("B", ["tag": "b"])
            for tag in ["a1", "a2"] { _ = context.make("A", ["tag": tag, "u": member]) }
        }
        let (source, destination) = (try MigrationFixture.model(old), try MigrationFixture.model(new))
        let url = fixture.store.folder.appendingPathComponent("Copy.xml")
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
            from: fixture.store.url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: url,
            destinationType: NSXMLStoreType)
        let context = try MappingFixture.open(url, destination, type: NSXMLStoreType)
        try context.performAndWait {
            let values = try Self.values(context, ["A": ["u"]])
            #expect(values == ["a1.u": "b", "a2.u": "b"])
        }
        try MappingFixture.close(context)
    }

    /// Renaming identifiers that are left from an earlier version do not move values: not in subentities that change
    /// otherwise, and not between elements of composite attributes.
    @Test func oldIdentifiersOfUnchangedEntitiesAreIgnored() throws {
        func attribute(_ name: String, _ type: String, _ former: String?) -> String {
            let former = former.map { " elementID=\"\($0)\"" } ?? ""
            return "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\"\(former)/>"
        }
        func model(hasIdentifiers: Bool, added: String) -> String {
            let (first, second) = (hasIdentifiers ? "b" : nil, hasIdentifiers ? "a" : nil)
            return Self.entity("P", attribute("a", "String", first) + attribute("b", "Integer 32", second))
                + Self.entity("C", attribute("n", "String", nil) + added, parent: "P")
        }
        let new = model(hasIdentifiers: false, added: attribute("m", "String", nil))
        let (inPlace, manager) = try Self.migrated(
            model(hasIdentifiers: true, added: ""), to: new, ["P": ["a", "b"], "C": ["a", "b"]]
        ) { context in
            _ = context.make("P", ["tag": "p", "a": "Ada", "b": 7])
            _ = context.make("C", ["tag": "c", "a": "Ada", "b": 7])
        }
        let expected = ["p.a": "Ada", "p.b": "7", "c.a": "Ada", "c.b": "7"]
        #expect(inPlace == expected)
        #expect(manager == expected)
    }

    /// The columns of two join tables would have the same name.
    @Test func relationshipsOfOneNameHaveJoinTablesThatAreFoundAgain() throws {
        let model = try MigrationFixture.model(
            Self.entity(
                "E",
                Self.relationship("s", "E", isToMany: true, inverse: "s")
                    + Self.relationship("m", "M", isToMany: true, inverse: "s"))
                + Self.entity("M", Self.relationship("s", "E", isToMany: true, inverse: "m")))
        let store = try TestStore(model)
        let context = try store.open()
        try context.performAndWait {
            let (one, other) = (context.make("E", ["tag": "1"]), context.make("E", ["tag": "2"]))
            one.mutableSetValue(forKey: "s").add(other)
            context.make("M", ["tag": "m"]).mutableSetValue(forKey: "s").add(one)
            try context.save()
        }
        try TestStore.close(context)
        let again = try store.open()
        try again.performAndWait {
            let values = try Self.values(again, ["E": ["s", "m"], "M": ["s"]])
            #expect(values == ["1.s": "2", "2.s": "1", "1.m": "m", "2.m": "", "m.s": "1"])
        }
    }
}
