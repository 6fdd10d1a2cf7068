import ModelEditor
import ModelcDriver
import Testing

/// Positions of boxes on the canvas of the graph, and connecting entities.
@Suite struct CanvasTests {
    typealias Model = LibraryModel

    private static let boxes = [
        CanvasBox(name: "Novel", x: 300, y: 40, width: 128, height: 29),
        CanvasBox(name: "Author", x: -54, y: -9, width: 128, height: 59),
        CanvasBox(name: "Book", x: 120, y: 9, width: 160, height: 74),
    ]

    /// `<elements>` as written by Xcode 13: after everything else, in the order of the entities.
    private static let elements = """
            <elements>
                <element name="Author" positionX="-54" positionY="-9" width="128" height="59"/>
                <element name="Book" positionX="120" positionY="9" width="160" height="74"/>
                <element name="Novel" positionX="300" positionY="40" width="128" height="29"/>
            </elements>
        </model>
        """

    private static let placed = Model.contents.replacingOccurrences(of: "</model>", with: elements)

    @Test func positionsAreStoredAsOneBlock() throws {
        let model = try Model()
        let session = try model.open()
        _ = try session.perform(.arrange(version: "Library", boxes: Self.boxes))
        #expect(try session.text() == Self.placed)
        #expect(session.undoTitle == "Move Boxes")
        _ = try session.undo()
        #expect(!session.isEdited)
        #expect(try session.text() == Model.contents)
    }

    @Test func aMovedBoxKeepsItsStoredSize() throws {
        let session = try Model(Self.placed).open()
        let difference = try session.difference(
            .arrange(version: "Library", boxes: [CanvasBox(name: "Book", x: 121, y: 9, width: 500, height: 500)]))
        #expect(
            difference.removed == [#"<element name="Book" positionX="120" positionY="9" width="160" height="74"/>"#])
        #expect(difference.added == [#"<element name="Book" positionX="121" positionY="9" width="160" height="74"/>"#])
        #expect(session.undoTitle == "Move Box")
    }

    @Test func aBoxThatStaysWhereItWasChangesNothing() throws {
        let fractional = Self.placed.replacingOccurrences(of: "positionX=\"120\"", with: "positionX=\"120.4921875\"")
        let session = try Model(fractional).open()
        _ = try session.perform(.arrange(version: "Library", boxes: [Self.boxes[2]]))
        #expect(!session.isEdited)
        #expect(session.undoTitle == nil)
    }

    @Test func aNewBoxStandsInTheOrderOfTheEntities() throws {
        let some = Self.placed.replacingOccurrences(
            of: "        <element name=\"Book\" positionX=\"120\" positionY=\"9\" width=\"160\" height=\"74\"/>\n",
            with: "")
        let session = try Model(some).open()
        _ = try session.perform(.arrange(version: "Library", boxes: [Self.boxes[2]]))
        #expect(try session.text() == Self.placed)
    }

    @Test func implausiblePositionsAreRejected() throws {
        let session = try Model().open()
        for box in [
            CanvasBox(name: "Nobody", x: 0, y: 0, width: 1, height: 1),
            CanvasBox(name: "Book", x: .max, y: 0, width: 1, height: 1),
            CanvasBox(name: "Book", x: 0, y: .min, width: 1, height: 1),
            CanvasBox(name: "Book", x: 0, y: 0, width: -1, height: 1),
        ] {
            #expect(throws: EditRejection.self) {
                try session.perform(.arrange(version: "Library", boxes: [Self.boxes[0], box]))
            }
            #expect(!session.isEdited)
        }
    }

    @Test func aFileThatIsNotXcodesGetsOneBlockToo() throws {
        let tabs = Model.contents.replacingOccurrences(of: "    ", with: "\t") + "\n"
        let model = try Model(tabs)
        let session = try model.open()
        _ = try session.perform(.arrange(version: "Library", boxes: Self.boxes))
        guard case .saved = try session.save() else { return #expect(Bool(false)) }
        #expect(try model.read() == Self.placed.replacingOccurrences(of: "    ", with: "\t") + "\n")
    }

    @Test func connectingAddsARelationshipAndItsInverse() throws {
        let session = try Model().open()
        let difference = try session.difference(.connect(from: Model.entity("Novel"), to: Model.entity("Author")))
        // Novel inherits “author” from Book.
        #expect(
            difference.added == [
                #"<relationship name="novel" optional="YES" maxCount="1" deletionRule="Nullify" "#
                    + #"destinationEntity="Novel" inverseName="author2" inverseEntity="Novel"/>"#,
                #"<relationship name="author2" optional="YES" maxCount="1" deletionRule="Nullify" "#
                    + #"destinationEntity="Author" inverseName="novel" inverseEntity="Author"/>"#,
            ])
        #expect(difference.removed == [])
        _ = try session.undo()
        #expect(!session.isEdited)
    }

    @Test func anEntityCanBeConnectedToItself() throws {
        let session = try Model().open()
        _ = try session.perform(.connect(from: Model.entity("Book"), to: Model.entity("Book")))
        let text = try session.text()
        #expect(text.contains(#"name="book" "#) && text.contains(#"name="book2" "#))
        #expect(text.contains(#"inverseName="book2" inverseEntity="Book""#))
        #expect(text.contains(#"inverseName="book" inverseEntity="Book""#))
    }

    @Test func theLayoutPositionsEveryEntityWithoutOverlaps() throws {
        let session = try Model().open()
        let found = session.layout(
            of: "Library", Self.boxes + [CanvasBox(name: "Nobody", x: 0, y: 0, width: 9, height: 9)])
        #expect(found.map(\.name).sorted() == ["Author", "Book", "Novel"])
        for (index, one) in found.enumerated() {
            for other in found[(index + 1)...] {
                let isApart =
                    one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y
                    || other.y + other.height <= one.y
                #expect(isApart, "\(one) \(other)")
            }
        }
        #expect(Set(found.map(\.width)) == Set(Self.boxes.map(\.width)))
    }
}
