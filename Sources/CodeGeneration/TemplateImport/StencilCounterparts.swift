/// modelc's counterparts to the parts of SwiftGen's Core Data templates (Documentation/GeneratedSwift.md).
enum StencilCounterparts {
    /// Returns the counterpart of a use.
    ///
    /// - Parameter declared: The macros that the template declares, and whether they have parameters.
    static func counterpart(_ use: TemplateUse, declared: [String: Bool]) -> TemplateCounterpart {
        switch use.kind {
        case .variable: variable(use.path)
        case .tag: tags[use.name] ?? .none("Mustache has no such tag")
        case .filter: filters[use.name] ?? .none("Mustache has no filters")
        case .macro: macro(use.name, declared)
        }
    }

    private static func macro(_ name: String, _ declared: [String: Bool]) -> TemplateCounterpart {
        if declared[name] == false { return .template("{{>\(name)}}, a file \(name).mustache") }
        return .none("a partial has no parameters: write {{>\(name)}} in the section of each value")
    }

    // MARK: Variables

    /// Returns the counterpart of a path such as `models[].entities[].attributes[].userInfo.RawType`.
    private static func variable(_ path: String) -> TemplateCounterpart {
        let parts = path.split(separator: ".").map { String($0.filter { !"[]".contains($0) }) }
        if let place = parts.firstIndex(of: "userInfo"), place + 1 < parts.count { return userInfo(parts[place + 1]) }
        if parts.first == "param" || parts.first == "params" {
            return parameters[parts.last ?? ""] ?? .none("modelc has no such parameter")
        }
        if parts.first == "forloop" {
            return parts.last == "first"
                ? .template("isFirst") : .none("Mustache sections have no counters; only some lists have isFirst")
        }
        guard let last = parts.last, let known = names[last] else {
            return .none(
                "modelc's templates have no such name; `modelc templates context MODEL` prints those that exist")
        }
        if parts.count > 1, let special = members["\(parts[parts.count - 2]).\(last)"] { return special }
        return known
    }

    private static func userInfo(_ key: String) -> TemplateCounterpart {
        switch key {
        case "RawType", "unwrapOptional", "nonOptionalInit":
            .option("--with raw, which reads the key \(key)")
        case "documentation", "discussion": .option("--with docs, which reads the key \(key)")
        default: .template("userInfo, a list of key and value, or info.\(key)")
        }
    }

    private static let parameters: [String: TemplateCounterpart] = [
        "publicAccess": .option("--access"),
        "extraImports": .option("the userInfo key modelc.imports, or extraImports in templates"),
        "generateObjcName": .template("objcName"),
    ]

    /// Members whose counterpart depends on the kind of element.
    private static let members: [String: TemplateCounterpart] = [
        "destinationEntity.name": .template("destinationEntityName"),
        "destinationEntity.className": .template("destinationClassName"),
        "inverseRelationship.name": .template("inverseName"),
        "superEntity.className": .template("superclassName"),
        "superEntity.name": .none("only the superclass has a name: superclassName"),
        "entities.name": .template("entityName"),
        "entity.name": .template("entityName"),
    ]

    private static let names: [String: TemplateCounterpart] = [
        "models": .template("the model's own file, CoreDataModel.swift.mustache"),
        "entities": .template("entities"),
        "name": .template("name"),
        "className": .template("className"),
        "isAbstract": .template("isAbstract"),
        "superEntity": .template("hasParent"),
        "attributes": .template("attributes"),
        "relationships": .template("relationships"),
        "fetchedProperties": .option("--with fetches, or fetchedProperties in templates"),
        "fetchRequests": .option("--with fetches, or fetchRequests in templates"),
        "fetchRequest": .option("--with fetches"),
        "userInfo": .template("userInfo"),
        "shouldGenerateCode": .option("--mode, which decides for which entities files are written"),
        "typeName": .template("type"),
        "type": .template("attributeType"),
        "propertyType": .none("attributes and relationships are separate lists"),
        "customClassName": .template("type"),
        "isOptional": .template("isOptional"),
        "isTransient": .template("isTransient"),
        "isDerived": .template("isDerived"),
        "usesScalarValueType": .template("usesScalarType"),
        "defaultValue": .template("defaultValue"),
        "isToMany": .template("isToMany"),
        "isOrdered": .template("isOrdered"),
        "destinationEntity": .template("destinationEntityName and destinationClassName"),
        "inverseRelationship": .template("inverseName"),
        "substitutionVariables": .option("--with fetches, or variables in templates"),
        "resultType": .option("--with fetches, or resultType in templates"),
    ]

    // MARK: Tags and filters

    private static let condition: TemplateCounterpart = .none(
        "Mustache sections compare nothing: test a name that is true or false")

    private static let tags: [String: TemplateCounterpart] = [
        "for": .template("{{#list}}…{{/list}}"),
        "if": .template("{{#name}}…{{/name}}"),
        "ifnot": .template("{{^name}}…{{/name}}"),
        "else": .template("{{^name}}…{{/name}}"),
        "empty": .template("{{^list}}…{{/list}}"),
        "include": .template("{{>NAME}}"),
        "import": .template("{{>NAME}}"),
        "block": .template("{{>NAME}}"),
        "macro": .template("{{>NAME}}, without parameters"),
        "call": .template("{{>NAME}}, without parameters"),
        "elif": .none("write a section inside {{^name}}"),
        "set": .none("Mustache declares no variables"),
        "map": .none("Mustache changes no lists"),
        "filter": .none("Mustache has no filters"),
        "extends": .none("modelc's templates have no inheritance; include the parts with {{>NAME}}"),
        "now": .none("generated files have no dates, so that equal models give equal files"),
        "break": .none("a section visits every element"), "continue": .none("a section visits every element"),
        "==": condition, "!=": condition, "<": condition, ">": condition, "<=": condition, ">=": condition,
        "and": .template("a section in a section"), "or": .none("write a section for each name"),
    ]

    private static let filters: [String: TemplateCounterpart] = [
        "escapeReservedKeywords": .template("declaredName"),
        "upperFirstLetter": .template("capitalizedName"),
        "capitalize": .template("capitalizedName"),
        "default": .template("{{^name}}…{{/name}}"),
        "removeNewlines": .none("Mustache writes the text as it stands"),
    ]
}
