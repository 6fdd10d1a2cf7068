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

    /// Returns a model with two entities: `Book` with attributes and relationships, and its destination `Author`.
    private func library(_ edit: (inout Model) -> Void = { _ in }) -> Model {
        var model = Model(name: "M")
        var book = Entity(name: "Book")
        book.attributes = [Attribute(name: "title", type: .string), Attribute(name: "pages", type: .integer16)]
        book.attributes[0].isOptional = true
        var authors = Relationship(name: "authors", destinationName: "Author")
        (authors.isOptional, authors.isToMany) = (true, true)
        var publisher = Relationship(name: "publisher", destinationName: "Author")
        publisher.isOptional = true
        book.relationships = [authors, publisher]
        model.entities = [Entity(name: "Author"), book]
        edit(&model)
        return model
    }

    private func obstacles(_ edit: (inout Model) -> Void) -> [MigrationObstacle.Kind] {
        migration(library(), library(edit)).obstacles.map(\.kind)
    }

    @Test func equalModelsNeedNoMigration() {
        let result = migration(library(), library { $0.entities[0].className = ClassName("Writer") })
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
        let result = migration(library(), library(edit))
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

    /// Apple does not document elements of composite attributes; they follow the rules of attributes.
    @Test(
        arguments: [
            (AttributeType.integer64, []), (.string, [.incompatibleTypes(old: .integer16, new: .string)]),
            (.boolean, [.incompatibleTypes(old: .integer16, new: .boolean)]),
        ] as [(AttributeType, [MigrationObstacle.Kind])])
    func elementsOfCompositesAreConvertedLikeAttributes(type: AttributeType, kinds: [MigrationObstacle.Kind]) {
        func location(_ type: AttributeType) -> Model {
            library { model in
                var (inner, outer) = (CompositeType(name: "Point"), CompositeType(name: "Place"))
                inner.attributes = [Attribute(name: "x", type: type)]
                var point = Attribute(name: "point", type: .composite)
                point.compositeName = "Point"
                outer.attributes = [point]
                model.composites = [inner, outer]
                var attribute = Attribute(name: "place", type: .composite)
                attribute.compositeName = "Place"
                attribute.isOptional = true
                model.entities[1].attributes.append(attribute)
            }
        }
        let result = migration(location(.integer16), location(type))
        #expect(result.obstacles.map(\.kind) == kinds)
        #expect(result.obstacles.map(\.element) == kinds.map { _ in "Book.place.point.x" })
    }

    /// A library whose books have a composite attribute of a nested type.
    private func location(_ elements: [Attribute]) -> Model {
        library { model in
            var (inner, outer) = (CompositeType(name: "Point"), CompositeType(name: "Place"))
            inner.attributes = elements
            var point = Attribute(name: "point", type: .composite)
            point.compositeName = "Point"
            outer.attributes = [point]
            model.composites = [inner, outer]
            var attribute = Attribute(name: "place", type: .composite)
            attribute.compositeName = "Place"
            attribute.isOptional = true
            model.entities[1].attributes.append(attribute)
        }
    }

    @Test func removedAndRenamedElementsOfCompositesAreReported() throws {
        var (y, renamed) = (Attribute(name: "y", type: .integer16), Attribute(name: "z", type: .integer16))
        renamed.renamingIdentifier = "y"
        let x = Attribute(name: "x", type: .integer16)
        let removal = migration(location([x, y]), location([x]))
        #expect(removal.steps == [.removeAttribute(entity: "Book", name: "place.point.y")])
        #expect(removal.steps.map(\.losesData) == [true])
        #expect(removal.risks.map(\.kind) == [.removedElement])
        #expect(removal.risks.allSatisfy { $0.kind.dropsValues && $0.element == "Book.place.point.y" })
        #expect(removal.isPossible)
        // A renaming identifier keeps the values, which is noted, because Apple does not document it.
        let rename = migration(location([x, y]), location([x, renamed]))
        #expect(
            rename.steps == [.renameAttribute(entity: "Book", old: "place.point.y", new: "place.point.z")])
        #expect(rename.risks.map(\.kind) == [.renamedElement])
        #expect(rename.risks.allSatisfy { !$0.kind.dropsValues && $0.element == "Book.place.point.z" })
        // Without one, the values are lost.
        var other = renamed
        (other.renamingIdentifier, other.isOptional) = (nil, true)
        let loss = migration(location([x, y]), location([x, other]))
        #expect(
            loss.steps == [
                .removeAttribute(entity: "Book", name: "place.point.y"),
                .addAttribute(entity: "Book", name: "place.point.z", defaultValue: nil),
            ])
        #expect(loss.risks.map(\.kind) == [.removedElement])
        // The hash terms name the elements, as diff and breaking show them.
        let difference = ModelDifference(
            from: IndexedModel(location([x, y])), to: IndexedModel(location([x, renamed])))
        let book = try #require(difference.entities.first { $0.change.name == "Book" })
        #expect(book.hashTerms == [.removedProperty("place.point.y"), .addedProperty("place.point.z")])
        y.isOptional = true
        let relaxed = ModelDifference(
            from: IndexedModel(location([x, Attribute(name: "y", type: .integer16)])),
            to: IndexedModel(location([x, y])))
        #expect(
            relaxed.entities.first { $0.change.name == "Book" }?.hashTerms
                == [.property("place.point.y", [.isOptional])])
    }

    @Test func requiredElementsOfCompositesNeedADefault() {
        var (x, y) = (Attribute(name: "x", type: .integer16), Attribute(name: "y", type: .integer16))
        x.isOptional = true
        let added = migration(location([x]), location([x, y]))
        #expect(added.obstacles.map(\.kind) == [.requiredWithoutDefault])
        #expect(added.obstacles.map(\.element) == ["Book.place.point.y"])
        y.isOptional = true
        var required = y
        required.isOptional = false
        #expect(migration(location([x, y]), location([x, required])).obstacles.map(\.kind) == [.becameRequired])
        required.defaultValue = "5"
        let filled = migration(location([x, y]), location([x, required]))
        #expect(filled.obstacles == [])
        #expect(filled.steps == [.requireAttribute(entity: "Book", name: "place.point.y", defaultValue: "5")])
    }

    /// An unchanged entity keeps its rows, so renaming identifiers of earlier versions, which hashes do not cover, do
    /// not count.
    @Test func identifiersOfUnchangedEntitiesAreNotFollowed() {
        func swapped(_ edit: (inout Model) -> Void) -> Model {
            library { model in
                model.entities[1].attributes[0].renamingIdentifier = "pages"
                model.entities[1].attributes[1].renamingIdentifier = "title"
                model.entities[0].renamingIdentifier = "Book"
                model.entities[1].renamingIdentifier = "Author"
                edit(&model)
            }
        }
        let (old, new) = (swapped { _ in }, library { $0.entities.append(Entity(name: "Shelf")) })
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
        // The hash of an entity does not cover the name of a composite attribute, whose identifier does count.
        func composite(_ name: String, _ identifier: String?) -> Model {
            var model = location([Attribute(name: "x", type: .integer16)])
            let last = model.entities[1].attributes.count - 1
            model.entities[1].attributes[last].name = name
            model.entities[1].attributes[last].renamingIdentifier = identifier
            return model
        }
        var renamed = composite("site", "place")
        renamed.entities.append(Entity(name: "Shelf"))
        #expect(
            migration(composite("place", nil), renamed).steps == [
                .renameAttribute(entity: "Book", old: "place", new: "site"), .addEntity("Shelf"),
            ])
    }

    /// A → B → C: the identifier of C must be A, as that of B.
    @Test func identifiersThatDoNotGoBackToTheFirstNameAreReported() {
        func version(_ entity: String, _ attribute: String, _ identifiers: (String, String)) -> Model {
            library { model in
                (model.entities[1].name, model.entities[1].renamingIdentifier) = (entity, identifiers.0)
                (model.entities[1].attributes[0].name, model.entities[1].attributes[0].renamingIdentifier) =
                    (attribute, identifiers.1)
            }
        }
        let second = version("Work", "heading", ("Book", "title"))
        #expect(migration(library(), second).risks == [])
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
        let toMany = migration(library(), library { $0.entities[1].relationships[1].isToMany = true })
        #expect(toMany.risks.map(\.kind) == [.exclusiveMembers])
        #expect(toMany.risks.allSatisfy { $0.kind.dropsValues && $0.element == "Book.publisher" })
        func addInverse(_ model: inout Model, isToMany: Bool) {
            model.entities[1].relationships[1].inverseName = "published"
            var inverse = Relationship(name: "published", destinationName: "Book")
            (inverse.isOptional, inverse.isToMany, inverse.inverseName) = (true, isToMany, "publisher")
            model.entities[0].relationships.append(inverse)
        }
        #expect(
            migration(library(), library { addInverse(&$0, isToMany: false) }).risks.map(\.kind)
                == [.exclusiveMembers])
        #expect(migration(library(), library { addInverse(&$0, isToMany: true) }).risks == [])
        // A many-to-many relationship loses its inverse.
        let both = library { model in
            model.entities[1].relationships[1].isToMany = true
            addInverse(&model, isToMany: true)
        }
        let one = library { $0.entities[1].relationships[1].isToMany = true }
        #expect(migration(both, one).risks.map(\.kind) == [.exclusiveMembers])
        #expect(migration(one, both).risks == [])
    }

    /// A member may have been in one object's relationship, and refer to another object.
    @Test func relationshipsThatBecomeInversesAreReported() {
        func version(isPaired: Bool, _ edit: (inout Model) -> Void = { _ in }) -> Model {
            library { model in
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
        #expect(migration(library(), new).risks == [])
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
            library(),
            library { model in
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
