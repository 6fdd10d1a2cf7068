import CoreData
import Testing

/// The format of XML stores, from Apple's files: see Documentation/Formats/XMLStore.md.
@Suite struct XMLStoreTests {
    private static func relationship(
        _ name: String, to entity: NSEntityDescription, isToMany: Bool
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entity
        relationship.maxCount = isToMany ? 0 : 1
        return relationship
    }

    /// Returns a model with two entities of mapping models, as in Xcode's editor.
    private static func model() -> NSManagedObjectModel {
        let mapping = NSEntityDescription()
        mapping.name = "XDDevEntityMapping"
        let part = NSEntityDescription()
        part.name = "XDDevAttributeMapping"
        let parts = relationship("attributeMappings", to: part, isToMany: true)
        let owner = relationship("entityMapping", to: mapping, isToMany: false)
        parts.inverseRelationship = owner
        owner.inverseRelationship = parts
        mapping.properties = [
            attribute("sourceName", .stringAttributeType), attribute("mappingNumber", .integer16AttributeType),
            attribute("autogenerateExpression", .booleanAttributeType),
            attribute("modelData", .binaryDataAttributeType),
            parts,
        ]
        part.properties = [attribute("name", .stringAttributeType), owner]
        let model = NSManagedObjectModel()
        model.entities = [mapping, part]
        return model
    }

    private static let base64 = Data((0..<100).map { UInt8($0) }).base64EncodedString()

    private static let body = """
            <object type="XDDEVATTRIBUTEMAPPING" id="z112">
                <attribute name="name" type="string">messageID \\u3c00 10000</attribute>
                <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING" idrefs="z103"></relationship>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z103">
                <attribute name="sourcename" type="string">Cheat</attribute>
                <attribute name="autogenerateexpression" type="bool">1</attribute>
                <attribute name="modeldata" type="binary">\(base64.prefix(76))
        \(base64.dropFirst(76))
        </attribute>
                <attribute name="mappingnumber" type="int16">-3</attribute>
                <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z136 z112"></relationship>
            </object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z136">
                <attribute name="name" type="string"></attribute>
                <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING" idrefs="z103"></relationship>
            </object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z137">
                <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING"></relationship>
            </object>
        </database>
        """

    private static let head = """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>
                <UUID>99F4B8FA-199A-4487-BB9C-DC800F6C84AE</UUID>
                <nextObjectID>146</nextObjectID>
                <metadata>
                    <plist version="1.0">
                        <dict>
                            <key>NSPersistenceFrameworkVersion</key>
                            <integer>481</integer>
                            <key>keys</key>
                            <dict>
                                <key>data</key>
                                <data>
        \t\t0plcXXRN7XHKl5CcF+fwriFmUpON3ZtcI/AfK748aWc=
        \t\t</data>
                            </dict>
                            <key>NSStoreModelVersionIdentifiers</key>
                            <array>
                                <string></string>
                            </array>
                        </dict>
                    </plist>
                </metadata>
            </databaseInfo>

        """

    private func withFile(_ text: String, _ body: (URL) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID()).xml")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(text.utf8).write(to: url)
        try body(url)
    }

    @Test func readsApplesFiles() throws {
        try withFile(Self.head + Self.body) { url in
            let stack = try FormatStack(NSXMLStoreType, url, model: Self.model())
            defer { stack.remove() }
            #expect(stack.store.identifier == "99F4B8FA-199A-4487-BB9C-DC800F6C84AE")
            let context = try stack.context()
            let mapping = try #require(try context.all("XDDevEntityMapping").first)
            #expect(mapping.value(forKey: "sourceName") as? String == "Cheat")
            #expect(mapping.value(forKey: "mappingNumber") as? Int == -3)
            #expect(mapping.value(forKey: "autogenerateExpression") as? Bool == true)
            #expect(mapping.value(forKey: "modelData") as? Data == Data((0..<100).map { UInt8($0) }))
            let parts = try #require(mapping.value(forKey: "attributeMappings") as? Set<NSManagedObject>)
            let names = parts.map { $0.value(forKey: "name") as? String }
            #expect(Set(names) == ["messageID < 10000", ""])
            let orphan = try context.all("XDDevAttributeMapping").filter { $0.value(forKey: "entityMapping") == nil }
            #expect(orphan.count == 1 && orphan.first?.value(forKey: "name") == nil)
        }
    }

    /// The order of objects and properties, base64 and escapes remain as written by Apple's framework.
    @Test func aSaveKeepsTheLayout() throws {
        try withFile(Self.head + Self.body) { url in
            let stack = try FormatStack(NSXMLStoreType, url, model: Self.model())
            defer { stack.remove() }
            let context = try stack.context()
            let mapping = try #require(try context.all("XDDevEntityMapping").first)
            mapping.setValue("Other", forKey: "sourceName")
            try context.save()
            let saved = String(decoding: try stack.bytes(), as: UTF8.self)
            #expect(saved.hasSuffix(Self.body.replacingOccurrences(of: ">Cheat<", with: ">Other<")))
            mapping.setValue("Cheat", forKey: "sourceName")
            try context.save()
            #expect(String(decoding: try stack.bytes(), as: UTF8.self).hasSuffix(Self.body))
        }
    }

    @Test func newObjectsAreAppended() throws {
        try withFile(Self.head + Self.body) { url in
            let stack = try FormatStack(NSXMLStoreType, url, model: Self.model())
            defer { stack.remove() }
            let context = try stack.context()
            _ = context.make("XDDevAttributeMapping", ["name": "a\\b<c>&\u{1F600}\u{7}"])
            try context.save()
            let saved = String(decoding: try stack.bytes(), as: UTF8.self)
            #expect(saved.contains("<nextObjectID>147</nextObjectID>"))
            #expect(
                saved.hasSuffix(
                    """
                        <object type="XDDEVATTRIBUTEMAPPING" id="z147">
                            <attribute name="name" type="string">a\\u5c00b\\u3c00c\\u3e00\\u2600\u{1F600}\\u0700</attribute>
                            <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING"></relationship>
                        </object>
                    </database>
                    """))
        }
    }

    @Test func namesThatDifferInCaseAreDistinct() throws {
        let entity = NSEntityDescription()
        entity.name = "Item"
        let other = NSEntityDescription()
        other.name = "ITEM"
        entity.properties = [
            attribute("url", .stringAttributeType), attribute("URL", .stringAttributeType),
            attribute("someText", .stringAttributeType),
        ]
        let model = NSManagedObjectModel()
        model.entities = [entity, other]
        let stack = try FormatStack(NSXMLStoreType, model: model)
        defer { stack.remove() }
        let context = try stack.context()
        _ = context.make("Item", ["url": "a", "URL": "b", "someText": "c"])
        _ = context.make("ITEM")
        try context.save()
        let again = try FormatStack(NSXMLStoreType, stack.url, model: model.copy() as? NSManagedObjectModel ?? model)
        defer { again.remove() }
        let reader = try again.context()
        let item = try #require(try reader.all("Item").first)
        #expect(item.value(forKey: "url") as? String == "a" && item.value(forKey: "URL") as? String == "b")
        #expect(item.value(forKey: "someText") as? String == "c")
        #expect(try reader.all("ITEM").count == 1)
    }

    /// XML's own references and CDATA sections are read, too.
    @Test func readsFilesOfOtherPrograms() throws {
        let body = """
                <!-- edited by hand -->
                <object id='z1' type='XDDEVATTRIBUTEMAPPING'>
                    <attribute name="name" type="string">a &lt; b &#38;&#x26; <![CDATA[<c>]]></attribute>
                    <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING"/>
                </object>
            </database>
            <!-- end -->

            """
        try withFile("\u{FEFF}" + Self.head.replacingOccurrences(of: "\n", with: "\r\n") + body) { url in
            let stack = try FormatStack(NSXMLStoreType, url, model: Self.model())
            defer { stack.remove() }
            let context = try stack.context()
            let part = try #require(try context.all("XDDevAttributeMapping").first)
            #expect(part.value(forKey: "name") as? String == "a < b && <c>")
        }
    }

    @Test(arguments: [
        ("</database>", ""), ("</object>", ""), ("id=\"z112\"", "id=\"z103\""), ("id=\"z112\"", "id=\"112\""),
        ("id=\"z112\"", "id=\"z99999999999999999999\""), ("id=\"z112\"", "id=\"z-1\""), ("id=\"z112\"", ""),
        ("idrefs=\"z103\"", "idrefs=\"z104\""), ("idrefs=\"z103\"", "idrefs=\"z103 z103\""),
        ("idrefs=\"z103\"", "idrefs=\"z136\""), ("idrefs=\"z136 z112\"", "idrefs=\"z136 z136\""),
        ("XDDEVATTRIBUTEMAPPING\" id", "UNKNOWN\" id"), ("name=\"sourcename\"", "name=\"unknown\""),
        ("type=\"bool\">1", "type=\"bool\">2"), ("type=\"int16\">-3", "type=\"int16\">99999"),
        ("type=\"int16\">-3", "type=\"string\">-3"), ("type=\"int16\">-3", "type=\"int17\">3"),
        ("type=\"int16\">-3", "type=\"int16\"> -3"), ("<attribute name=\"name\"", "<attribute"),
        ("<object type", "<thing type"), ("name=\"sourcename\"", "name=\"mappingnumber\""),
        ("Cheat", "Ch<b>e</b>at"), ("Cheat", "&eacute;"), ("Cheat", "&#xD800;"), ("Cheat", "& "),
        ("<nextObjectID>146", "<nextObjectID>x"), ("<key>keys</key>", ""), ("<integer>481", "<integer>x"),
        ("CoreData.dtd\">", "CoreData.dtd\" [<!ENTITY a \"b\">]>"),
        ("standalone=\"yes\"", "encoding=\"UTF-16\""),
    ])
    func damagedFilesAreRejected(_ original: String, _ replacement: String) throws {
        let whole = Self.head + Self.body
        let range = try #require(whole.range(of: original))
        let text = whole.replacingCharacters(in: range, with: replacement)
        try withFile(text) { url in
            #expect {
                _ = try FormatStack(NSXMLStoreType, url, model: Self.model())
            } throws: { error in
                (error as NSError).code == CocoaError.fileReadCorruptFile.rawValue
            }
            let kept = try String(contentsOf: url, encoding: .utf8)
            #expect(kept == text)
        }
    }
}
