import CoreData
import Testing

/// Lightweight migration of relationships.
@Suite struct RelationshipMigrationTests {
    /// Returns a model with two entities: A with the relationship r to B, and B with its inverse i.
    private static func model(_ r: String?, _ i: String?, extra: String = "") -> String {
        func relationship(_ name: String, _ flags: String?, _ to: String, _ inverse: String, _ hasInverse: Bool)
            -> String
        {
            guard let flags else { return "" }
            let back = hasInverse ? " inverseName=\"\(inverse)\" inverseEntity=\"\(to)\"" : ""
            return "<relationship name=\"\(name)\" optional=\"YES\" \(flags) destinationEntity=\"\(to)\"\(back)/>"
        }
        let name = "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>"
        return """
            \(extra)<entity name="A">\(name)\(relationship("r", r, "B", "i", i != nil))</entity>
            <entity name="B">\(name)\(relationship("i", i, "A", "r", r != nil))</entity>
            """
    }

    private static let one = "maxCount=\"1\""
    private static let many = "toMany=\"YES\""
    private static let ordered = "toMany=\"YES\" ordered=\"YES\""

    private func names(_ context: NSManagedObjectContext, _ entity: String, _ key: String) throws -> [String: [String]]
    {
        var result: [String: [String]] = [:]
        for object in try context.all(entity, by: "name") {
            let name = try #require(object.value(forKey: "name") as? String)
            if let other = object.value(forKey: key) as? NSManagedObject {
                result[name] = [other.value(forKey: "name") as? String ?? ""]
            } else if object.value(forKey: key) != nil {
                result[name] = object.values("name", of: key)
            } else {
                result[name] = []
            }
        }
        return result
    }

    /// An entity before the others shifts all numbers.
    private static let shift = "<entity name=\"AA\"/>"

    @Test func toOneBecomesManyToMany() throws {
        let fixture = try MigrationFixture(Self.model(Self.one, Self.ordered))
        try fixture.fill { context throws in
            let b = context.make("B", ["name": "b"])
            let members = ["x", "y", "z"].map { context.make("A", ["name": $0]) }
            b.setValue(NSOrderedSet(array: [members[2], members[0]]), forKey: "i")
        }
        try fixture.migrate(to: Self.model(Self.many, Self.ordered)) { context throws in
            #expect(try names(context, "A", "r") == ["x": ["b"], "y": [], "z": ["b"]])
            #expect(try names(context, "B", "i") == ["b": ["z", "x"]])
        }
        try fixture.migrate(to: Self.model(Self.ordered, Self.many, extra: Self.shift)) { context throws in
            #expect(try names(context, "A", "r") == ["x": ["b"], "y": [], "z": ["b"]])
            #expect(try names(context, "B", "i") == ["b": ["x", "z"]])
        }
    }

    @Test func toOneOnBothSidesBecomesToMany() throws {
        let fixture = try MigrationFixture(Self.model(Self.one, Self.one))
        try fixture.fill { context throws in
            let b = context.make("B", ["name": "b"])
            _ = context.make("A", ["name": "a", "r": b])
        }
        try fixture.migrate(to: Self.model(Self.one, Self.many)) { context throws in
            #expect(try names(context, "A", "r") == ["a": ["b"]])
            #expect(try names(context, "B", "i") == ["b": ["a"]])
        }
    }

    /// The relationship and its inverse in two versions.
    private static let newToOneInverses: [([String?], [String?])] = [
        ([one, nil], [one, one]), ([one, nil], [many, one]),
    ]

    /// Several objects refer to one whose new inverse leads to one object: the first keeps it, whatever migrates the
    /// store.
    @Test(arguments: newToOneInverses)
    func theFirstOwnerKeepsAnObjectWithANewToOneInverse(_ old: [String?], _ new: [String?]) throws {
        let fixture = try MigrationFixture(Self.model(old[0], old[1]))
        try fixture.fill { context throws in
            let shared = context.make("B", ["name": "b"])
            let owners = ["x", "y", "z"].map { context.make("A", ["name": $0]) }
            try context.obtainPermanentIDs(for: owners)
            for owner in owners { owner.setValue(shared, forKey: "r") }
        }
        let model = try MigrationFixture.model(Self.model(new[0], new[1]))
        let url = fixture.store.folder.appendingPathComponent("Manager.sqlite")
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: fixture.source, destinationModel: model)
        try NSMigrationManager(sourceModel: fixture.source, destinationModel: model).migrateStore(
            from: fixture.store.url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: url,
            destinationType: NSSQLiteStoreType)
        let copy = try MappingFixture.open(url, model)
        try copy.performAndWait { () throws in
            #expect(try names(copy, "A", "r") == ["x": ["b"], "y": [], "z": []])
            #expect(try names(copy, "B", "i") == ["b": ["x"]])
        }
        try MappingFixture.close(copy)
        try fixture.migrate(to: Self.model(new[0], new[1])) { context throws in
            #expect(try names(context, "A", "r") == ["x": ["b"], "y": [], "z": []])
            #expect(try names(context, "B", "i") == ["b": ["x"]])
        }
    }

    @Test func relationshipsCanGainAndLoseTheirOrder() throws {
        let fixture = try MigrationFixture(Self.model(Self.one, Self.many))
        try fixture.fill { context throws in
            let b = context.make("B", ["name": "b"])
            for name in ["x", "y", "z"] { _ = context.make("A", ["name": name, "r": b]) }
        }
        try fixture.migrate(to: Self.model(Self.one, Self.ordered, extra: Self.shift)) { context throws in
            let members = try names(context, "B", "i")["b"]
            #expect(members?.sorted() == ["x", "y", "z"])
        }
        #expect(try fixture.rows("SELECT Z_FOK_R FROM ZA ORDER BY 1") == [["2048"], ["3072"], ["4096"]])
        try fixture.migrate(to: Self.model(Self.one, Self.many)) { context throws in
            #expect(try names(context, "B", "i") == ["b": ["x", "y", "z"]])
        }
    }

    /// Both names occur in Apple's files, and a framework that writes the other one would not find its table.
    @Test func theJoinTableOfAnEntityWithItselfKeepsItsName() throws {
        func model(_ type: String, extra: String = "") -> String {
            """
            \(extra)<entity name="P"><attribute name="name" optional="YES" attributeType="String"/>\
            <attribute name="x" optional="YES" attributeType="\(type)"/>\
            <relationship name="children" optional="YES" toMany="YES" destinationEntity="P" inverseName="parents" \
            inverseEntity="P"/><relationship name="parents" optional="YES" toMany="YES" destinationEntity="P" \
            inverseName="children" inverseEntity="P"/></entity>
            """
        }
        let fixture = try MigrationFixture(model("Integer 16"))
        try fixture.fill { context throws in
            let child = context.make("P", ["name": "child"])
            _ = context.make("P", ["name": "parent", "children": NSSet(array: [child])])
        }
        func tables() throws -> [[String?]] {
            try fixture.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        }
        #expect(try tables() == [["Z_1PARENTS"]])
        let database = try fixture.store.database()
        try database.run("ALTER TABLE Z_1PARENTS RENAME TO Z_1CHILDREN")
        for (entities, name) in [
            (model("Integer 32"), "Z_1CHILDREN"), (model("Double", extra: Self.shift), "Z_2CHILDREN"),
        ] {
            try fixture.migrate(to: entities, checksSchema: false) { context throws in
                #expect(try names(context, "P", "children") == ["child": [], "parent": ["child"]])
                #expect(try names(context, "P", "parents") == ["child": ["parent"], "parent": []])
            }
            #expect(try tables() == [[name]])
        }
    }

    @Test func manyToManyKeepsItsLinksWhenNumbersAndNamesChange() throws {
        let fixture = try MigrationFixture(Self.model(Self.many, Self.many))
        try fixture.fill { context throws in
            let (b, c) = (context.make("B", ["name": "b"]), context.make("B", ["name": "c"]))
            _ = context.make("A", ["name": "x", "r": NSSet(array: [b, c])])
            _ = context.make("A", ["name": "y", "r": NSSet(array: [c])])
        }
        try fixture.migrate(
            to: """
                <entity name="AA"/>
                <entity name="A"><attribute name="name" optional="YES" attributeType="String"/><relationship name="rr" \
                elementID="r" optional="YES" toMany="YES" destinationEntity="Z" inverseName="i" inverseEntity="Z"/></entity>
                <entity name="Z" elementID="B"><attribute name="name" optional="YES" attributeType="String"/><relationship \
                name="i" optional="YES" toMany="YES" destinationEntity="A" inverseName="rr" inverseEntity="A"/></entity>
                """
        ) { context throws in
            #expect(try names(context, "A", "rr") == ["x": ["b", "c"], "y": ["c"]])
            #expect(try names(context, "Z", "i") == ["b": ["x"], "c": ["x", "y"]])
        }
    }

    @Test func addedInverseHasTheExistingLinks() throws {
        let fixture = try MigrationFixture(Self.model(Self.many, nil))
        try fixture.fill { context throws in
            let (b, c) = (context.make("B", ["name": "b"]), context.make("B", ["name": "c"]))
            _ = context.make("A", ["name": "x", "r": NSSet(array: [b])])
            _ = context.make("A", ["name": "y", "r": NSSet(array: [c])])
        }
        try fixture.migrate(to: Self.model(Self.many, Self.one)) { context throws in
            #expect(try names(context, "A", "r") == ["x": ["b"], "y": ["c"]])
            #expect(try names(context, "B", "i") == ["b": ["x"], "c": ["y"]])
        }
        // Then remove the other side.
        try fixture.migrate(to: Self.model(nil, Self.one)) { context throws in
            #expect(try names(context, "B", "i") == ["b": ["x"], "c": ["y"]])
        }
        try fixture.migrate(to: Self.model(Self.one, Self.one)) { context throws in
            #expect(try names(context, "A", "r") == ["x": ["b"], "y": ["c"]])
        }
    }

    @Test func toManyWithoutInverseSurvivesRenumbering() throws {
        let fixture = try MigrationFixture(Self.model(Self.ordered, nil))
        try fixture.fill { context throws in
            let members = ["b", "c"].map { context.make("B", ["name": $0]) }
            _ = context.make("A", ["name": "x", "r": NSOrderedSet(array: [members[1], members[0]])])
        }
        try fixture.migrate(to: Self.model(Self.ordered, nil, extra: Self.shift)) { context throws in
            #expect(try names(context, "A", "r") == ["x": ["c", "b"]])
        }
    }

    @Test func removedEntityLeavesNoReferences() throws {
        let fixture = try MigrationFixture(
            """
            <entity name="Animal"><attribute name="name" optional="YES" attributeType="String"/></entity>
            <entity name="Cat" parentEntity="Animal"/><entity name="Dog" parentEntity="Animal"/>
            <entity name="Owner"><attribute name="name" optional="YES" attributeType="String"/><relationship name="pet" \
            optional="YES" maxCount="1" destinationEntity="Animal"/><relationship name="all" optional="YES" toMany="YES" \
            destinationEntity="Animal" inverseName="owners" inverseEntity="Animal"/></entity>
            """.replacingOccurrences(
                of: "</entity>\n<entity name=\"Cat\"",
                with: "<relationship name=\"owners\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"Owner\" "
                    + "inverseName=\"all\" inverseEntity=\"Owner\"/></entity>\n<entity name=\"Cat\""))
        try fixture.fill { context throws in
            let (cat, dog) = (context.make("Cat", ["name": "c"]), context.make("Dog", ["name": "d"]))
            _ = context.make("Owner", ["name": "x", "pet": cat, "all": NSSet(array: [cat, dog])])
            _ = context.make("Owner", ["name": "y", "pet": dog])
        }
        try fixture.migrate(
            to: """
                <entity name="Animal"><attribute name="name" optional="YES" attributeType="String"/><relationship \
                name="owners" optional="YES" toMany="YES" destinationEntity="Owner" inverseName="all" \
                inverseEntity="Owner"/></entity>
                <entity name="Dog" parentEntity="Animal"/>
                <entity name="Owner"><attribute name="name" optional="YES" attributeType="String"/><relationship name="pet" \
                optional="YES" maxCount="1" destinationEntity="Animal"/><relationship name="all" optional="YES" toMany="YES" \
                destinationEntity="Animal" inverseName="owners" inverseEntity="Animal"/></entity>
                """
        ) { context throws in
            #expect(try context.all("Animal").count == 1)
            #expect(try names(context, "Owner", "pet") == ["x": [], "y": ["d"]])
            #expect(try names(context, "Owner", "all") == ["x": ["d"], "y": []])
        }
    }
}
