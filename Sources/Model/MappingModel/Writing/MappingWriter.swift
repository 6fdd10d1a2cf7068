internal import CompiledMapping
internal import Diagnostics
internal import ModelSchema

extension MappingSource {
    /// Returns the `xcmapping.xml` of the mapping model, as Xcode writes it (Documentation/Formats/MappingModel.md, 1).
    /// The same mapping model always produces the same bytes.
    package func xmlBytes() -> [UInt8] {
        var writer = MappingWriter()
        writer.write(self)
        return Array(writer.text.utf8)
    }
}

/// Writes a mapping model as an XML store.
private struct MappingWriter {
    private(set) var text = ""

    /// The number of the first object, as in Xcode's files.
    private static let firstNumber = 102

    mutating func write(_ mapping: MappingSource) {
        var number = Self.firstNumber
        func next() -> Int {
            defer { number += 1 }
            return number
        }
        let model = next()
        let entities = mapping.entityMappings.map { entity in
            (
                id: next(), attributes: entity.attributeMappings.map { _ in next() },
                relationships: entity.relationshipMappings.map { _ in next() }
            )
        }
        begin("XDDEVMAPPINGMODEL", model)
        for (name, copy) in [("source", mapping.sourceModel), ("destination", mapping.destinationModel)] {
            attribute("\(name)modelpath", copy.path)
            attribute("\(name)modeldata", data: copy.data)
        }
        relationship("entitymappings", isToMany: true, destination: "XDDEVENTITYMAPPING", ids: entities.map(\.id))
        end()
        for (entity, ids) in zip(mapping.entityMappings, entities) {
            write(entity, id: ids.id, model: model, attributes: ids.attributes, relationships: ids.relationships)
            for (property, id) in zip(entity.attributeMappings, ids.attributes) {
                write(property, type: "XDDEVATTRIBUTEMAPPING", id: id, entity: ids.id)
            }
            for (property, id) in zip(entity.relationshipMappings, ids.relationships) {
                write(property, type: "XDDEVRELATIONSHIPMAPPING", id: id, entity: ids.id)
            }
        }
        text = Self.head(uuid: Self.uuid(of: text), largestNumber: number - 1) + text + "</database>"
    }

    private mutating func write(
        _ entity: MappingSource.EntityMapping, id: Int, model: Int, attributes: [Int], relationships: [Int]
    ) {
        begin("XDDEVENTITYMAPPING", id)
        attribute("name", entity.name)
        attribute("sourcename", entity.sourceName)
        attribute("destinationname", entity.destinationName)
        attribute("mappingtypename", "Undefined")
        attribute("mappingnumber", String(entity.number), type: "int16")
        attribute("autogenerateexpression", "1", type: "bool")
        attribute("migrationpolicyclassname", entity.policyClassName)
        attribute("sourcefilterpredicatestring", entity.sourceFilter)
        attribute("sourceexpressiondata", data: entity.sourceExpression.map { ExpressionArchive.bytes(of: $0) })
        attribute("userinfodata", data: entity.userInfo.map { ExpressionArchive.bytes(of: $0) })
        relationship("mappingmodel", isToMany: false, destination: "XDDEVMAPPINGMODEL", ids: [model])
        relationship("attributemappings", isToMany: true, destination: "XDDEVATTRIBUTEMAPPING", ids: attributes)
        relationship(
            "relationshipmappings", isToMany: true, destination: "XDDEVRELATIONSHIPMAPPING", ids: relationships)
        end()
    }

    private mutating func write(_ property: MappingSource.PropertyMapping, type: String, id: Int, entity: Int) {
        begin(type, id)
        if type == "XDDEVRELATIONSHIPMAPPING" {
            attribute("autogenerateexpression", "1", type: "bool")
            attribute("sourcekeypath", property.sourceKeyPath)
            attribute("sourcemappingname", property.sourceMappingName)
        }
        attribute("name", property.name)
        attribute("valueexpressiondata", data: property.value.map { ExpressionArchive.bytes(of: $0) })
        attribute("userinfodata", data: property.userInfo.map { ExpressionArchive.bytes(of: $0) })
        relationship("entitymapping", isToMany: false, destination: "XDDEVENTITYMAPPING", ids: [entity])
        end()
    }

    private mutating func begin(_ type: String, _ id: Int) {
        text += "    <object type=\"\(type)\" id=\"z\(id)\">\n"
    }

    private mutating func end() {
        text += "    </object>\n"
    }

    private mutating func attribute(_ name: String, _ value: String?, type: String = "string") {
        guard let value else { return }
        text += "        <attribute name=\"\(name)\" type=\"\(type)\">\(StoreText.escaped(value))</attribute>\n"
    }

    private mutating func attribute(_ name: String, data: [UInt8]?) {
        guard let data else { return }
        text += "        <attribute name=\"\(name)\" type=\"binary\">"
        // Lines of 64 characters, each ending in a line feed.
        let base64 = Array(Base64.encode(data).utf8)
        for start in stride(from: 0, to: base64.count, by: 64) {
            text += String(decoding: base64[start..<min(start + 64, base64.count)], as: UTF8.self) + "\n"
        }
        text += "</attribute>\n"
    }

    private mutating func relationship(_ name: String, isToMany: Bool, destination: String, ids: [Int]) {
        let references = ids.map { "z\($0)" }.joined(separator: " ")
        text +=
            "        <relationship name=\"\(name)\" type=\"\(isToMany ? "0/0" : "1/1")\" destination=\"\(destination)\""
        if !ids.isEmpty { text += " idrefs=\"\(references)\"" }
        text += "></relationship>\n"
    }

    /// Returns a UUID that depends only on the contents, so that the same mapping model always produces the same file.
    private static func uuid(of text: String) -> String {
        let first = StableHash.of(text.utf8)
        let second = StableHash.of(text.utf8, seed: first | 1)
        var digits = [first, second].map { number in
            let digits = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined().map { $0 }
        digits[12] = "4"
        digits[16] = "8"
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return parts.joined(separator: "-")
    }

    /// The version hashes of Xcode's model for mapping models, which every file states.
    private static let hashes = [
        ("XDDevAttributeMapping", "0plcXXRN7XHKl5CcF+fwriFmUpON3ZtcI/AfK748aWc="),
        ("XDDevEntityMapping", "qeN1Ym3TkWN1G6dU9RfX6Kd2ccEvcDVWHpd3LpLgboI="),
        ("XDDevMappingModel", "EqtMzvRnVZWkXwBHu4VeVGy8UyoOe+bi67KC79kphlQ="),
        ("XDDevPropertyMapping", "XN33V44TTGY4JETlMoOB5yyTKxB+u4slvDIinv0rtGA="),
        ("XDDevRelationshipMapping", "akYY9LhehVA/mCb4ATLWuI9XGLcjpm14wWL1oEBtIcs="),
    ]

    private static func head(uuid: String, largestNumber: Int) -> String {
        var text = """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

            <database>
                <databaseInfo>
                    <version>134481920</version>
                    <UUID>\(uuid)</UUID>
                    <nextObjectID>\(largestNumber)</nextObjectID>
                    <metadata>
                        <plist version="1.0">
                            <dict>
                                <key>NSPersistenceFrameworkVersion</key>
                                <integer>1526</integer>
                                <key>NSPersistenceMaximumFrameworkVersion</key>
                                <integer>1526</integer>
                                <key>NSStoreModelVersionChecksumKey</key>
                                <string>bMpud663vz0bXQE24C6Rh4MvJ5jVnzsD2sI3njZkKbc=</string>
                                <key>NSStoreModelVersionHashes</key>
                                <dict>

            """
        for (name, hash) in hashes {
            text += """
                                        <key>\(name)</key>
                                        <data>
                		\(hash)
                		</data>

                """
        }
        text += """
                                </dict>
                                <key>NSStoreModelVersionHashesDigest</key>
                                <string>+Hmc2uYZK6og+Pvx5GUJ7oW75UG4V/ksQanTjfTKUnxyGWJRMtB5tIRgVwGsrd7lz/QR57++wbvWsr6nxwyS0A==</string>
                                <key>NSStoreModelVersionHashesVersion</key>
                                <integer>3</integer>
                                <key>NSStoreModelVersionIdentifiers</key>
                                <array>
                                    <string></string>
                                </array>
                            </dict>
                        </plist>
                    </metadata>
                </databaseInfo>

            """
        return text
    }
}
