internal import Diagnostics
internal import ModelSchema

/// Finds declarations in generated code that would have the same name because of options.
struct CustomizationCollisions {
    let model: Model
    let options: GenerationOptions
    let customizations: [String: EntityCustomization]
    let types: SourceTypes?

    /// Returns the collisions in the code of some entities.
    func findings(_ entities: [Entity]) -> [ModelFinding] {
        guard !options.features.isEmpty, options.language == .swift else { return [] }
        var findings: [ModelFinding] = []
        let classes = Dictionary(model.entities.map { ($0.swiftClassName, $0) }) { first, _ in first }
        let byName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        var reported: Set<Int?> = []
        if has(.ids), options.declaresManagedID, let entity = classes["ManagedID"] {
            findings.append(
                collision(
                    "the class “ManagedID” has the name of the type of object IDs", origin: entity.origin,
                    feature: .ids,
                    attribute: "representedClassName"))
        }
        findings += hiddenTypes(entities)
        for entity in entities {
            var properties = names(of: entity)
            var parent = entity.parentName.flatMap { byName[$0] }
            var steps = 0
            while let next = parent, steps <= Model.maximumInheritanceDepth {
                properties.merge(names(of: next)) { own, _ in own }
                parent = next.parentName.flatMap { byName[$0] }
                steps += 1
            }
            if has(.keys) { findings += keyCollisions(entity, classes) }
            if has(.codable) { findings += setterCollisions(entity, properties) }
            if has(.ids), let origin = properties["managedID"] {
                findings.append(
                    collision(
                        "“\(entity.name).managedID” has the name of the typed object ID", origin: origin, feature: .ids)
                )
            }
            if has(.`init`) {
                for name in ["context", "entity", "self"] {
                    // An initializer has parameters for inherited properties too, and `self` would hide the object.
                    guard let origin = properties[name], reported.insert(origin?.index).inserted else { continue }
                    findings.append(
                        collision(
                            "“\(entity.name).\(name)” has the name of a parameter of the initializer", origin: origin,
                            feature: .`init`))
                }
            }
        }
        return findings
    }

    private func has(_ feature: CodeFeature) -> Bool { options.features.contains(feature) }

    /// Types that the code of features names. A class with the same name would shadow them.
    private static let namedTypes: [CodeFeature: Set<String>] = [
        .raw: ["NSNumber", "Int16", "Int32", "Int64", "String", "Data", "Date", "UUID", "URL", "NSDecimalNumber"],
        .codable: [
            "Data", "String", "UTF8", "JSONEncoder", "JSONDecoder", "PropertyListEncoder", "PropertyListDecoder",
        ],
        .optionals: ["NSNumber", "Int16", "Int32", "Int64", "Double", "Float", "Bool", "TimeInterval", "Date"],
        .required: ["NSNumber", "NSDecimalNumber", "String", "Data", "Date", "UUID", "URL"],
        .sets: ["Set", "NSSet", "Array"],
        .ids: ["Hashable", "Sendable"],
        .keys: ["String", "CaseIterable", "Sendable"],
        .fetches: ["String"],
    ]

    private func hiddenTypes(_ entities: [Entity]) -> [ModelFinding] {
        entities.flatMap { entity in
            CodeFeature.allCases.filter { feature in
                has(feature) && Self.namedTypes[feature]?.contains(entity.swiftClassName) ?? false
            }.map { feature in
                collision(
                    "the class “\(entity.swiftClassName)” hides the type that generated code uses",
                    origin: entity.origin,
                    feature: feature,
                    attribute: "representedClassName")
            }
        }
    }

    private func names(of entity: Entity) -> [String: ElementOrigin?] {
        let names =
            entity.attributes.map { ($0.name, $0.origin) } + entity.relationships.map { ($0.name, $0.origin) }
            + (has(.fetches) ? entity.fetchedProperties.map { ($0.name, $0.origin) } : [])
        return Dictionary(names) { first, _ in first }
    }

    /// An enumeration of names: its type, its comment and its cases.
    typealias KeyType = (type: String, comment: String, names: [(String, ElementOrigin?)])

    /// Returns the enumerations of an entity's property names and `userInfo` keys.
    static func keyTypes(of entity: Entity, _ style: KeysStyle) -> [KeyType] {
        let groups: [KeyType] = [
            (
                "Attributes", "The names of the entity's own attributes.",
                entity.attributes.map { ($0.name, $0.origin) }
            ),
            (
                "Relationships", "The names of the entity's own relationships.",
                entity.relationships.map { ($0.name, $0.origin) }
            ),
            (
                "FetchedProperties", "The names of the entity's own fetched properties.",
                entity.fetchedProperties.map { ($0.name, $0.origin) }
            ),
            ("UserInfo", "The keys of the entity's `userInfo`.", userInfoKeys(of: entity)),
        ]
        return groups.filter { !$0.names.isEmpty }.map { name, comment, members in
            (style == .nested ? name : entity.swiftClassName + name, comment, members)
        }
    }

    /// Returns the distinct keys of an entity's `userInfo` that are valid names of cases.
    private static func userInfoKeys(of entity: Entity) -> [(String, ElementOrigin?)] {
        var seen: Set<String> = []
        return entity.userInfo.filter { SwiftIdentifier.isValid($0.key) && seen.insert($0.key).inserted }
            .map { ($0.key, $0.origin) }
    }

    /// Names that every such enumeration already declares.
    private static let reservedCases: Set<String> = ["allCases", "AllCases", "RawValue", "Type", "Protocol"]

    private func keyCollisions(_ entity: Entity, _ classes: [String: Entity]) -> [ModelFinding] {
        let style = customizations[entity.name]?.keysStyle ?? options.keysStyle
        var findings: [ModelFinding] = []
        for (type, _, names) in Self.keyTypes(of: entity, style) {
            // A nested type shadows a class with its name, which other declarations of the entity may need.
            let path = style == .nested ? [entity.swiftClassName, type] : [type]
            if classes[type] != nil || types?.declares(path) ?? false {
                findings.append(
                    collision(
                        "the enumeration “\(type)” of “\(entity.name)” has the name of another type",
                        origin: entity.origin,
                        feature: .keys,
                        help: style == .nested ? " The keys style mogenerator has other names." : ""))
            }
            for (name, origin) in names where Self.reservedCases.contains(name) {
                findings.append(
                    collision(
                        "“\(entity.name).\(name)” cannot be a case of “\(type)”", origin: origin, feature: .keys,
                        attribute: type.hasSuffix("UserInfo") ? "key" : "name"))
            }
        }
        return findings
    }

    private func setterCollisions(_ entity: Entity, _ properties: [String: ElementOrigin?]) -> [ModelFinding] {
        entity.attributes.compactMap { attribute in
            guard case .codable(let codable)? = customizations[entity.name]?.attributes[attribute.name]?.accessor,
                codable.errors == .throw
            else { return nil }
            let setter = "set" + attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
            guard properties[setter] != nil else { return nil }
            return collision(
                "the setter of “\(entity.name).\(attribute.name)” has the name of “\(entity.name).\(setter)”",
                origin: attribute.origin, feature: .codable)
        }
    }

    private func collision(
        _ message: String, origin: ElementOrigin?, feature: CodeFeature, attribute: String = "name",
        help: String = ""
    ) -> ModelFinding {
        ModelFinding(
            .error, rule: .codeNameCollision, message, at: origin, attribute: attribute,
            help: "Rename it, or generate without “\(feature.rawValue)”.\(help)")
    }
}
