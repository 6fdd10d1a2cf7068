/// modelc's counterparts to the parts of mogenerator's templates (Documentation/GeneratedSwift.md).
enum MiscMergeCounterparts {
    /// Returns the counterpart of a use.
    static func counterpart(_ use: TemplateUse) -> TemplateCounterpart {
        switch use.kind {
        case .variable: variable(use.name)
        case .tag: tags[use.name] ?? .none("Mustache has no such command")
        case .macro: .none("a partial has no parameters: write {{>\(use.name)}} in the section of each value")
        case .filter: .none("Mustache has no filters")
        }
    }

    private static func variable(_ path: String) -> TemplateCounterpart {
        let parts = path.split(separator: ".").map(String.init)
        guard let first = parts.first, let last = parts.last else { return .none("the name is empty") }
        if first == "TemplateVar" {
            return .none("modelc has no template variables: use --access or --style, or change the template")
        }
        if let place = parts.firstIndex(of: "userInfo"), place + 1 < parts.count { return userInfo(parts[place + 1]) }
        if parts.count > 1 {
            if let member = members[parts.suffix(2).joined(separator: ".")] { return member }
            if first == "FetchRequest" || first == "Binding" { return .option("--with fetches") }
        }
        return names[last]
            ?? .none(
                "modelc's templates have no such name; `modelc templates context MODEL` prints those that exist")
    }

    private static func userInfo(_ key: String) -> TemplateCounterpart {
        switch key {
        case "attributeValueScalarType": .option("--with raw, which reads the key \(key)")
        case "attributeValueClassName", "attributeCodableTypeName":
            .option("--with codable, which reads the key \(key)")
        case "documentation", "discussion": .option("--with docs, which reads the key \(key)")
        case "additionalHeaderFileName": .option("--language objc --with codable, which reads the key \(key)")
        case "attributeTransformableProtocols": .option("--language objc --with codable, which reads the key \(key)")
        case "additionalImports": .template("extraImports, from the key \(key)")
        default: .template("userInfo, a list of key and value, or info.\(key)")
        }
    }

    /// Members whose counterpart depends on the kind of element.
    private static let members: [String: TemplateCounterpart] = [
        "name.initialCapitalString": .template("capitalizedName"),
        "destinationEntity.managedObjectClassName": .template("destinationClassName"),
        "destinationEntity.name": .template("destinationEntityName"),
        "inverseRelationship.name": .template("inverseName"),
        "superentity.managedObjectClassName": .template("superclassName"),
        "Attribute.name": .template("name"), "Relationship.name": .template("name"),
        "FetchedProperty.name": .template("name"),
        "FetchedProperty.entity": .template("className"),
    ]

    private static let names: [String: TemplateCounterpart] = [
        "name": .template("entityName"),
        "managedObjectClassName": .template("className"),
        "noninheritedAttributes": .template("attributes"),
        "noninheritedAttributesSansType": .template("attributes"),
        "noninheritedRelationships": .template("relationships"),
        "noninheritedFetchedProperties": .option("--with fetches, or fetchedProperties in templates"),
        "prettyFetchRequests": .option("--with fetches, or fetchRequests in templates"),
        "objectFetchRequests": .option("--with fetches, or fetchRequests in templates"),
        "indexedNoninheritedRelationships": .none(
            "modelc's templates have no list of ordered relationships; test isOrdered"),
        "hasSuperentity": .template("hasParent"),
        "hasCustomSuperentity": .template("hasParent"),
        "customSuperentity": .template("superclassName"),
        "superentity": .template("superclassName"),
        "forcedCustomBaseClass": .template("superclassName, from the key mogenerator.customBaseClass"),
        "isAbstract": .template("isAbstract"),
        "additionalImports": .template("extraImports"),
        "hasAdditionalImports": .template("extraImports"),
        "documentation": .option("--with docs"), "hasDocumentation": .option("--with docs"),
        "discussion": .option("--with docs"), "hasDiscussion": .option("--with docs"),
        "userInfo": .template("userInfo"), "userInfoKeyValues": .option("--with keys, or userInfo in templates"),
        "hasUserInfoKeys": .template("userInfo"),
        "userInfoByKeys": .template("userInfo"),
        "hasScalarAttributeType": .template("usesScalarType"), "usesScalarAttributeType": .template("usesScalarType"),
        "scalarAttributeType": .template("type"),
        "objectAttributeType": .template("type"), "objectAttributeClassName": .template("type"),
        "attributeValueScalarType": .option("--with raw"), "hasEnumAttributeType": .option("--with raw"),
        "attributeValueClassName": .option("--with codable"),
        "hasDefinedAttributeType": .template("attributeType"),
        "hasTransformableAttributeType": .template("attributeType"),
        "isReadonly": .template("isReadOnly"),
        "optional": .template("isOptional"), "isOptional": .template("isOptional"),
        "isToMany": .template("isToMany"), "isOrdered": .template("isOrdered"), "jr_isOrdered": .template("isOrdered"),
        "destinationEntity": .template("destinationEntityName and destinationClassName"),
        "inverseRelationship": .template("inverseName"),
        "mutableCollectionClassName": .template("collectionType"),
        "immutableCollectionClassName": .template("collectionType"),
        "isDerived": .template("isDerived"), "isTransient": .template("isTransient"),
    ]

    private static let condition: TemplateCounterpart = .none(
        "Mustache sections compare nothing: test a name that is true or false")

    private static let tags: [String: TemplateCounterpart] = [
        "if": .template("{{#name}}…{{/name}}"),
        "else": .template("{{^name}}…{{/name}}"),
        "elseif": .none("write a section inside {{^name}}"),
        "foreach": .template("{{#list}}…{{/list}}"),
        "include": .template("{{>NAME}}"),
        "comment": .template("{{! … }}"),
        "procedure": .template("{{>NAME}}, without parameters"),
        "call": .template("{{>NAME}}, without parameters"),
        "set": .none("Mustache declares no variables"),
        "while": .none("Mustache visits lists only"), "loop": .none("Mustache visits lists only"),
        "delimiters": .none("modelc's templates always have {{ and }}"),
        "==": condition, "!=": condition, "<": condition, ">": condition, "<=": condition, ">=": condition,
        "&&": .template("a section in a section"), "||": .none("write a section for each name"),
    ]
}
