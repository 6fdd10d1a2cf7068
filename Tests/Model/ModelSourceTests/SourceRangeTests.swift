import Diagnostics
import ModelSchema
import ModelSource
import Testing

@Suite struct SourceRangeTests {
    @Test func everyElementAndAttributeHasItsRange() throws {
        let source = MarkedSource(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- ü in a comment does not shift what follows -->
            1️⃣<model userDefinedModelVersionIdentifier="">
                2️⃣<entity name="Größe" 3️⃣representedClassName = 'a > "b"'4️⃣
                    5️⃣syncable="YES"6️⃣>
                    <attribute name="größe" 7️⃣attributeType="8️⃣String9️⃣"/>
                </entity>
            </model>
            """)
        let document = try ModelDocument(bytes: source.bytes, path: "m", name: "M")
        let entity = try #require(document.model.entities.first)
        let attribute = try #require(entity.attributes.first)
        #expect(document.range(of: document.model.origin)?.start == source(1))
        #expect(document.range(of: entity.origin)?.start == source(2))
        #expect(document.range(of: entity.origin)?.end == source(6))
        let className = try #require(document.range(of: entity.origin, attribute: "representedClassName"))
        #expect(className.start == source(3))
        #expect(className.end == source(4))
        #expect(document.range(of: entity.origin, attribute: "syncable")?.start == source(5))
        #expect(document.range(of: attribute.origin, attribute: "attributeType")?.start == source(7))
        let value = try #require(document.range(of: attribute.origin, valueOf: "attributeType"))
        #expect(value.start == source(8))
        #expect(value.end == source(9))
        #expect(document.range(of: attribute.origin, attribute: "optional") == nil)
        #expect(document.range(of: nil) == nil)
    }

    @Test func windowsLineEndingsKeepLocations() throws {
        let source = MarkedSource("<model>\r\n  1️⃣<entity name=\"A\" 2️⃣x=\"1\"/>\r\n</model>\r\n")
        let document = try ModelDocument(bytes: source.bytes, path: "m", name: "M")
        #expect(document.range(of: document.model.entities.first?.origin)?.start == source(1))
        #expect(document.diagnostics.map(\.range?.start) == [source(2)])
    }

    @Test func otherEncodingsAreRead() throws {
        let text = "<?xml version=\"1.0\"?>\n<model><entity name=\"Größe\"/></model>"
        let utf16: [UInt8] = [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] as [UInt8] }
        let little: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8] }
        let marked = [0xEF, 0xBB, 0xBF] + Array(text.utf8)
        let latin = Array(
            text.replacing("version=\"1.0\"", with: "version=\"1.0\" encoding=\"ISO-8859-1\"").unicodeScalars.map {
                UInt8($0.value)
            })
        for bytes in [utf16, little, marked, latin] {
            let document = try ModelDocument(bytes: bytes, path: "m", name: "M")
            #expect(document.model.entities.map(\.name) == ["Größe"])
            #expect(document.diagnostics.isEmpty)
        }
    }
}
