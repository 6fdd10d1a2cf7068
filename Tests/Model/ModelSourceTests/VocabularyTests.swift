import Diagnostics
import ModelSchema
import ModelSource
import Testing

/// Everything in Documentation/Formats/ModelSource.md, 2, is read into the schema.
@Suite struct VocabularyTests {
    private func read(_ body: String, root: String = "") throws -> Model {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<model \(root)>\(body)</model>"
        let document = try ModelDocument(bytes: Array(text.utf8), path: "m", name: "M")
        #expect(document.diagnostics.isEmpty)
        return document.model
    }

    @Test func modelAttributesAreRead() throws {
        let settings = try read(
            "",
            root: """
                name="n" type="t" documentVersion="1.0" lastSavedToolsVersion="24299" systemVersion="25A362" \
                minimumToolsVersion="Automatic" sourceLanguage="Swift" usedWithCloudKit="false" \
                usedWithSwiftData="YES" userDefinedModelVersionIdentifier="v1" macOSVersion="Automatic" \
                iOSVersion="Automatic"
                """
        ).settings
        var expected = ModelSettings()
        expected.legacyName = "n"
        expected.type = "t"
        expected.documentVersion = "1.0"
        expected.lastSavedToolsVersion = "24299"
        expected.systemVersion = "25A362"
        expected.minimumToolsVersion = "Automatic"
        expected.sourceLanguage = "Swift"
        expected.usedWithCloudKit = false
        expected.usedWithSwiftData = true
        expected.userDefinedModelVersionIdentifier = "v1"
        expected.macOSVersion = "Automatic"
        expected.iOSVersion = "Automatic"
        #expect(settings == expected)
    }

    @Test func entitiesAreRead() throws {
        let entities = try read(
            """
            <entity name="A" representedClassName=".AMO" isAbstract="YES" parentEntity="B" elementID="old" \
            versionHashModifier="2" syncable="YES" codeGenerationType="category" \
            coreSpotlightDisplayNameExpression="name">
            <compoundIndexes><compoundIndex><index value="x"/><index value="y"/></compoundIndex></compoundIndexes>
            <fetchIndex name="i"><fetchIndexElement property="x" type="Binary" order="descending"/>\
            <fetchIndexElement expression="lowercase:(x)" type="RTree" order="ascending"/></fetchIndex>
            <uniquenessConstraints><uniquenessConstraint><constraint value="x"/></uniquenessConstraint>\
            <uniquenessConstraint><constraint value="y"/><constraint value="z"/></uniquenessConstraint>\
            </uniquenessConstraints>
            <userInfo><entry key="k" value="v"/></userInfo></entity>
            <entity name="B" codeGenerationType="class"/><entity name="C" codeGenerationType="none"/><entity name="D"/>
            """
        ).entities
        #expect(entities.map(\.codeGeneration) == [.category, .classDefinition, .manual, .manual])
        let entity = try #require(entities.first)
        #expect(entity.className == ClassName(".AMO"))
        #expect(entity.isAbstract)
        #expect(entity.parentName == "B")
        #expect(entity.renamingIdentifier == "old")
        #expect(entity.versionHashModifier == "2")
        #expect(entity.spotlightDisplayNameExpression == "name")
        #expect(entity.isSyncable == true)
        #expect(entity.compoundIndexes.map { $0.properties.map(\.name) } == [["x", "y"]])
        #expect(entity.fetchIndexes.map(\.name) == ["i"])
        let columns = try #require(entity.fetchIndexes.first?.elements)
        #expect(columns.map(\.propertyName) == ["x", nil])
        #expect(columns.map(\.expression) == [nil, "lowercase:(x)"])
        #expect(columns.map(\.type) == ["Binary", "RTree"])
        #expect(columns.map(\.isAscending) == [false, true])
        #expect(entity.uniquenessConstraints.map { $0.properties.map(\.name) } == [["x"], ["y", "z"]])
        #expect(entity.userInfo.map(\.key) == ["k"])
        #expect(entity.userInfo.map(\.value) == ["v"])
    }

    @Test func attributesAreRead() throws {
        let read = try read(
            """
            <entity name="E"><attribute name="a" optional="YES" transient="YES" attributeType="Date" \
            valueTransformerName="T" allowsExternalBinaryDataStorage="YES" allowsCloudEncryption="YES" \
            minDateTimeInterval="-1" minValueString="m" maxDateTimeInterval="2" maxValueString="x" \
            defaultDateTimeInterval="3" defaultValueString="d" derived="YES" derivationExpression="now()" \
            usesScalarValueType="NO" customClassName="C" preserveAfterDeletion="YES" composite="Z" \
            regularExpressionString="r&quot;" indexed="YES" spotlightIndexingEnabled="YES" storedInTruthFile="YES" \
            versionHashModifier="h" elementID="e" syncable="YES"><userInfo><entry key="k" value="v"/></userInfo>\
            </attribute><attribute name="b"/></entity>
            """
        ).entities.first?.attributes
        let attributes = try #require(read)
        var expected = Attribute(name: "a", type: .date)
        expected.isOptional = true
        expected.isTransient = true
        expected.valueTransformerName = "T"
        expected.allowsExternalBinaryStorage = true
        expected.allowsCloudEncryption = true
        expected.minimumDateInterval = "-1"
        expected.minimum = "m"
        expected.maximumDateInterval = "2"
        expected.maximum = "x"
        expected.defaultDateInterval = "3"
        expected.defaultValue = "d"
        expected.isDerived = true
        expected.derivationExpression = "now()"
        expected.usesScalarType = false
        expected.customClassName = "C"
        expected.isPreservedAfterDeletion = true
        expected.compositeName = "Z"
        expected.regularExpression = "r\""
        expected.isIndexed = true
        expected.isIndexedBySpotlight = true
        expected.isStoredInTruthFile = true
        expected.versionHashModifier = "h"
        expected.renamingIdentifier = "e"
        expected.isSyncable = true
        expected.userInfo = [UserInfoEntry(key: "k", value: "v", origin: ElementOrigin(index: 4))]
        expected.origin = ElementOrigin(index: 2)
        #expect(attributes.first == expected)
        #expect(attributes.last?.type == .undefined)
        #expect(attributes.last?.usesScalarType == nil)
    }

    @Test func relationshipsAreRead() throws {
        let read = try read(
            """
            <entity name="E"><relationship name="r" optional="YES" transient="YES" toMany="YES" minCount="1" \
            maxCount="5" deletionRule="No Action" ordered="YES" destinationEntity="E" inverseName="i" \
            inverseEntity="E" indexed="YES" spotlightIndexingEnabled="YES" storedInTruthFile="YES" \
            versionHashModifier="h" elementID="e" syncable="YES"/></entity>
            """
        ).entities.first?.relationships.first
        var expected = Relationship(name: "r", destinationName: "E")
        expected.isOptional = true
        expected.isTransient = true
        expected.isToMany = true
        expected.minimumCount = 1
        expected.maximumCount = 5
        expected.deleteRule = .noAction
        expected.isOrdered = true
        expected.inverseName = "i"
        expected.inverseEntityName = "E"
        expected.isIndexed = true
        expected.isIndexedBySpotlight = true
        expected.isStoredInTruthFile = true
        expected.versionHashModifier = "h"
        expected.renamingIdentifier = "e"
        expected.isSyncable = true
        expected.origin = ElementOrigin(index: 2)
        #expect(read == expected)
    }

    @Test func fetchRequestsAreRead() throws {
        let model = try read(
            """
            <entity name="E"><fetchedProperty name="f" optional="YES" syncable="YES"><fetchRequest \
            name="fetchedPropertyFetchRequest" entity="E" predicateString="a == &quot;b&quot; AND c &lt; 1"/>\
            </fetchedProperty></entity>
            <fetchRequest name="t" entity="E" predicateString="a == $A" fetchLimit="100" fetchBatchSize="10" \
            includeSubentities="YES" includePropertyValues="NO" includesPendingChanges="YES" \
            returnObjectsAsFaults="YES" returnDistinctResults="YES" resultType="2"/>
            """)
        let property = try #require(model.entities.first?.fetchedProperties.first)
        #expect(property.isOptional)
        #expect(property.fetchRequest?.predicate == "a == \"b\" AND c < 1")
        let request = try #require(model.fetchRequests.first)
        #expect(request.name == "t")
        #expect(request.entityName == "E")
        #expect(request.fetchLimit == 100)
        #expect(request.fetchBatchSize == 10)
        #expect(request.includesSubentities == true)
        #expect(request.includesPropertyValues == false)
        #expect(request.includesPendingChanges == true)
        #expect(request.returnsObjectsAsFaults == true)
        #expect(request.returnsDistinctResults == true)
        #expect(request.resultType == 2)
    }

    @Test func remainingElementsAreRead() throws {
        let model = try read(
            """
            <entity name="E"/><configuration name="Local" usedWithCloudKit="YES"><memberEntity name="E"/></configuration>
            <composite name="C"><attribute name="x" attributeType="Double"/></composite>
            <elements><element name="E" positionX="-1" positionY="2" width="3" height="4"/></elements>
            """)
        #expect(model.configurations.map(\.name) == ["Local"])
        #expect(model.configurations.first?.members.map(\.entityName) == ["E"])
        #expect(model.configurations.first?.usedWithCloudKit == true)
        #expect(model.composites.first?.attributes.map(\.name) == ["x"])
        #expect(model.canvas.map(\.positionX) == ["-1"])
    }

    @Test func unknownElementsAreKeptAndReported() throws {
        let text = "<model new=\"1\"><entity name=\"E\" later=\"x\"><cloud/></entity></model>"
        let document = try ModelDocument(bytes: Array(text.utf8), path: "m", name: "M")
        #expect(document.diagnostics.map(\.severity) == [.note, .note, .note])
        #expect(document.model.unrecognized.map(\.name) == ["new"])
        #expect(
            document.model.entities.first?.unrecognized == [
                UnrecognizedItem(name: "later", kind: .attribute(value: "x"), origin: ElementOrigin(index: 1)),
                UnrecognizedItem(name: "cloud", kind: .element, origin: ElementOrigin(index: 2)),
            ])
    }
}
