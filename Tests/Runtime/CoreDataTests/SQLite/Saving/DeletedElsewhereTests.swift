import CoreData
import TestSupport
import Testing

/// A context has deleted objects that another changes or refers to, with every kind of relationship and every policy.
@Suite struct DeletedElsewhereTests {
    /// A relationship from an owner to members.
    private struct Kind: CustomStringConvertible, Sendable {
        var description: String
        var isToMany = false
        var isOrdered = false
        /// Whether the inverse is to-many; `nil` if there is no inverse.
        var inverseIsToMany: Bool?
        var isReflexive = false

        static let all: [Kind] = [
            Kind(description: "to-one", inverseIsToMany: true),
            Kind(description: "one-to-one", inverseIsToMany: false),
            Kind(description: "one-to-many", isToMany: true, inverseIsToMany: false),
            Kind(description: "ordered one-to-many", isToMany: true, isOrdered: true, inverseIsToMany: false),
            Kind(description: "many-to-many", isToMany: true, inverseIsToMany: true),
            Kind(description: "ordered many-to-many", isToMany: true, isOrdered: true, inverseIsToMany: true),
            Kind(description: "to-one without inverse"),
            Kind(description: "to-many without inverse", isToMany: true),
            Kind(description: "self-inverse", isToMany: true, inverseIsToMany: true, isReflexive: true),
        ]

        func model() -> NSManagedObjectModel {
            let (owner, member) = (NSEntityDescription(), NSEntityDescription())
            (owner.name, member.name) = ("Owner", "Member")
            for entity in [owner, member] {
                let name = NSAttributeDescription()
                name.name = "name"
                name.attributeType = .stringAttributeType
                entity.properties = [name]
            }
            let members = NSRelationshipDescription()
            members.name = "members"
            members.destinationEntity = isReflexive ? owner : member
            members.maxCount = isToMany ? 0 : 1
            members.isOrdered = isOrdered
            members.deleteRule = .nullifyDeleteRule
            owner.properties.append(members)
            if isReflexive {
                members.inverseRelationship = members
            } else if let inverseIsToMany {
                let inverse = NSRelationshipDescription()
                inverse.name = "owners"
                inverse.destinationEntity = owner
                inverse.maxCount = inverseIsToMany ? 0 : 1
                inverse.deleteRule = .nullifyDeleteRule
                member.properties.append(inverse)
                inverse.inverseRelationship = members
                members.inverseRelationship = inverse
            }
            let model = NSManagedObjectModel()
            model.entities = [owner, member]
            return model
        }

        var memberEntity: String { isReflexive ? "Owner" : "Member" }
    }

    /// A saved owner “T” with a member “A”, in a file used by two contexts of one coordinator or of two.
    private struct World {
        let store: TestStore
        let plan: StoreIntegrity.Plan
        let kind: Kind
        let here: NSManagedObjectContext
        let there: NSManagedObjectContext

        init(_ kind: Kind, _ policy: NSMergePolicy, sharesCoordinator: Bool) throws {
            self.kind = kind
            store = try TestStore(kind.model())
            plan = try StoreIntegrity.Plan(store.model)
            // `owners()` checks it.
            store.isSound = false
            here = try store.open()
            here.mergePolicy = policy
            let owner = here.make("Owner", ["name": "T"])
            _ = here.make("Owner", ["name": "U"])
            let member = here.make(kind.memberEntity, ["name": "A"])
            _ = here.make(kind.memberEntity, ["name": "B"])
            Self.add(member, to: owner, kind)
            try here.save()
            if sharesCoordinator {
                there = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                there.persistentStoreCoordinator = here.persistentStoreCoordinator
            } else {
                there = try store.open()
            }
        }

        static func add(_ member: NSManagedObject, to owner: NSManagedObject, _ kind: Kind) {
            if !kind.isToMany {
                owner.setValue(member, forKey: "members")
            } else if kind.isOrdered {
                owner.mutableOrderedSetValue(forKey: "members").add(member)
            } else {
                owner.mutableSetValue(forKey: "members").add(member)
            }
        }

        func object(_ name: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
            let entity = ["T", "U"].contains(name) ? "Owner" : kind.memberEntity
            return try #require(try context.all(entity).first { $0.value(forKey: "name") as? String == name })
        }

        func members(_ owner: NSManagedObject) -> [String] {
            guard kind.isToMany else {
                return (owner.value(forKeyPath: "members.name") as? String).map { [$0] } ?? []
            }
            return owner.names("members").sorted()
        }

        /// Returns the saved owners with their members.
        func owners() throws -> [String: [String]] {
            #expect(try StoreIntegrity.problems(of: store.url, plan) == [], "\(kind)")
            let fresh = try store.open()
            let owners = try fresh.all("Owner").filter { ["T", "U"].contains($0.value(forKey: "name") as? String) }
            return Dictionary(
                uniqueKeysWithValues: owners.map { ($0.value(forKey: "name") as? String ?? "", members($0)) })
        }
    }

    private static let policies: [NSMergePolicy] = [
        .error, .mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump, .rollback,
    ]
    private static func contextWins(_ policy: NSMergePolicy) -> Bool {
        [.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType].contains(policy.mergeType)
    }

    private func forEachWorld(_ body: (World, NSMergePolicy) throws -> Void) throws {
        for kind in Kind.all {
            for policy in Self.policies {
                for sharesCoordinator in [true, false] {
                    do {
                        try body(try World(kind, policy, sharesCoordinator: sharesCoordinator), policy)
                    } catch {
                        Issue.record("\(kind), \(policy.mergeType), one coordinator: \(sharesCoordinator): \(error)")
                    }
                }
            }
        }
    }

    /// There, the owner and its member are deleted. Here, the owner gets another member and another name.
    @Test func deletingOwnerAndMemberConflictsWithChangingTheOwner() throws {
        try forEachWorld { world, policy in
            let owner = try world.object("T", world.here)
            World.add(try world.object("B", world.here), to: owner, world.kind)
            owner.setValue("T", forKey: "name")
            try world.there.delete(world.object("T", world.there))
            try world.there.delete(world.object("A", world.there))
            try world.there.save()
            let error = nsError { try world.here.save() }
            #expect(error?.code == (policy.mergeType == .errorMergePolicyType ? NSManagedObjectMergeError : nil))
            let expected = Self.contextWins(policy) ? ["T": ["B"], "U": []] : ["U": []]
            let owners = try world.owners()
            #expect(owners == expected, "\(world.kind), \(policy.mergeType)")
            if error != nil { world.here.rollback() }
            world.here.refreshAllObjects()
            let shown = try world.here.all("Owner").filter { ["T", "U"].contains($0.value(forKey: "name") as? String) }
            #expect(shown.count == expected.count)
            for owner in shown {
                #expect(world.members(owner) == expected[owner.value(forKey: "name") as? String ?? ""], "\(world.kind)")
            }
        }
    }

    /// There, a member is deleted. Here, it is added to another owner.
    @Test func addingAMemberDeletedElsewhere() throws {
        try forEachWorld { world, policy in
            let member = try world.object("A", world.here)
            World.add(member, to: try world.object("U", world.here), world.kind)
            try world.there.delete(world.object("A", world.there))
            try world.there.save()
            let error = nsError { try world.here.save() }
            #expect(error?.code == (policy.mergeType == .errorMergePolicyType ? NSManagedObjectMergeError : nil))
            let owners = try world.owners()
            // A member changed here by the relationship is restored together with it; others cannot be.
            let comesBack = Self.contextWins(policy) && world.kind.inverseIsToMany != nil
            #expect(owners["U"] == (comesBack ? ["A"] : []), "\(world.kind), \(policy.mergeType)")
            #expect(!owners.values.joined().contains { !["A", "B"].contains($0) })
        }
    }

    /// There, an owner gets a member. Here, the member is deleted.
    @Test func deletingAMemberAddedElsewhere() throws {
        try forEachWorld { world, policy in
            _ = try world.here.all("Owner").map(world.members)
            try world.here.delete(world.object("B", world.here))
            try World.add(world.object("B", world.there), to: world.object("U", world.there), world.kind)
            try world.there.save()
            let error = nsError { try world.here.save() }
            let owners = try world.owners()
            if owners["U"] == ["B"] {
                // If the relationship is stored in the member's own row, its deletion is a conflict.
                #expect(error != nil || !Self.contextWins(policy), "\(world.kind), \(policy.mergeType)")
            } else {
                #expect(error == nil && owners == ["T": ["A"], "U": []], "\(world.kind), \(policy.mergeType)")
            }
        }
    }

    /// There, an owner gets a member. Here, the owner is deleted.
    @Test func deletingAnOwnerThatGotAMemberElsewhere() throws {
        try forEachWorld { world, policy in
            _ = try world.here.all("Owner").map(world.members)
            try world.here.delete(world.object("U", world.here))
            try World.add(world.object("B", world.there), to: world.object("U", world.there), world.kind)
            try world.there.save()
            let error = nsError { try world.here.save() }
            let owners = try world.owners()
            if owners["U"] != nil {
                #expect(error != nil || !Self.contextWins(policy), "\(world.kind), \(policy.mergeType)")
            } else {
                #expect(error == nil && owners == ["T": ["A"]], "\(world.kind), \(policy.mergeType)")
            }
        }
    }

    /// Two contexts relate one object to different partners, from either side.
    @Test(arguments: policies, [true, false])
    func bothSidesOfOneToOneRelationshipsStayConsistent(policy: NSMergePolicy, fromOwner: Bool) throws {
        let kind = try #require(Kind.all.first { $0.description == "one-to-one" })
        let world = try World(kind, policy, sharesCoordinator: false)
        let mine = try ["U", "B"].map { try world.object($0, world.here) }
        let theirs = try ["T", "B"].map { try world.object($0, world.there) }
        if fromOwner {
            mine[0].setValue(mine[1], forKey: "members")
            theirs[0].setValue(theirs[1], forKey: "members")
        } else {
            mine[1].setValue(mine[0], forKey: "owners")
            theirs[1].setValue(theirs[0], forKey: "owners")
        }
        try world.there.save()
        let error = nsError { try world.here.save() }
        #expect(error?.code == (policy.mergeType == .errorMergePolicyType ? NSManagedObjectMergeError : nil))
        let owners = try world.owners()
        #expect(owners == (Self.contextWins(policy) ? ["U": ["B"], "T": []] : ["U": [], "T": ["B"]]))
    }

    /// The delete rule of a relationship also applies to members that another context has added in the meantime.
    @Test(arguments: [NSDeleteRule.nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule, .noActionDeleteRule])
    func deleteRulesApplyToMembersAddedElsewhere(rule: NSDeleteRule) throws {
        let store = try TestStore(Library.model(booksRule: rule))
        let here = try store.open()
        let author = here.make("Author", ["name": "a"])
        _ = here.make("Book", ["title": "t"])
        try here.save()
        #expect(author.names("books").isEmpty)
        let there = try store.open()
        try #require(try there.all("Book").first).setValue(try there.all("Author").first, forKey: "author")
        try there.save()
        here.delete(author)
        let error = nsError { try here.save() }
        let books = try store.database().rows("SELECT ZTITLE, ZAUTHOR FROM ZBOOK")
        switch rule {
        case .cascadeDeleteRule: #expect(error == nil && books.isEmpty)
        case .denyDeleteRule:
            #expect(error?.code == NSValidationRelationshipDeniedDeleteError && books == [["t", "1"]])
        case .noActionDeleteRule: #expect(error == nil && books == [["t", "1"]])
        default: #expect(error == nil && books == [["t", nil]])
        }
    }
}
