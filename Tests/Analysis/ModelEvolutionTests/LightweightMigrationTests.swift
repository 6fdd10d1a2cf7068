import ModelSchema
import TestSupport
import Testing

@testable import ModelEvolution
@testable import ModelMigration

/// The expectations are those of Apple's “Using Lightweight Migration” unless a test says otherwise.
@Suite struct LightweightMigrationTests {
    private func migration(_ old: Model, _ new: Model) -> LightweightMigration {
        LightweightMigration(from: IndexedModel(old), to: IndexedModel(new))
    }

    private func obstacles(_ edit: (inout Model) -> Void) -> [MigrationObstacle.Kind] {
        migration(Model.library(), Model.library(edit)).obstacles.map(\.kind)
    }

    @Test func equalModelsNeedNoMigration() {
        let result = migration(Model.library(), Model.library { $0.entities[0].className = ClassName("Writer") })
        #expect(result.isUnneeded)
        #expect(result.isPossible)
        #expect(result.steps.isEmpty)
    }

    @Test(
        arguments: [
            { $0.entities.append(Entity(name: "Shelf")) },
            { $0.entities.remove(at: 1) },
            { $0.entities[1].attributes.removeLast() },
            { $0.entities[1].attributes[1].isOptional = true },
            { model in
                model.entities[1].attributes[0].isOptional = false
                model.entities[1].attributes[0].defaultValue = "Untitled"
            },
            { model in
                var attribute = Attribute(name: "year", type: .integer16)
                attribute.defaultValue = "0"
                model.entities[1].attributes.append(attribute)
            },
            { model in
                var attribute = Attribute(name: "year", type: .integer16)
                attribute.isOptional = true
                model.entities[1].attributes.append(attribute)
            },
            { model in
                model.entities[1].attributes[0].renamingIdentifier = "title"
                model.entities[1].attributes[0].name = "heading"
            },
            { RandomEdit.renameEntity(at: 0, in: &$0, to: "Writer", keepsIdentity: true) },
            { $0.entities[1].relationships[1].isToMany = true },
            { $0.entities[1].relationships[0].isOrdered = true },
            { $0.entities[1].relationships.removeAll() },
            { $0.entities[1].attributes[1].type = .integer64 },
            { $0.entities[1].attributes[1].type = .double },
            { model in
                // A new parent for one entity.
                model.entities.append(Entity(name: "Medium"))
                model.entities[1].parentName = "Medium"
            },
            { $0.entities[1].attributes[0].isTransient = true },
        ] as [@Sendable (inout Model) -> Void])
    func supportedChangesAreInferred(edit: @Sendable (inout Model) -> Void) {
        let result = migration(Model.library(), Model.library(edit))
        #expect(!result.isUnneeded)
        #expect(result.obstacles == [])
        #expect(!result.steps.isEmpty)
    }

    @Test func otherTypeChangesCannotBeInferred() {
        #expect(
            obstacles { $0.entities[1].attributes[1].type = .string }
                == [.incompatibleTypes(old: .integer16, new: .string)])
        #expect(
            obstacles { $0.entities[1].attributes[0].type = .binary } == [
                .incompatibleTypes(old: .string, new: .binary)
            ])
    }

    /// An unchanged entity keeps its rows, so renaming identifiers of earlier versions, which hashes do not cover, do
    /// not count.
    @Test func identifiersOfUnchangedEntitiesAreNotFollowed() {
        func swapped(_ edit: (inout Model) -> Void) -> Model {
            Model.library { model in
                model.entities[1].attributes[0].renamingIdentifier = "pages"
                model.entities[1].attributes[1].renamingIdentifier = "title"
                model.entities[0].renamingIdentifier = "Book"
                model.entities[1].renamingIdentifier = "Author"
                edit(&model)
            }
        }
        let (old, new) = (swapped { _ in }, Model.library { $0.entities.append(Entity(name: "Shelf")) })
        let result = migration(old, new)
        #expect(result.steps == [.addEntity("Shelf")])
        #expect(result.obstacles == [])
        let (before, after) = (IndexedModel(old), IndexedModel(new))
        #expect(ElementMatch(before, after).pairs.allSatisfy { $0.source.name == $0.destination.name })
        for name in ["Author", "Book"] {
            guard let first = before.entities[name], let second = after.entities[name] else { continue }
            let match = PropertyMatch(first, second)
            #expect(match.pairs.count == first.properties.count)
            #expect(match.pairs.allSatisfy { $0.source.name == $0.destination.name })
        }
    }

    /// A → B → C: the identifier of C must be A, as that of B.
    @Test func identifiersThatDoNotGoBackToTheFirstNameAreReported() {
        func version(_ entity: String, _ attribute: String, _ identifiers: (String, String)) -> Model {
            Model.library { model in
                (model.entities[1].name, model.entities[1].renamingIdentifier) = (entity, identifiers.0)
                (model.entities[1].attributes[0].name, model.entities[1].attributes[0].renamingIdentifier) =
                    (attribute, identifiers.1)
            }
        }
        let second = version("Work", "heading", ("Book", "title"))
        #expect(migration(Model.library(), second).risks == [])
        #expect(migration(second, version("Item", "caption", ("Book", "title"))).risks == [])
        let wrong = migration(second, version("Item", "caption", ("Work", "title")))
        #expect(wrong.risks.map(\.kind) == [.brokenChain(name: "Work", identifier: "Book")])
        #expect(wrong.risks.map(\.element) == ["Item"])
        let attribute = migration(second, version("Item", "caption", ("Book", "heading")))
        #expect(attribute.risks.map(\.kind) == [.brokenChain(name: "heading", identifier: "title")])
        #expect(attribute.risks.allSatisfy { $0.kind.dropsValues && $0.element == "Item.caption" })
    }

    /// Several books can have one publisher. A to-many relationship without an inverse is stored in the rows of its
    /// members.
    @Test func membersThatBecomeExclusiveAreReported() {
        let toMany = migration(Model.library(), Model.library { $0.entities[1].relationships[1].isToMany = true })
        #expect(toMany.risks.map(\.kind) == [.exclusiveMembers])
        #expect(toMany.risks.allSatisfy { $0.kind.dropsValues && $0.element == "Book.publisher" })
        func addInverse(_ model: inout Model, isToMany: Bool) {
            model.entities[1].relationships[1].inverseName = "published"
            var inverse = Relationship(name: "published", destinationName: "Book")
            (inverse.isOptional, inverse.isToMany, inverse.inverseName) = (true, isToMany, "publisher")
            model.entities[0].relationships.append(inverse)
        }
        #expect(
            migration(Model.library(), Model.library { addInverse(&$0, isToMany: false) }).risks.map(\.kind)
                == [.exclusiveMembers])
        #expect(migration(Model.library(), Model.library { addInverse(&$0, isToMany: true) }).risks == [])
        // A many-to-many relationship loses its inverse.
        let both = Model.library { model in
            model.entities[1].relationships[1].isToMany = true
            addInverse(&model, isToMany: true)
        }
        let one = Model.library { $0.entities[1].relationships[1].isToMany = true }
        #expect(migration(both, one).risks.map(\.kind) == [.exclusiveMembers])
        #expect(migration(one, both).risks == [])
    }

    /// A member may have been in one object's relationship, and refer to another object.
    @Test func relationshipsThatBecomeInversesAreReported() {
        func version(isPaired: Bool, _ edit: (inout Model) -> Void = { _ in }) -> Model {
            Model.library { model in
                var work = Relationship(name: "work", destinationName: "Book")
                work.isOptional = true
                if isPaired {
                    work.inverseName = "authors"
                    model.entities[1].relationships[0].inverseName = "work"
                }
                model.entities[0].relationships = [work]
                edit(&model)
            }
        }
        let (old, new) = (version(isPaired: false), version(isPaired: true))
        let result = migration(old, new)
        #expect(result.risks.map(\.kind) == [.separateInverse(name: "work")])
        #expect(result.risks.allSatisfy { $0.kind.dropsValues && $0.element == "Book.authors" })
        #expect(migration(new, old).risks == [])
        // They were inverses before, or one of them is new.
        let renamed = version(isPaired: true) { model in
            (model.entities[0].relationships[0].name, model.entities[0].relationships[0].renamingIdentifier) =
                ("text", "work")
            model.entities[1].relationships[0].inverseName = "text"
        }
        #expect(migration(new, renamed).risks == [])
        #expect(migration(Model.library(), new).risks == [])
        // Objects can have several on both ends.
        let both = version(isPaired: true) { $0.entities[0].relationships[0].isToMany = true }
        #expect(migration(old, both).risks == [])
    }

    @Test func aRequiredAttributeNeedsADefault() {
        #expect(
            obstacles { $0.entities[1].attributes.append(Attribute(name: "year", type: .integer16)) }
                == [.requiredWithoutDefault])
        #expect(obstacles { $0.entities[1].attributes[0].isOptional = false } == [.becameRequired])
    }

    @Test func aToManyRelationshipCannotBecomeToOne() {
        #expect(obstacles { $0.entities[1].relationships[0].isToMany = false } == [.becameToOne])
    }

    @Test func hierarchiesCannotBeMerged() {
        #expect(
            obstacles { model in
                model.entities.append(Entity(name: "Thing"))
                model.entities[0].parentName = "Thing"
                model.entities[1].parentName = "Thing"
            } == [.mergedHierarchies(roots: ["Author", "Book"])])
    }

    @Test func anIdentifierThatNamesAnotherPropertyIsAmbiguous() {
        let kinds = obstacles { model in
            var attribute = Attribute(name: "heading", type: .string)
            attribute.isOptional = true
            attribute.renamingIdentifier = "title"
            model.entities[1].attributes.append(attribute)
        }
        #expect(kinds == [.ambiguousIdentifier(identifier: "title", other: "title")])
    }

    @Test func inheritedPropertiesAreReportedOnce() {
        func hierarchy(_ type: AttributeType) -> Model {
            var model = Model(name: "M")
            model.entities = [Entity(name: "Medium"), Entity(name: "Book"), Entity(name: "Film")]
            model.entities[1].parentName = "Medium"
            model.entities[2].parentName = "Medium"
            model.entities[0].attributes = [Attribute(name: "length", type: type)]
            return model
        }
        let result = migration(hierarchy(.integer16), hierarchy(.string))
        #expect(result.obstacles.map(\.element) == ["Medium.length"])
    }

    @Test func propertiesCanMoveWithinTheHierarchy() {
        func hierarchy(_ owner: Int) -> Model {
            var model = Model(name: "M")
            model.entities = [Entity(name: "Medium"), Entity(name: "Book")]
            model.entities[1].parentName = "Medium"
            model.entities[owner].attributes = [Attribute(name: "title", type: .string)]
            model.entities[owner].attributes[0].isOptional = true
            return model
        }
        #expect(migration(hierarchy(0), hierarchy(1)).isPossible)
        #expect(migration(hierarchy(1), hierarchy(0)).isPossible)
    }

    @Test func newConstraintsAreARisk() {
        let result = migration(
            Model.library(),
            Model.library { model in
                model.entities[1].uniquenessConstraints = [
                    UniquenessConstraint(properties: [PropertyMention(name: "title")])
                ]
            })
        #expect(result.isPossible)
        #expect(result.risks.map(\.kind) == [.newConstraint("(title)")])
    }

    /// Edits of different elements yield exactly one obstacle each.
    @Test func randomEditsHaveExactlyTheExpectedObstacles() {
        Seeds.run(rounds: 250) { generator, log in
            var generator = generator
            let old = RandomModel.make(using: &generator)
            var new = old
            var expected: Set<String> = []
            for index in new.entities.indices {
                for position in new.entities[index].attributes.indices where generator.chance(3) {
                    let edit = Edit.allCases.randomElement(using: &generator) ?? .none
                    let before = new.entities[index].attributes[position]
                    edit.apply(to: &new.entities[index].attributes[position])
                    let after = new.entities[index].attributes[position]
                    log.append("\(edit) \(before.name)")
                    if edit.isObstacle(before, after) { expected.insert("\(new.entities[index].name).\(after.name)") }
                }
            }
            let found = Set(migration(old, new).obstacles.map(\.element))
            guard found == expected else { throw Failure("found \(found.sorted()), expected \(expected.sorted())") }
        }
    }

    /// An edit of an attribute, with Apple's rule for it stated independently of the implementation.
    private enum Edit: CaseIterable {
        case none, rename, optional, required, requiredWithDefault, toString, toInteger64, transient

        func apply(to attribute: inout Attribute) {
            switch self {
            case .none: break
            case .rename:
                attribute.renamingIdentifier = attribute.name
                attribute.name += "x"
            case .optional: attribute.isOptional = true
            case .required:
                attribute.isOptional = false
                attribute.defaultValue = nil
            case .requiredWithDefault:
                attribute.isOptional = false
                attribute.defaultValue = "1"
            case .toString: attribute.type = .string
            case .toInteger64: attribute.type = .integer64
            case .transient: attribute.isTransient = true
            }
        }

        func isObstacle(_ before: Attribute, _ after: Attribute) -> Bool {
            // Transient attributes migrate without restrictions, since the store does not contain their values.
            guard !before.isTransient, !after.isTransient else { return false }
            switch self {
            case .none, .rename, .optional, .requiredWithDefault, .transient: return false
            case .required: return before.isOptional
            case .toString: return before.type != .string
            case .toInteger64:
                return ![.boolean, .integer16, .integer32, .integer64, .float, .double].contains(before.type)
            }
        }
    }
}
