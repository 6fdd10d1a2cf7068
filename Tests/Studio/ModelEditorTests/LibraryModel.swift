import Foundation
import ModelEditor
import ModelcDriver
import Testing

/// A model in a temporary folder, which is removed with this object.
final class LibraryModel {
    let folder: URL
    let path: String
    var contentsPath: String { path + "/Library.xcdatamodel/contents" }
    var cache: String { folder.path + "/cache" }

    /// The text as saved by Xcode 26.
    static let contents = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="24299" \
        systemVersion="25A354" minimumToolsVersion="Automatic" sourceLanguage="Swift" usedWithSwiftData="YES" \
        userDefinedModelVersionIdentifier="">
            <entity name="Author" representedClassName="Author" syncable="YES" codeGenerationType="class">
                <attribute name="name" attributeType="String" defaultValueString=""/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="author" inverseEntity="Book"/>
                <fetchIndex name="byName">
                    <fetchIndexElement property="name" type="Binary" order="ascending"/>
                </fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="name"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <!-- A comment about books. -->
            <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="class">
                <attribute name="pages" optional="YES" attributeType="Integer 32" defaultValueString="0" \
        usesScalarValueType="YES"/>
                <attribute name="title" optional="YES" attributeType="String"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
            </entity>
            <entity name="Novel" representedClassName="Novel" parentEntity="Book" syncable="YES" codeGenerationType="class">
                <fetchIndex name="byTitle">
                    <fetchIndexElement property="title" type="Binary" order="ascending"/>
                </fetchIndex>
                <userInfo>
                    <entry key="note" value="a &amp; b"/>
                </userInfo>
            </entity>
            <fetchRequest name="Named" entity="Author" \
        predicateString="name == $NAME AND SUBQUERY(books, $b, $b.title == &quot;title&quot;).@count &gt; 0"/>
            <configuration name="Cloud">
                <memberEntity name="Author"/>
                <memberEntity name="Book"/>
            </configuration>
        </model>
        """

    init(_ contents: String = contents) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("studio-\(UUID().uuidString)")
        path = folder.path + "/Library.xcdatamodeld"
        try FileManager.default.createDirectory(
            atPath: path + "/Library.xcdatamodel", withIntermediateDirectories: true)
        try write(contents)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ contents: String) throws { try Data(contents.utf8).write(to: URL(fileURLWithPath: contentsPath)) }

    func read() throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: contentsPath)), as: UTF8.self)
    }

    /// The files of the bundle, by path.
    func files() throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let file = path + "/" + name
            result[name] = (try? Data(contentsOf: URL(fileURLWithPath: file))) ?? Data()
        }
        return result
    }

    func open(isReadOnly: Bool = false) throws -> EditorSession {
        try EditorSession(path: path, journalFolder: cache, isReadOnly: isReadOnly, files: POSIXFileSystem())
    }

    static func entity(_ name: String) -> ElementReference {
        ElementReference(version: "Library", [.init("entity", name)])
    }

    static func attribute(_ entity: String, _ name: String) -> ElementReference {
        self.entity(entity).child("attribute", name)
    }

    static func relationship(_ entity: String, _ name: String) -> ElementReference {
        self.entity(entity).child("relationship", name)
    }

    static let model = ElementReference(version: "Library", [])
}

extension EditorSession {
    /// Returns the text that saving would write.
    func text(_ version: String = "Library") throws -> String {
        String(decoding: try #require(bytes(ofVersion: version)), as: UTF8.self)
    }

    /// Performs an operation, and returns the lines that it removes and adds, without indentation.
    func difference(
        _ operation: EditOperation, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (removed: [String], added: [String]) {
        let before = try text().split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        _ = try perform(operation)
        let after = try text().split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        var removed: [String] = []
        var added: [String] = []
        for change in after.difference(from: before) {
            switch change {
            case .remove(_, let line, _): removed.append(line)
            case .insert(_, let line, _): added.append(line)
            }
        }
        return (removed, added)
    }
}
