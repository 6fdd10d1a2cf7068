import Diagnostics
import Testing

@testable import ModelSchema

/// The vectors in Documentation/Formats/VersionHashes.md, 6, and the rules that have no published vector.
@Suite struct VersionHashTests {
    @Test func emptyEntitiesHaveApplesHash() {
        let hashes = model(Entity(name: "AutoExtensionGen")).versionHashes()
        #expect(
            hashes.entities["AutoExtensionGen"]?.hexString
                == "7269f68e9aff90822f687c0bd7906593b2bd3d37645993b8fe07f3800bdfb8da")
        #expect(hashes.findings.isEmpty)
    }

    @Test func entitiesWithAttributesHaveApplesHash() throws {
        var user = Entity(name: "User")
        var petName = Attribute(name: "petName", type: .string)
        petName.isOptional = true
        user.attributes = [petName, Attribute(name: "name", type: .string)]
        #expect(
            try user.attributes.map { try $0.versionHash().hexString } == [
                "3600ceedf50b080f90041365395158784f0deb03bc9acddf1cad607c4fe50742",
                "8cb9965c0031ac68913984f3110941ad965395be9fd9b17de7be54bc7ad46890",
            ])
        let hashes = model(user).versionHashes()
        #expect(
            hashes.entities["User"]?.hexString == "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798")
        #expect(hashes.checksum == "u970QgYhRHEJGIt0zQr1UhuZL2ZJ1KxBS+B7rkAx0ik=")
        #expect(
            hashes.storeDigest
                == "0KLB/FnL8roMcgeszeCxnPnvYqnn4VzB2DpFP6csqrDKzLB6fyG5rrVfjY5DtnQxx4355oWuKFublPf2Jo1UWg==")
    }

    @Test func inheritedPropertiesAndTheParentAffectTheHash() throws {
        var parent = Entity(name: "Parent")
        parent.attributes = [Attribute(name: "b", type: .integer16)]
        var child = Entity(name: "Child")
        child.parentName = "Parent"
        child.attributes = [Attribute(name: "c", type: .date), Attribute(name: "B", type: .date)]
        child.relationships = [Relationship(name: "a", destinationName: "Parent")]
        let hashes = model(child, parent).versionHashes()
        var expected = SHA256()
        expected.update("Child")
        expected.update(0)
        expected.update(try #require(hashes.entities["Parent"]))
        // Code-point order: uppercase first.
        for hash in [
            try child.attributes[1].versionHash(), child.relationships[0].versionHash(declaredIn: "Child"),
            try parent.attributes[0].versionHash(), try child.attributes[0].versionHash(),
        ] { expected.update(hash) }
        #expect(hashes.entities["Child"] == VersionHash(expected))
    }

    /// Proven by 39 stores of Apple's Photos, whose metadata has the hash of `Person`.
    @Test func selfInverseRelationshipsAreHashedWithoutTheirInverse() throws {
        var friends = Relationship(name: "friends", destinationName: "Person")
        friends.isToMany = true
        let withoutInverse = friends.versionHash(declaredIn: "Person")
        friends.inverseName = "friends"
        #expect(friends.versionHash(declaredIn: "Person") == withoutInverse)
        // The same names in another entity are a pair of relationships.
        #expect(friends.versionHash(declaredIn: "Dog") != withoutInverse)
        #expect(friends.versionHash(declaredIn: nil) != withoutInverse)
        friends.inverseName = "friendOf"
        #expect(friends.versionHash(declaredIn: "Person") != withoutInverse)
    }

    @Test func settingsOutsideTheHashDoNotAffectIt() throws {
        var entity = Entity(name: "E")
        entity.attributes = [Attribute(name: "a", type: .string)]
        entity.relationships = [Relationship(name: "r", destinationName: "E")]
        let plain = model(entity).versionHashes().entities["E"]
        entity.className = ClassName("M.C")
        entity.renamingIdentifier = "old"
        entity.userInfo = [UserInfoEntry(key: "k", value: "v")]
        entity.fetchIndexes = [FetchIndex(name: "i")]
        entity.attributes[0].defaultValue = "x"
        entity.attributes[0].isIndexed = true
        entity.attributes[0].minimum = "3"
        entity.relationships[0].deleteRule = .cascade
        entity.relationships[0].maximumCount = 1
        var transient = Attribute(name: "t", type: .string)
        transient.isTransient = true
        entity.attributes.append(transient)
        entity.fetchedProperties = [FetchedProperty(name: "f")]
        #expect(model(entity).versionHashes().entities["E"] == plain)
    }

    @Test(
        arguments: [
            { $0.attributes[0].isOptional = true },
            { $0.attributes[0].versionHashModifier = "2" },
            { $0.attributes[0].allowsExternalBinaryStorage = true },
            { $0.attributes[0].type = .binary },
            { $0.relationships[0].isOrdered = true },
            { $0.relationships[0].isToMany = true },
            { $0.relationships[0].minimumCount = 1 },
            { $0.relationships[0].inverseName = "back" },
            { $0.isAbstract = true },
            { $0.versionHashModifier = "m" },
            { $0.uniquenessConstraints = [UniquenessConstraint(properties: [PropertyMention(name: "a")])] },
        ] as [@Sendable (inout Entity) -> Void])
    func storedSettingsAffectTheHash(change: @Sendable (inout Entity) -> Void) {
        var entity = Entity(name: "E")
        entity.attributes = [Attribute(name: "a", type: .string)]
        entity.relationships = [Relationship(name: "r", destinationName: "E")]
        let plain = model(entity).versionHashes()
        change(&entity)
        #expect(model(entity).versionHashes().entities["E"] != plain.entities["E"])
    }

    @Test func derivedAttributesHashTheirPrintedExpression() throws {
        var attribute = Attribute(name: "n", type: .integer64)
        attribute.isDerived = true
        attribute.derivationExpression = "pages.@count"
        #expect(try attribute.versionHash().bytes == SHA256.hash("count:(pages)".utf8))
        attribute.derivationExpression = "now()"
        #expect(try attribute.versionHash().bytes == SHA256.hash("now()".utf8))
        attribute.derivationExpression = "canonical:(title)"
        #expect(try attribute.versionHash().bytes == SHA256.hash("canonical:(title)".utf8))
    }

    @Test func constraintsAreSorted() throws {
        func constrained(_ constraints: [[String]]) -> VersionHash? {
            var entity = Entity(name: "E")
            entity.uniquenessConstraints = constraints.map {
                UniquenessConstraint(properties: $0.map { PropertyMention(name: $0) })
            }
            return model(entity).versionHashes().entities["E"]
        }
        #expect(constrained([["b"], ["a", "c"]])?.bytes == SHA256.hash("E\0a.cb".utf8))
        #expect(constrained([["a", "c"], ["b"]]) == constrained([["b"], ["a", "c"]]))
        #expect(constrained([["c", "a"]]) != constrained([["a", "c"]]))
    }

    @Test func invalidDerivationsAreFindings() throws {
        var entity = Entity(name: "E")
        var attribute = Attribute(name: "a", type: .string)
        attribute.isDerived = true
        attribute.derivationExpression = "canonical:("
        attribute.origin = ElementOrigin(index: 7)
        entity.attributes = [attribute]
        let hashes = model(entity, Entity(name: "Other")).versionHashes()
        #expect(hashes.findings.map(\.rule) == [.invalidDerivation])
        #expect(hashes.findings.first?.origin == attribute.origin)
        #expect(hashes.entities.elements.map(\.name) == ["Other"])
        #expect(hashes.checksum == nil)
        #expect(hashes.storeDigest == nil)
    }

    @Test func cyclesAndMissingParentsAreFindings() {
        func entity(_ name: String, _ parent: String?) -> Entity {
            var entity = Entity(name: name)
            entity.parentName = parent
            return entity
        }
        let hashes = model(
            entity("A", "B"), entity("B", "A"), entity("Self", "Self"), entity("Below", "A"), entity("Lost", "Nobody"),
            entity("BelowLost", "Lost"), entity("Fine", nil)
        ).versionHashes()
        #expect(hashes.entities.elements.map(\.name) == ["Fine"])
        #expect(Set(hashes.findings.map(\.rule)) == [.inheritanceCycle, .unknownParent])
        #expect(hashes.findings.count == 3)
    }

    @Test func longChainsAreHashedInLinearTime() {
        var chain: [Entity] = [Entity(name: "E0")]
        for index in 1..<50_000 {
            var entity = Entity(name: "E\(index)")
            entity.parentName = "E\(index - 1)"
            if index % 50 == 0 { entity.attributes = [Attribute(name: "a\(index)", type: .string)] }
            chain.append(entity)
        }
        let hashes = Model(chain.reversed()).versionHashes()
        #expect(hashes.entities.elements.count == Model.maximumInheritanceDepth + 1)
        #expect(hashes.findings.map(\.rule) == [.inheritanceTooDeep])
    }

    @Test func hashesAreFoundByNameAndValidated() {
        let hash = VersionHash(bytes: Array(repeating: 1, count: 32))
        #expect(hash?.bytes == Array(repeating: 1, count: 32))
        #expect(VersionHash(bytes: [1, 2, 3]) == nil)
        let names = ["b", "a", "B", "ä", "aa"]
        let hashes = EntityVersionHashes(
            Dictionary(uniqueKeysWithValues: names.compactMap { name in hash.map { (name, $0) } }))
        #expect(hashes.elements.map(\.name) == ["B", "a", "aa", "b", "ä"])
        for name in names { #expect(hashes[name] == hash) }
        #expect(hashes["c"] == nil)
        #expect(hashes[""] == nil)
    }

    private func model(_ entities: Entity...) -> Model { Model(entities) }

    /// The hash covers the leaves of all levels, sorted by name, as proven by SwiftData stores
    /// (Documentation/Formats/SwiftDataModel.md, 3.1).
    @Test func compositesHashTheirLeaves() throws {
        var inner = CompositeType(name: "Inner")
        inner.attributes = [Attribute(name: "b", type: .integer64)]
        var nested = Attribute(name: "nested", type: .composite)
        nested.compositeName = "Inner"
        var outer = CompositeType(name: "Outer")
        outer.attributes = [Attribute(name: "c", type: .string), nested, Attribute(name: "a", type: .date)]
        var attribute = Attribute(name: "any", type: .composite)
        attribute.compositeName = "Outer"
        attribute.isOptional = true
        let leaves = [
            Attribute(name: "a", type: .date), Attribute(name: "b", type: .integer64),
            Attribute(name: "c", type: .string),
        ]
        let expected = SHA256.hash(try leaves.flatMap { try $0.versionHash().bytes })
        #expect(try attribute.versionHash(composites: [inner, outer]).bytes == expected)
    }
}

extension Model {
    fileprivate init(_ entities: some Sequence<Entity>) {
        self.init(name: "Model")
        self.entities = Array(entities)
    }
}
