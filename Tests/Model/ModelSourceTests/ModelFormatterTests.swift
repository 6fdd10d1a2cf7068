import ModelSchema
import Testing

@testable import ModelSource

/// Xcode's layout, restored or left unchanged.
@Suite struct ModelFormatterTests {
    private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"

    private static func format(_ text: String) throws -> String {
        String(decoding: try ModelFormatter.format(Array(text.utf8), path: "contents"), as: UTF8.self)
    }

    @Test func putsEverythingInOrder() throws {
        let messy = """
            <!-- licence -->
            <model documentVersion='1.0' type="t"
                   userDefinedModelVersionIdentifier="" lastSavedToolsVersion="22522">

              <configuration name="Z"><memberEntity name="b"/><memberEntity name="a"/></configuration>
              <!-- of b -->
              <entity syncable="YES" name="b">
                <userInfo><entry value="1" key="k"/></userInfo>
                <relationship name="r" destinationEntity="a" optional="YES"></relationship>
                <fetchIndex name="z"/><fetchIndex name="y"/>
                <attribute attributeType="String" name="beta" defaultValueString="a &lt; 'b' > &#10;"/>
                <attribute name="Alpha"/>
                <!-- last -->
              </entity>
              <entity name="a"/>
            </model>
            <!-- end -->

            """
        let clean =
            Self.head + """
                <!-- licence -->
                <model type="t" documentVersion="1.0" lastSavedToolsVersion="22522" userDefinedModelVersionIdentifier="">
                    <entity name="a"/>
                    <!-- of b -->
                    <entity name="b" syncable="YES">
                        <attribute name="Alpha"/>
                        <attribute name="beta" attributeType="String" defaultValueString="a &lt; 'b' &gt; &#10;"/>
                        <relationship name="r" optional="YES" destinationEntity="a"/>
                        <fetchIndex name="z"/>
                        <fetchIndex name="y"/>
                        <userInfo>
                            <entry key="k" value="1"/>
                        </userInfo>
                        <!-- last -->
                    </entity>
                    <configuration name="Z">
                        <memberEntity name="b"/>
                        <memberEntity name="a"/>
                    </configuration>
                </model>
                <!-- end -->
                """
        #expect(try Self.format(messy) == clean)
        #expect(try Self.format(clean) == clean)
    }

    @Test func keepsUnknownElements() throws {
        // An element and XML attributes of a future Xcode, in an unknown order.
        let text =
            Self.head + """
                <model name="" future="1" type="t" lastSavedToolsVersion="99999">
                    <entity name="a" shape="round" syncable="YES">
                        <attribute name="x"/>
                        <trigger name="t" xmlns:q="urn:q" q:a="1">
                            code
                        </trigger>
                        <relationship name="r"/>
                    </entity>
                </model>
                """
        #expect(try Self.format(text) == text)
        let moved = text.replacing("<attribute name=\"x\"/>", with: "<userInfo/><attribute name=\"x\"/>")
        #expect(
            try Self.format(moved)
                == text.replacing("<relationship name=\"r\"/>", with: "<relationship name=\"r\"/>\n        <userInfo/>")
        )
    }

    /// Orders that Xcode may have written are left unchanged (Documentation/Formats/ModelSource.md, 3.4:
    /// `isf, isfAndCr, isPreset`).
    @Test(arguments: [
        ["isf", "isfAndCr", "isPreset"], ["target", "target_", "targetProxy"], ["int16", "int32", "integerEnum"],
        ["item10", "item2"], ["item2", "item10"], ["a_1", "a1"], ["a1", "a_1"], ["É", "z"], [], ["x", "x"],
    ])
    func keepsSortedNames(_ names: [String]) throws {
        let lines = names.map { "        <attribute name=\"\($0)\"/>\n" }.joined()
        let text =
            Self.head
            + "<model>\n    <entity name=\"e\"\(names.isEmpty ? "/>\n" : ">\n\(lines)    </entity>\n")</model>"
        #expect(try Self.format(text) == text)
    }

    @Test func sortsLikeTheFinder() {
        let names = ["b", "item10", "Item2", "a_b", "ab", "a1", "item02", "B"]
        #expect(
            XcodeNameOrder.sortedIndices(names).map { names[$0] } == [
                "a_b", "a1", "ab", "b", "B", "Item2", "item02", "item10",
            ])
    }

    /// The writer and the formatter agree on Xcode's order.
    @Test func agreesWithTheWriter() throws {
        let source =
            Self.head + """
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22522" systemVersion="23C71" minimumToolsVersion="Automatic" sourceLanguage="Swift" usedWithCloudKit="YES" usedWithSwiftData="YES" userDefinedModelVersionIdentifier="1">
                    <entity name="A" representedClassName=".A" isAbstract="YES" elementID="B" versionHashModifier="m" syncable="YES" codeGenerationType="class">
                        <attribute name="a" optional="YES" attributeType="Date" minDateTimeInterval="0" maxDateTimeInterval="9" defaultDateTimeInterval="1" derived="YES" derivationExpression="now()" usesScalarValueType="NO" preserveAfterDeletion="YES" spotlightIndexingEnabled="YES" versionHashModifier="x" elementID="y" syncable="YES">
                            <userInfo>
                                <entry key="k" value="v &quot;&amp;"/>
                            </userInfo>
                        </attribute>
                        <attribute name="b" transient="YES" attributeType="Transformable" valueTransformerName="T" allowsCloudEncryption="YES" customClassName="C"/>
                        <relationship name="r" optional="YES" toMany="YES" minCount="1" maxCount="5" deletionRule="Nullify" ordered="YES" destinationEntity="A" inverseName="r" inverseEntity="A" indexed="YES" storedInTruthFile="YES" elementID="q" syncable="YES"/>
                        <fetchedProperty name="f" optional="YES" syncable="YES">
                            <fetchRequest name="fetchedPropertyFetchRequest" entity="A" predicateString="a &gt; 1"/>
                        </fetchedProperty>
                        <fetchIndex name="i" partialIndexPredicate="a == 1">
                            <fetchIndexElement property="a" type="Binary" order="descending"/>
                        </fetchIndex>
                        <uniquenessConstraints>
                            <uniquenessConstraint>
                                <constraint value="a"/>
                            </uniquenessConstraint>
                        </uniquenessConstraints>
                    </entity>
                    <fetchRequest name="q" entity="A" predicateString="TRUEPREDICATE" fetchLimit="1" fetchBatchSize="2" includeSubentities="YES" resultType="1"/>
                    <configuration name="c" usedWithCloudKit="YES">
                        <memberEntity name="A"/>
                    </configuration>
                    <composite name="k">
                        <attribute name="z" attributeType="Double"/>
                    </composite>
                    <elements>
                        <element name="A" positionX="0" positionY="1" width="2" height="3"/>
                    </elements>
                </model>
                """
        let document = try ModelDocument(bytes: Array(source.utf8), path: "contents", name: "m")
        let written = String(decoding: ModelWriter.contents(of: document.model), as: UTF8.self)
        #expect(written == source)
        #expect(try Self.format(written) == written)
    }

    @Test func keepsUnescapedGreaterThanOfXcode4() throws {
        let text =
            "<model lastSavedToolsVersion=\"2061\">\n    <fetchRequest name=\"f\" predicateString=\"a > 1\"/>\n</model>"
        #expect(try Self.format(Self.head + text) == Self.head + text)
        let new = text.replacing("2061", with: "22522")
        #expect(try Self.format(Self.head + new) == Self.head + new.replacing("a > 1", with: "a &gt; 1"))
    }

    /// A file that cannot be read completely is not formatted.
    @Test(arguments: [
        "<model><entity name=\"a\"></model>", "<model><entity name=\"a\"", "", "<plist/>", "bplist00",
        "<model>\n<<<<<<< HEAD\n<entity name=\"a\"/>\n=======\n>>>>>>> b\n</model>",
        "<!DOCTYPE model [<!ENTITY e \"x\">]><model><entity name=\"&e;\"/></model>", "<!DOCTYPE model><model/>",
    ])
    func rejectsDamagedFiles(_ text: String) {
        #expect(throws: ModelFormatter.CannotFormat.self) { try Self.format(text) }
    }

    @Test func formatsCurrentVersionFiles() {
        func formatted(_ inside: String) -> [UInt8]? {
            CurrentVersionFile(bytes: Array("<plist version=\"1.0\"><dict>\(inside)</dict></plist>".utf8), path: "p")
                .formatted()
        }
        let name = "<key>_XCCurrentVersionName</key><string>A &amp; B.xcdatamodel</string>"
        #expect(formatted(name) == CurrentVersionFile.contents(naming: "A & B"))
        #expect(formatted(name + "<key>other</key><true/>") == nil)
        #expect(formatted(name + "<!-- why -->") == nil)
        #expect(formatted("") == nil)
    }
}
