import Foundation
import ModelEditor
import Testing

/// Each operation writes the same text as Xcode, and undo restores every byte.
@Suite struct EditOperationTests {
    typealias Model = LibraryModel

    @Test func changingOneValueChangesOneLine() throws {
        let model = try Model()
        let session = try model.open()
        let change = try session.difference(
            .set(element: Model.attribute("Book", "title"), attribute: "optional", value: nil))
        #expect(change.removed == ["<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"])
        #expect(change.added == ["<attribute name=\"title\" attributeType=\"String\"/>"])
        _ = try session.undo()
        #expect(try session.text() == Model.contents)
        #expect(!session.isEdited)
        _ = try session.redo()
        #expect(session.isEdited)
    }

    @Test func newValuesStandWhereXcodeWritesThem() throws {
        let model = try Model()
        let session = try model.open()
        let change = try session.difference(
            .set(element: Model.attribute("Book", "pages"), attribute: "minValueString", value: "1"))
        #expect(
            change.added == [
                "<attribute name=\"pages\" optional=\"YES\" attributeType=\"Integer 32\" minValueString=\"1\" "
                    + "defaultValueString=\"0\" usesScalarValueType=\"YES\"/>"
            ])
    }

    @Test func renamingAnAttributeUpdatesEverythingThatRefersToIt() throws {
        let model = try Model()
        let session = try model.open()
        let change = try session.difference(.rename(element: Model.attribute("Book", "title"), name: "heading"))
        #expect(
            change.added.sorted() == [
                "<attribute name=\"heading\" optional=\"YES\" attributeType=\"String\"/>",
                "<fetchIndexElement property=\"heading\" type=\"Binary\" order=\"ascending\"/>",
                // The string literal with the same text is unchanged.
                "<fetchRequest name=\"Named\" entity=\"Author\" predicateString=\"name == $NAME AND SUBQUERY(books, $b, "
                    + "$b.heading == &quot;title&quot;).@count &gt; 0\"/>",
            ])
        // “heading” sorts before “pages”.
        let text = try session.text()
        let heading = try #require(text.range(of: "name=\"heading\""))
        let pages = try #require(text.range(of: "name=\"pages\""))
        #expect(heading.lowerBound < pages.lowerBound)
    }

    @Test func addInverseUsesAnUnpairedRelationshipOrAddsOne() throws {
        let model = try Model()
        let session = try model.open()
        let author = Model.entity("Author")
        _ = try session.perform(
            .add(
                parent: author, kind: "relationship", values: ["name": "favorite", "destinationEntity": "Book"],
                members: []))
        _ = try session.perform(.addInverse(element: Model.relationship("Author", "favorite")))
        // Only “author” could be the inverse, and it has one.
        #expect(
            try session.text().contains(
                "<relationship name=\"author2\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
                    + "destinationEntity=\"Author\" inverseName=\"favorite\" inverseEntity=\"Author\"/>"))
        _ = try session.undo()
        _ = try session.perform(
            .add(
                parent: Model.entity("Book"), kind: "relationship",
                values: ["name": "fan", "destinationEntity": "Author"], members: []))
        _ = try session.perform(.addInverse(element: Model.relationship("Author", "favorite")))
        let text = try session.text()
        #expect(text.contains("destinationEntity=\"Author\" inverseName=\"favorite\" inverseEntity=\"Author\"/>"))
        #expect(text.contains("inverseName=\"fan\"") && !text.contains("author2"))
    }

    @Test func renamingARelationshipUpdatesItsInverseAndPredicates() throws {
        let model = try Model()
        let session = try model.open()
        _ = try session.perform(.rename(element: Model.relationship("Author", "books"), name: "works"))
        let text = try session.text()
        #expect(text.contains("inverseName=\"works\" inverseEntity=\"Author\""))
        #expect(text.contains("SUBQUERY(works, $b"))
        #expect(!text.contains("\"books\""))
    }

    @Test func aPropertyOfTheSameNameInAnotherEntityKeepsItsMentions() throws {
        let model = try Model(
            Model.contents.replacingOccurrences(
                of: "<attribute name=\"title\" optional",
                with: "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>\n        "
                    + "<attribute name=\"title\" optional"))
        let session = try model.open()
        _ = try session.perform(.rename(element: Model.attribute("Book", "name"), name: "label"))
        let text = try session.text()
        #expect(text.contains("predicateString=\"name == $NAME"))
        #expect(text.contains("<constraint value=\"name\"/>"))
    }

    @Test func renamingAnEntityUpdatesEverythingThatRefersToIt() throws {
        let model = try Model()
        let session = try model.open()
        let outcome = try session.perform(.rename(element: Model.entity("Book"), name: "Publication"))
        let text = try session.text()
        #expect(!text.contains("\"Book\""))
        #expect(text.contains("name=\"Publication\" representedClassName=\"Publication\""))
        #expect(text.contains("parentEntity=\"Publication\""))
        #expect(text.contains("destinationEntity=\"Publication\" inverseName=\"author\" inverseEntity=\"Publication\""))
        #expect(text.contains("<memberEntity name=\"Publication\"/>"))
        #expect(outcome.selection == [Model.entity("Publication")])
        // The comment moves with the entity to its new location after “Novel”.
        let comment = try #require(text.range(of: "<!-- A comment about books. -->"))
        let novel = try #require(text.range(of: "<entity name=\"Novel\""))
        #expect(novel.lowerBound < comment.lowerBound)
        _ = try session.undo()
        #expect(try session.text() == Model.contents)
    }

    @Test func addedElementsAreThoseOfXcode() throws {
        let model = try Model()
        let session = try model.open()
        let parent = Model.entity("Book")
        let attribute = try session.difference(
            .add(parent: parent, kind: "attribute", values: ["attributeType": "Integer 64"], members: []))
        #expect(
            attribute.added == [
                "<attribute name=\"attribute\" optional=\"YES\" attributeType=\"Integer 64\" defaultValueString=\"0\" "
                    + "usesScalarValueType=\"YES\"/>"
            ])
        let second = try session.perform(.add(parent: parent, kind: "attribute", values: [:], members: []))
        #expect(second.selection == [Model.attribute("Book", "attribute1")])
        let relationship = try session.difference(
            .add(parent: parent, kind: "relationship", values: ["name": "editor"], members: []))
        #expect(
            relationship.added == [
                "<relationship name=\"editor\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\"/>"
            ])
        let constraint = try session.difference(
            .add(parent: parent, kind: "uniquenessConstraint", values: [:], members: ["title", "pages"]))
        #expect(
            constraint.added == [
                "<uniquenessConstraints>", "<uniquenessConstraint>", "<constraint value=\"title\"/>",
                "<constraint value=\"pages\"/>", "</uniquenessConstraint>", "</uniquenessConstraints>",
            ])
        let entity = try session.difference(.add(parent: Model.model, kind: "entity", values: [:], members: []))
        #expect(
            entity.added == [
                "<entity name=\"Entity\" representedClassName=\"Entity\" syncable=\"YES\" codeGenerationType=\"class\"/>"
            ])
        for kind in ["fetchedProperty", "fetchIndex", "entry"] {
            _ = try session.perform(.add(parent: parent, kind: kind, values: [:], members: []))
        }
        for kind in ["fetchRequest", "configuration", "composite"] {
            _ = try session.perform(.add(parent: Model.model, kind: kind, values: [:], members: []))
        }
        while try session.undo() != nil {}
        #expect(try session.text() == Model.contents)
    }

    @Test func deletingAPropertyRemovesItFromIndexesConstraintsAndInverses() throws {
        let model = try Model()
        let session = try model.open()
        let attribute = try session.difference(.delete(elements: [Model.attribute("Author", "name")]))
        #expect(attribute.added.isEmpty)
        #expect(attribute.removed.contains("<fetchIndex name=\"byName\">"))
        #expect(attribute.removed.contains("<uniquenessConstraints>"))
        _ = try session.undo()
        let relationship = try session.difference(.delete(elements: [Model.relationship("Author", "books")]))
        #expect(
            relationship.added == [
                "<relationship name=\"author\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
                    + "destinationEntity=\"Author\"/>"
            ])
    }

    @Test func deletingAnEntityRemovesReferencesToIt() throws {
        let model = try Model()
        let session = try model.open()
        _ = try session.perform(.delete(elements: [Model.entity("Book")]))
        let text = try session.text()
        #expect(!text.contains("\"Book\""))
        #expect(text.contains("<!-- A comment about books. -->"))
    }

    @Test func anInverseIsSetOnBothSides() throws {
        let model = try Model()
        let session = try model.open()
        _ = try session.perform(
            .add(parent: Model.entity("Book"), kind: "relationship", values: ["name": "editor"], members: []))
        let editor = Model.relationship("Book", "editor")
        _ = try session.perform(.set(element: editor, attribute: "destinationEntity", value: "Author"))
        _ = try session.perform(.set(element: editor, attribute: "inverseName", value: "books"))
        let text = try session.text()
        #expect(
            text.contains(
                "name=\"editor\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
                    + "destinationEntity=\"Author\" inverseName=\"books\" inverseEntity=\"Author\""))
        #expect(text.contains("inverseName=\"editor\" inverseEntity=\"Book\""))
        // The former inverse no longer has one.
        #expect(
            text.contains(
                "name=\"author\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
                    + "destinationEntity=\"Author\"/>"))
    }

    @Test func toManyAndTypeChangeWhatBelongsToThem() throws {
        let model = try Model()
        let session = try model.open()
        let toMany = try session.difference(
            .set(element: Model.relationship("Book", "author"), attribute: "toMany", value: "YES"))
        #expect(toMany.added.first?.contains("maxCount") == false)
        let type = try session.difference(
            .set(element: Model.attribute("Book", "pages"), attribute: "attributeType", value: "Date"))
        #expect(
            type.added == [
                "<attribute name=\"pages\" optional=\"YES\" attributeType=\"Date\" usesScalarValueType=\"NO\"/>"
            ])
    }

    @Test func copiesGetFreeNamesAndNoInverse() throws {
        let model = try Model()
        let session = try model.open()
        let copy = try session.perform(.duplicate(elements: [Model.entity("Book")]))
        #expect(copy.selection == [Model.entity("Book1")])
        #expect(try session.text().contains("name=\"Book1\" representedClassName=\"Book1\""))
        let text = session.copy([Model.attribute("Book", "title")])
        #expect(text == "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>")
        let other = try Model()
        let target = try other.open()
        let pasted = try target.perform(.paste(parent: Model.entity("Author"), text: text))
        #expect(pasted.selection == [Model.attribute("Author", "title")])
    }

    @Test func rejectedOperationsChangeNothing() throws {
        let model = try Model()
        let session = try model.open()
        let rejected: [EditOperation] = [
            .rename(element: Model.attribute("Book", "title"), name: "pages"),
            .rename(element: Model.attribute("Book", "title"), name: ""),
            .rename(element: Model.attribute("Book", "title"), name: "a\u{0}b"),
            .rename(element: Model.attribute("Book", "missing"), name: "x"),
            .add(parent: Model.attribute("Book", "title"), kind: "entity", values: [:], members: []),
            .paste(parent: Model.entity("Book"), text: "<entity name=\"X\"/>"),
            .paste(parent: Model.entity("Book"), text: "no XML < at all"),
            .set(element: Model.relationship("Book", "author"), attribute: "destinationEntity", value: "Nowhere"),
            .set(element: Model.entity("Book"), attribute: "x\" y=\"", value: "1"),
            .move(element: Model.entity("Book"), position: 0),
            .group(
                operations: [
                    .rename(element: Model.entity("Book"), name: "Changed"),
                    .rename(element: Model.entity("Missing"), name: "x"),
                ], title: "Both"),
        ]
        for operation in rejected {
            #expect(throws: EditRejection.self) { try session.perform(operation) }
            #expect(try session.text() == Model.contents)
        }
        #expect(session.undoTitle == nil)
        let locked = try model.open(isReadOnly: true)
        #expect(throws: EditRejection.self) {
            try locked.perform(.rename(element: Model.entity("Book"), name: "Changed"))
        }
    }

    @Test func hostileTextIsEscaped() throws {
        let model = try Model()
        let session = try model.open()
        let text = "<script>\"'&\n]]></script>"
        _ = try session.perform(
            .set(element: Model.attribute("Book", "title"), attribute: "defaultValueString", value: text))
        guard case .saved = try session.save() else {
            Issue.record("a conflict")
            return
        }
        let node = try #require(try model.open().snapshot(of: "Library").root?.c?[1].c?[1])
        #expect(node.a["defaultValueString"] == text)
    }
}
