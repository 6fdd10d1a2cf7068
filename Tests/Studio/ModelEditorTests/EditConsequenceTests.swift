import Foundation
import ModelEditor
import ModelcDriver
import Testing

/// What an edit changes along with the value that it is about, and what it leaves alone.
@Suite struct EditConsequenceTests {
    typealias Model = LibraryModel

    @Test func anElementKeepsItsName() throws {
        let model = try Model()
        let session = try model.open()
        let entry = Model.entity("Novel").child("userInfo").child("entry", "note")
        for (element, attribute) in [
            (Model.entity("Book"), "name"), (Model.attribute("Book", "title"), "name"),
            (Model.relationship("Book", "author"), "name"), (Model.model.child("fetchRequest", "Named"), "name"),
            (Model.model.child("configuration", "Cloud").child("memberEntity", "Book"), "name"), (entry, "key"),
            (Model.entity("Author").child("fetchIndex", "byName").child("fetchIndexElement", "name"), "property"),
        ] {
            for value in [nil, ""] as [String?] {
                #expect(throws: EditRejection.self, "\(element)") {
                    try session.perform(.set(element: element, attribute: attribute, value: value))
                }
            }
        }
        #expect(!session.isEdited)
        _ = try session.perform(
            .add(parent: Model.entity("Novel"), kind: "entry", values: ["key": "other"], members: []))
        #expect(throws: EditRejection.self) {
            try session.perform(.set(element: entry, attribute: "key", value: "other"))
        }
    }

    @Test func anIndexElementHasAPropertyOrAnExpression() throws {
        let model = try Model(
            Model.contents.replacingOccurrences(
                of: "<fetchIndexElement property=\"title\"",
                with: "<fetchIndexElement expression=\"lowercase:(title)\" expressionType=\"String\""))
        let session = try model.open()
        let element = Model.entity("Novel").child("fetchIndex", "byTitle").child("fetchIndexElement")
        _ = try session.perform(.set(element: element, attribute: "property", value: "pages"))
        #expect(
            try session.text().contains("<fetchIndexElement property=\"pages\" type=\"Binary\" order=\"ascending\"/>"))
        _ = try session.undo()
        #expect(!session.isEdited)
    }

    private func attribute(_ start: String, setting type: String) throws -> String {
        let model = try Model(
            Model.contents.replacingOccurrences(
                of: "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>",
                with: "<attribute name=\"title\" optional=\"YES\" \(start)/>"))
        let session = try model.open()
        _ = try session.perform(
            .set(element: Model.attribute("Book", "title"), attribute: "attributeType", value: type))
        let line = try #require(try session.text().split(separator: "\n").first { $0.contains("name=\"title\"") })
        return line.trimmingCharacters(in: .whitespaces)
            .replacingOccurrences(of: "<attribute name=\"title\" optional=\"YES\" ", with: "")
            .replacingOccurrences(of: "/>", with: "")
    }

    @Test(arguments: [
        (
            "attributeType=\"Integer 16\" defaultValueString=\"5\" usesScalarValueType=\"NO\"", "Integer 64",
            "attributeType=\"Integer 64\" defaultValueString=\"5\" usesScalarValueType=\"NO\""
        ),
        (
            "attributeType=\"Double\" defaultValueString=\"2.5\" usesScalarValueType=\"YES\"", "Float",
            "attributeType=\"Float\" defaultValueString=\"2.5\" usesScalarValueType=\"YES\""
        ),
        ("attributeType=\"Integer 64\"", "Integer 32", "attributeType=\"Integer 32\""),
        (
            "attributeType=\"Double\" minValueString=\"0.5\" maxValueString=\"9\" defaultValueString=\"2.5\"",
            "Integer 16",
            "attributeType=\"Integer 16\" maxValueString=\"9\" defaultValueString=\"0\""
        ),
        (
            "attributeType=\"Integer 32\" defaultValueString=\"70000\"", "Integer 16",
            "attributeType=\"Integer 16\" defaultValueString=\"0\""
        ),
        (
            "attributeType=\"Integer 16\" defaultValueString=\"5\"", "String",
            "attributeType=\"String\" defaultValueString=\"5\""
        ),
        (
            "attributeType=\"String\"", "Integer 16",
            "attributeType=\"Integer 16\" defaultValueString=\"0\" usesScalarValueType=\"YES\""
        ),
        (
            "attributeType=\"String\" defaultValueString=\"7\"", "Integer 16",
            "attributeType=\"Integer 16\" defaultValueString=\"7\" usesScalarValueType=\"YES\""
        ),
        (
            "attributeType=\"Integer 16\" defaultValueString=\"5\" usesScalarValueType=\"YES\"", "Date",
            "attributeType=\"Date\" usesScalarValueType=\"NO\""
        ),
    ])
    func aNewTypeKeepsWhatIsValid(start: String, type: String, expected: String) throws {
        #expect(try attribute(start, setting: type) == expected)
    }

    @Test func renamingAnElementOfACompositeTypeUpdatesKeyPaths() throws {
        let model = try Model(
            Model.contents.replacingOccurrences(
                of: "    <configuration",
                with: """
                        <entity name="Shop" representedClassName="Shop" syncable="YES">
                            <attribute name="lat" optional="YES" attributeType="String"/>
                            <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
                            <fetchIndex name="byPlace">
                                <fetchIndexElement expression="place.lat" expressionType="Double" type="Binary" order="ascending"/>
                            </fetchIndex>
                        </entity>
                        <fetchRequest name="Near" entity="Shop" predicateString="place.lat &gt; 1 AND lat != nil AND place.inner.lat = 2"/>
                        <composite name="Inner">
                            <attribute name="lat" optional="YES" attributeType="Double"/>
                        </composite>
                        <composite name="Place">
                            <attribute name="inner" optional="YES" attributeType="Composite" composite="Inner"/>
                            <attribute name="lat" optional="YES" attributeType="Double"/>
                        </composite>
                        <configuration
                    """))
        let session = try model.open()
        _ = try session.perform(
            .rename(element: Model.model.child("composite", "Place").child("attribute", "lat"), name: "latitude"))
        let text = try session.text()
        #expect(text.contains("predicateString=\"place.latitude &gt; 1 AND lat != nil AND place.inner.lat = 2\""))
        #expect(text.contains("expression=\"place.latitude\""))
        _ = try session.perform(
            .rename(element: Model.model.child("composite", "Inner").child("attribute", "lat"), name: "y"))
        #expect(try session.text().contains("lat != nil AND place.inner.y = 2\""))
    }

    @Test func nothingRefersToADeletedEntity() throws {
        let model = try Model(
            Model.contents.replacingOccurrences(
                of: "destinationEntity=\"Book\" inverseName=\"author\" inverseEntity=\"Book\"",
                with: "destinationEntity=\"Novel\" inverseName=\"author\" inverseEntity=\"Novel\""
            ).replacingOccurrences(
                of: "                <userInfo>",
                with:
                    "<fetchedProperty name=\"rivals\" optional=\"YES\"><fetchRequest name=\"fetchedPropertyFetchRequest\" "
                    + "entity=\"Book\"/></fetchedProperty><userInfo>"))
        let session = try model.open()
        _ = try session.perform(.delete(elements: [Model.entity("Book")]))
        let text = try session.text()
        #expect(!text.contains("\"Book\""))
        // Author.books led to Novel, which has lost the inverse that it inherited.
        #expect(text.contains("destinationEntity=\"Novel\"/>"))
        #expect(!text.contains("inverseName"))
        _ = try session.undo()
        #expect(!session.isEdited)
        _ = try session.perform(.delete(elements: [Model.entity("Author")]))
        #expect(try session.text().contains("<fetchRequest name=\"Named\" predicateString"))
    }

    @Test func anotherUnicodeNormalizationIsAnEdit() throws {
        let model = try Model()
        let session = try model.open()
        _ = try session.perform(.rename(element: Model.attribute("Book", "title"), name: "caf\u{E9}"))
        _ = try session.save()
        _ = try session.perform(.rename(element: Model.attribute("Book", "caf\u{E9}"), name: "cafe\u{301}"))
        #expect(session.isEdited)
        _ = try session.save()
        #expect(try model.read().utf8.elementsEqual(session.text().utf8))
        #expect(try model.read().unicodeScalars.contains("\u{301}"))
    }

    @Test func revisionsAndUndoGoOnWithANewVersion() throws {
        let model = try Model()
        let service = try EditorService(
            path: model.path, journalFolder: model.cache, isReadOnly: false, files: POSIXFileSystem())
        for name in ["A", "B", "C"] {
            _ = try service.session.perform(
                .add(parent: Model.model, kind: "entity", values: ["name": name], members: []))
        }
        let known = service.session.revision
        let reply = service.reply(to: EditorMessage(version: "Library", known: known, request: .addVersion(name: nil)))
        #expect(reply.problem == nil)
        #expect(service.session.revision > known)
        #expect(service.session.currentVersion == "Library 2")
        #expect(service.session.undoTitle == "Add entity")
        #expect(try service.session.undo() == ["Library"])
        #expect(try !service.session.text().contains("name=\"C\""))
        #expect(try service.session.text("Library 2").contains("name=\"C\""))
    }
}
