package import CompiledModel
internal import Diagnostics
package import ModelSchema

/// The copy of a model in a mapping model, an archive of Xcode's old model editor, read as a model
/// (Documentation/Formats/MappingModel.md, 1.3).
package struct EditorModel: Sendable {
    /// The model, with the parts that version hashes and migrations need.
    package let model: Model
    /// The findings from reading: an error for each malformed part, which was left out.
    package let findings: [ModelFinding]

    /// Reads a copy.
    ///
    /// - Throws: `ModelArchiveError` if the bytes do not contain a model of the editor.
    package init(_ bytes: [UInt8], name: String) throws(ModelArchiveError) {
        var decoder = EditorModelDecoder(try KeyedArchive(bytes))
        model = try decoder.decode(name: name)
        findings = decoder.reader.reporter.findings
    }
}

/// Reads the archive of Xcode's old model editor.
private struct EditorModelDecoder {
    typealias ObjectID = KeyedArchive.ObjectID

    private(set) var reader: ArchiveReader
    private var entityNames: [ObjectID: String] = [:]

    init(_ archive: KeyedArchive) {
        reader = ArchiveReader(archive)
    }

    mutating func decode(name: String) throws(ModelArchiveError) -> Model {
        let root = reader.archive.root
        guard reader.archive.recognizedClass(of: root) == .editorModel,
            let package = reader.object(.editorPackage, of: root),
            let classes = reader.dictionary(.editorClasses, of: package)
        else {
            throw ModelArchiveError(
                .notAModel, "the archive is not a model of Xcode's editor: its root is \(reader.describe(root))")
        }
        var entities: [(name: String, object: ObjectID)] = []
        for (key, object) in classes where reader.archive.recognizedClass(of: object) == .editorEntity {
            let name = reader.string(.editorName, of: object) ?? key
            // An entity that is listed twice would be two entities with the same name.
            if entityNames.updateValue(name, forKey: object) == nil { entities.append((name, object)) }
        }
        var model = Model(name: name)
        model.settings.userDefinedModelVersionIdentifier = reader.string(.editorVersionIdentifier, of: root)
        entities.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (name, object) in entities { model.entities.append(entity(object, name: name)) }
        return model
    }

    private mutating func entity(_ object: ObjectID, name: String) -> Entity {
        var entity = Entity(name: name)
        let settings = settings("XD_PStereotype", of: object)
        entity.isAbstract = flag("XD_PSK_isAbstract", settings) || reader.flag(.editorIsAbstract, of: object)
        entity.className = ClassName(string("XD_PSK_entityClassName", settings) ?? "")
        entity.renamingIdentifier = string("XD_PSK_elementID", settings)
        entity.versionHashModifier = string("XD_PSK_versionHashModifier", settings)
        entity.userInfo = userInfo("XD_PSK_userInfo", settings)
        for names in nameLists("XDPMUniquenessConstraints", settings) {
            entity.uniquenessConstraints.append(
                UniquenessConstraint(properties: names.map { PropertyMention(name: $0) }))
        }
        for names in nameLists("XDPMCompoundIndexes", settings) {
            entity.compoundIndexes.append(CompoundIndex(properties: names.map { PropertyMention(name: $0) }))
        }
        if let parent = reader.list(.editorGeneralizations, of: object)?.first,
            let general = reader.object(.editorGeneral, of: parent)
        {
            entity.parentName = entityName(general)
        }
        let properties = reader.dictionary(.editorAttributes, of: object) ?? []
        var seen: Set<ObjectID> = []
        for (key, property) in properties.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        where seen.insert(property).inserted {
            let name = reader.string(.editorName, of: property) ?? key
            switch reader.archive.recognizedClass(of: property) {
            case .editorAttribute: entity.attributes.append(attribute(property, name: name))
            case .editorRelationship: entity.relationships.append(relationship(property, name: name))
            default:
                reader.reporter.unsupported(
                    "the property “\(entity.name).\(name)” is \(reader.describe(property)), which is unknown")
            }
        }
        return entity
    }

    private mutating func entityName(_ object: ObjectID) -> String? {
        entityNames[object] ?? reader.string(.editorName, of: object)
    }

    private mutating func attribute(_ object: ObjectID, name: String) -> Attribute {
        let common = settings("XD_PPropStereotype", of: object)
        let own = settings("XD_PAtt_Stereotype", of: object)
        let number = integer("XD_PAttK_attributeType", own) ?? 0
        let type = AttributeType(rawValue: number)
        if type == nil {
            reader.reporter.malformed("the attribute “\(name)” has the unknown type \(number)")
        }
        var attribute = Attribute(name: name, type: type ?? .undefined)
        attribute.isOptional = flag("XD_PPSK_isOptional", common)
        attribute.isTransient = flag("XD_PPSK_isTransient", common)
        attribute.isIndexed = flag("XD_PPSK_isIndexed", common)
        attribute.isIndexedBySpotlight = flag("XD_PPSK_isSpotlightIndexed", common)
        attribute.isStoredInTruthFile = flag("XD_PPSK_isStoredInTruthFile", common)
        attribute.renamingIdentifier = string("XD_PPSK_elementID", common)
        attribute.versionHashModifier = string("XD_PPSK_versionHashModifier", common)
        attribute.userInfo = userInfo("XD_PPSK_userInfo", common)
        attribute.defaultValue = string("XD_PAttK_defaultValueAsString", own)
        attribute.allowsExternalBinaryStorage = flag("XD_PAttK_allowsExternalBinaryDataStorage", own)
        attribute.minimum = string("XD_PAttK_minValueString", own)
        attribute.maximum = string("XD_PAttK_maxValueString", own)
        attribute.regularExpression = string("XD_PAttK_regularExpressionString", own)
        attribute.valueTransformerName = string("XD_PAttK_valueTransformerName", own)
        return attribute
    }

    private mutating func relationship(_ object: ObjectID, name: String) -> Relationship {
        let common = settings("XD_PPropStereotype", of: object)
        let own = settings("XD_PR_Stereotype", of: object)
        var destination: String?
        if let entity = own["XD_PRK_destination"] { destination = entityName(entity) }
        var relationship = Relationship(name: name, destinationName: destination)
        relationship.isOptional = flag("XD_PPSK_isOptional", common)
        relationship.isTransient = flag("XD_PPSK_isTransient", common)
        relationship.isIndexed = flag("XD_PPSK_isIndexed", common)
        relationship.isIndexedBySpotlight = flag("XD_PPSK_isSpotlightIndexed", common)
        relationship.isStoredInTruthFile = flag("XD_PPSK_isStoredInTruthFile", common)
        relationship.renamingIdentifier = string("XD_PPSK_elementID", common)
        relationship.versionHashModifier = string("XD_PPSK_versionHashModifier", common)
        relationship.userInfo = userInfo("XD_PPSK_userInfo", common)
        relationship.isToMany = flag("XD_PRK_isToMany", own)
        relationship.isOrdered = flag("XD_PRK_ordered", own)
        relationship.minimumCount = integer("XD_PRK_minCount", own)
        relationship.maximumCount = integer("XD_PRK_maxCount", own)
        relationship.deleteRule = integer("XD_PRK_deleteRule", own).flatMap(DeleteRule.init(rawValue:))
        if let inverse = own["XD_PRK_inverseRelationship"] {
            relationship.inverseName = reader.string(.editorName, of: inverse)
        }
        return relationship
    }

    // MARK: Settings

    /// Returns the values of an element's settings, by name. Those without a value are left out.
    private mutating func settings(_ name: String, of element: ObjectID) -> [String: ObjectID] {
        guard
            let stereotype = reader.dictionary(.editorStereotypes, of: element)?.first(where: { $0.key == name })?.value
        else { return [:] }
        var settings: [String: ObjectID] = [:]
        for (key, setting) in reader.dictionary(.editorAttributes, of: stereotype) ?? [] {
            if let value = reader.object(.editorDefault, of: setting) { settings[key] = value }
        }
        return settings
    }

    private func string(_ name: String, _ settings: [String: ObjectID]) -> String? {
        settings[name].flatMap { reader.string($0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func integer(_ name: String, _ settings: [String: ObjectID]) -> Int? {
        guard let value = settings[name] else { return nil }
        return switch reader.archive.plist(value) {
        case .integer(let number): Int(number)
        case .boolean(let flag): flag ? 1 : 0
        case .largeInteger(high: 0, low: let number): Int(truncatingIfNeeded: number)
        default: nil
        }
    }

    private func flag(_ name: String, _ settings: [String: ObjectID]) -> Bool {
        integer(name, settings).map { $0 != 0 } ?? false
    }

    private mutating func userInfo(_ name: String, _ settings: [String: ObjectID]) -> [UserInfoEntry] {
        guard let value = settings[name], let entries = reader.entries(of: value) else { return [] }
        return entries.compactMap { key, value in
            reader.string(value).map { UserInfoEntry(key: key, value: $0) }
        }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private mutating func nameLists(_ name: String, _ settings: [String: ObjectID]) -> [[String]] {
        guard let value = settings[name], let lists = reader.elements(of: value) else { return [] }
        var result: [[String]] = []
        for list in lists {
            let names = (reader.elements(of: list) ?? []).compactMap { reader.string($0) }
            if !names.isEmpty { result.append(names) }
        }
        return result
    }
}
