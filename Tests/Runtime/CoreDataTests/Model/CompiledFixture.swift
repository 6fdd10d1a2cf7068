import CompiledModel
import CoreData
import ModelSource
import Testing

/// A model in XML, compiled into a temporary folder that is removed with the fixture.
final class CompiledFixture {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Compiles versions of a model into `Name.momd`.
    func compile(_ name: String, versions: [String: String], current: String?) throws -> URL {
        let encoded = try versions.sorted { $0.key < $1.key }.map { name, xml in
            try EncodedModel(ModelDocument(bytes: Array(xml.utf8), path: name, name: name).model)
        }
        let bundle = try CompiledBundle(versions: encoded, currentVersionName: current)
        let url = folder.appendingPathComponent(name + ".momd")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (name, bytes) in bundle.files { try Data(bytes).write(to: url.appendingPathComponent(name)) }
        return url
    }

    /// Compiles and loads a model with one version.
    func load(_ xml: String) throws -> NSManagedObjectModel {
        try #require(NSManagedObjectModel(contentsOf: try compile("Model", versions: ["Model": xml], current: nil)))
    }

    /// A library with every kind of element of a compiled model.
    static let library = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="2">
            <entity name="Author" representedClassName=".Author" syncable="YES" versionHashModifier="second">
                <attribute name="born" optional="YES" attributeType="Date" defaultDateTimeInterval="0" minDateTimeInterval="-86400"/>
                <attribute name="name" attributeType="String" defaultValueString="nobody" minValueString="1" maxValueString="9" regularExpressionString="[a-z]+" elementID="title"/>
                <relationship name="books" optional="YES" toMany="YES" minCount="1" maxCount="7" deletionRule="Cascade" ordered="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="name"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
                <userInfo>
                    <entry key="team" value="core"/>
                </userInfo>
            </entity>
            <entity name="Book" representedClassName="Library.Book" isAbstract="YES" elementID="Work">
                <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"/>
                <attribute name="pageCount" attributeType="Integer 16" defaultValueString="3" usesScalarValueType="YES"/>
                <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="1.5" minValueString="0"/>
                <attribute name="rating" attributeType="Double" defaultValueString="0.5"/>
                <attribute name="sold" attributeType="Boolean" defaultValueString="YES"/>
                <attribute name="sortTitle" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(title)"/>
                <attribute name="title" optional="YES" attributeType="String"/>
                <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData" customClassName="[String]"/>
                <attribute name="cache" optional="YES" transient="YES"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                <fetchedProperty name="sameTitle" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Book" predicateString="title == $FETCH_SOURCE.title"/>
                </fetchedProperty>
                <fetchIndex name="byTitle">
                    <fetchIndexElement property="title" type="Binary" order="descending"/>
                    <fetchIndexElement property="rating" type="Binary" order="ascending"/>
                </fetchIndex>
            </entity>
            <entity name="Novel" representedClassName="Library.Novel" parentEntity="Book">
                <attribute name="genre" optional="YES" attributeType="String"/>
            </entity>
            <fetchRequest name="ByTitle" entity="Book" predicateString="title == $TITLE AND rating &gt; 1" fetchLimit="5" fetchBatchSize="20" returnDistinctResults="YES"/>
            <configuration name="Cloud">
                <memberEntity name="Author"/>
            </configuration>
        </model>
        """
}
