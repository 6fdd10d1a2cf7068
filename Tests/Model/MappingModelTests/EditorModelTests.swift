import CompiledModel
import MappingModel
import ModelSchema
import Testing

/// The copies of models in mapping models (Documentation/Formats/MappingModel.md, 1.3).
@Suite struct EditorModelTests {
    /// The copy of a model with an entity `User` with the required `name` and the optional `petName`, handwritten as
    /// Documentation/Formats/MappingModel.md, 1.3 describes.
    private func userArchive() -> [UInt8] {
        var archive = HandArchive()
        func settings(
            _ archive: inout HandArchive, _ name: String, _ values: [(String, PropertyListValue)]
        ) -> (String, PropertyListValue) {
            var entries: [(String, PropertyListValue)] = []
            for (key, value) in values {
                entries.append((key, archive.add("XDUMLPropertyImp", ["_name": archive.add(key), "_default": value])))
            }
            let storage = archive.dictionary(entries)
            return (name, archive.add("XDUMLStereotypeImp", ["XDBucketForOwnedAttributesstorage": storage]))
        }
        func attribute(_ archive: inout HandArchive, _ name: String, isOptional: Bool) -> (String, PropertyListValue) {
            let common = settings(
                &archive, "XD_PPropStereotype", [("XD_PPSK_isOptional", archive.add(.boolean(isOptional)))])
            let own = settings(&archive, "XD_PAtt_Stereotype", [("XD_PAttK_attributeType", archive.add(.integer(700)))])
            let stereotypes = archive.dictionary([common, own])
            return (
                name,
                archive.add(
                    "XDPMAttribute", ["_name": archive.add(name), "XDBucketForStereotypesstorage": stereotypes])
            )
        }
        let properties = archive.dictionary([
            attribute(&archive, "name", isOptional: false), attribute(&archive, "petName", isOptional: true),
        ])
        let stereotypes = archive.dictionary([
            settings(
                &archive, "XD_PStereotype",
                [
                    ("XD_PSK_isAbstract", archive.add(.boolean(false))), ("XD_PSK_elementID", HandArchive.null),
                    ("XD_PSK_entityClassName", archive.add("User")),
                ])
        ])
        let entity = archive.add(
            "XDPMEntity",
            [
                "_name": archive.add("User"), "_isAbstract": .boolean(false),
                "XDBucketForOwnedAttributesstorage": properties, "XDBucketForStereotypesstorage": stereotypes,
            ])
        let classes = archive.dictionary([("User", entity)])
        let package = archive.add("XDModelPackage", ["XDBucketForClassesstorage": classes])
        let root = archive.add(
            "XDPMModel", ["_xd_rootPackage": package, "_modelVersionIdentifier": archive.add("")])
        return archive.bytes(root: root)
    }

    @Test func aCopyHasTheVersionHashesOfItsModel() throws {
        let copy = try EditorModel(userArchive(), name: "Users")
        #expect(copy.findings.isEmpty)
        // The test vector of Documentation/Formats/VersionHashes.md, 6.
        #expect(
            copy.model.versionHashes().entities["User"]?.hexString
                == "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798")
        #expect(copy.model.entity(named: "User")?.className.text == "User")
    }

    @Test func otherArchivesAreRejected() {
        #expect(throws: ModelArchiveError.self) { try EditorModel(HandArchive.dateConstant(), name: "x") }
        #expect(throws: ModelArchiveError.self) { try EditorModel([1, 2, 3], name: "x") }
    }

    /// A model with everything that a copy can contain.
    private var fullModel: Model {
        var model = Library.second
        var magazine = Entity(name: "Magazine")
        magazine.parentName = "Book"
        magazine.isAbstract = true
        magazine.renamingIdentifier = "Journal"
        magazine.versionHashModifier = "2"
        var issue = Attribute(name: "issue", type: .decimal)
        issue.versionHashModifier = "x"
        issue.renamingIdentifier = "number"
        issue.defaultValue = "1"
        issue.minimum = "0"
        issue.maximum = "99"
        var cover = Attribute(name: "cover", type: .binary)
        cover.allowsExternalBinaryStorage = true
        var cache = Attribute(name: "cache", type: .transformable)
        cache.isTransient = true
        cache.isOptional = true
        cache.valueTransformerName = "T"
        magazine.attributes = [issue, cover, cache]
        var related = Relationship(name: "related", destinationName: "Magazine")
        related.inverseName = "related"
        related.isToMany = true
        related.isOrdered = true
        related.minimumCount = 2
        related.maximumCount = 7
        related.deleteRule = .cascade
        magazine.relationships = [related]
        magazine.uniquenessConstraints = [
            UniquenessConstraint(properties: [PropertyMention(name: "issue"), PropertyMention(name: "isbn")])
        ]
        magazine.userInfo = [UserInfoEntry(key: "a", value: "b")]
        model.entities.append(magazine)
        return model
    }

    @Test func aWrittenCopyReadsBack() throws {
        let (bytes, findings) = EditorModel.encoded(fullModel)
        #expect(findings.isEmpty)
        let copy = try EditorModel(bytes, name: fullModel.name)
        #expect(copy.findings.isEmpty)
        #expect(copy.model.versionHashes().entities == fullModel.versionHashes().entities)
        let magazine = try #require(copy.model.entity(named: "Magazine"))
        #expect(magazine.parentName == "Book")
        #expect(magazine.renamingIdentifier == "Journal")
        #expect(magazine.userInfo.map(\.value) == ["b"])
        let issue = try #require(magazine.attributes.first { $0.name == "issue" })
        #expect(
            [issue.defaultValue, issue.minimum, issue.maximum, issue.renamingIdentifier] == ["1", "0", "99", "number"])
        let related = try #require(magazine.relationships.first)
        #expect(related.deleteRule == .cascade)
        #expect(related.inverseName == "related")
        #expect(EditorModel.encoded(fullModel).bytes == bytes)
    }

    @Test func lossesInACopyAreReported() {
        var model = Library.first
        var derived = Attribute(name: "created", type: .date)
        derived.isDerived = true
        derived.derivationExpression = "now()"
        model.entities[0].attributes.append(derived)
        #expect(EditorModel.encoded(model).findings.map(\.rule) == [.incompleteMappingSource])
    }
}
