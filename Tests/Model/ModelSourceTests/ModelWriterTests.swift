import ModelSchema
import ModelSource
import Testing

@Suite struct ModelWriterTests {
    /// A file as saved by Xcode 26 (Documentation/Formats/ModelSource.md, 1 and 3), with every element and attribute.
    private static let saved = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="24299" \
        systemVersion="25A362" minimumToolsVersion="Automatic" sourceLanguage="Swift" usedWithCloudKit="YES" \
        userDefinedModelVersionIdentifier="">
            <entity name="A" representedClassName=".A" isAbstract="YES" parentEntity="B" elementID="old" \
        versionHashModifier="2" syncable="YES" codeGenerationType="class">
                <attribute name="a" optional="YES" transient="YES" attributeType="String" minValueString="1" \
        maxValueString="5" defaultValueString="&lt;&quot;x&quot; &amp; y&gt;" regularExpressionString="a+" \
        versionHashModifier="m" elementID="e"/>
                <attribute name="b" attributeType="Date" minDateTimeInterval="-1" maxDateTimeInterval="2" \
        defaultDateTimeInterval="3" usesScalarValueType="NO"/>
                <attribute name="c" attributeType="Transformable" valueTransformerName="T" customClassName="[String]">
                    <userInfo>
                        <entry key="k" value="v"/>
                    </userInfo>
                </attribute>
                <attribute name="d" attributeType="Binary" allowsExternalBinaryDataStorage="YES" \
        allowsCloudEncryption="YES" preserveAfterDeletion="YES"/>
                <attribute name="e" attributeType="Integer 64" derived="YES" derivationExpression="r.@count" \
        usesScalarValueType="YES"/>
                <attribute name="f" attributeType="Composite" composite="C"/>
                <relationship name="r" optional="YES" toMany="YES" minCount="1" maxCount="5" deletionRule="Cascade" \
        ordered="YES" destinationEntity="B" inverseName="i" inverseEntity="B" elementID="q"/>
                <fetchedProperty name="p" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="B" predicateString="x == 1"/>
                </fetchedProperty>
                <fetchIndex name="byA">
                    <fetchIndexElement property="a" type="Binary" order="descending"/>
                </fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="a"/>
                        <constraint value="b"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
                <userInfo>
                    <entry key="k" value="line&#10;break"/>
                </userInfo>
            </entity>
            <entity name="B" syncable="YES"/>
            <fetchRequest name="F" entity="B" fetchLimit="10" fetchBatchSize="20" includeSubentities="YES" resultType="2"/>
            <configuration name="Local" usedWithCloudKit="YES">
                <memberEntity name="A"/>
            </configuration>
            <composite name="C">
                <attribute name="x" attributeType="Double" defaultValueString="0.0" usesScalarValueType="YES"/>
            </composite>
            <elements>
                <element name="A" positionX="-63" positionY="-18" width="128" height="44"/>
            </elements>
        </model>
        """

    private func written(_ text: String) throws -> String {
        let document = try ModelDocument(bytes: Array(text.utf8), path: "m", name: "M")
        #expect(document.diagnostics.isEmpty)
        return String(decoding: ModelWriter.contents(of: document.model), as: UTF8.self)
    }

    @Test func filesOfXcodeRoundTripByteForByte() throws {
        #expect(try written(Self.saved) == Self.saved)
    }

    /// The old order of the root's attributes, in files of Xcode 4 to 7.
    @Test func oldVersionIdentifiersComeFirst() throws {
        let old = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model name="" userDefinedModelVersionIdentifier="1" type="com.apple.IDECoreDataModeler.DataModel" \
            documentVersion="1.0" lastSavedToolsVersion="2061" systemVersion="12D78" minimumToolsVersion="Automatic" \
            macOSVersion="Automatic" iOSVersion="Automatic">
                <entity name="A" syncable="YES">
                    <attribute name="x" attributeType="String" indexed="YES" syncable="YES"/>
                    <compoundIndexes>
                        <compoundIndex>
                            <index value="x"/>
                        </compoundIndex>
                    </compoundIndexes>
                </entity>
            </model>
            """
        #expect(try written(old) == old)
    }

    @Test func currentVersionFilesRoundTrip() {
        let file = CurrentVersionFile(bytes: CurrentVersionFile.contents(naming: "A & <B> 2"), path: "f")
        #expect(file.versionName == "A & <B> 2")
        #expect(file.problems.isEmpty)
    }
}
