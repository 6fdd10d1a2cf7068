import ModelSchema
import Testing

@testable import ModelEvolution
@testable import ModelMigration

/// Lightweight migrations of composite attributes and their elements.
@Suite struct LightweightCompositeTests {
    private func migration(_ old: Model, _ new: Model) -> LightweightMigration {
        LightweightMigration(from: IndexedModel(old), to: IndexedModel(new))
    }

    /// Apple does not document elements of composite attributes; they follow the rules of attributes.
    @Test(
        arguments: [
            (AttributeType.integer64, []), (.string, [.incompatibleTypes(old: .integer16, new: .string)]),
            (.boolean, [.incompatibleTypes(old: .integer16, new: .boolean)]),
        ] as [(AttributeType, [MigrationObstacle.Kind])])
    func elementsOfCompositesAreConvertedLikeAttributes(type: AttributeType, kinds: [MigrationObstacle.Kind]) {
        let result = migration(
            location([Attribute(name: "x", type: .integer16)]), location([Attribute(name: "x", type: type)]))
        #expect(result.obstacles.map(\.kind) == kinds)
        #expect(result.obstacles.map(\.element) == kinds.map { _ in "Book.place.point.x" })
    }

    /// A library whose books have a composite attribute of a nested type.
    private func location(_ elements: [Attribute]) -> Model {
        Model.library { model in
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

    @Test func identifiersOfUnchangedCompositesAreFollowed() {
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
}
