internal import ModelSchema
internal import SwiftSources

/// The arguments of `@Attribute`.
struct AttributeSettings {
    var isUnique = false
    var isExternal = false
    var isPreservedAfterDeletion = false
    var isEncrypted = false
    var isIndexedBySpotlight = false
    var isTransient = false
    var isTransformable = false
    var transformerName: String?
    var originalName: String?
    var hashModifier: String?

    /// Whether there is an option that is invalid for relationships.
    var hasOptionsOfValues: Bool {
        isExternal || isPreservedAfterDeletion || isEncrypted || isIndexedBySpotlight || isTransient
    }

    func apply(to attribute: inout Attribute) {
        attribute.allowsExternalBinaryStorage = isExternal
        attribute.isPreservedAfterDeletion = isPreservedAfterDeletion
        attribute.allowsCloudEncryption = isEncrypted
        attribute.isIndexedBySpotlight = isIndexedBySpotlight
        attribute.isTransient = isTransient
        if isTransformable { attribute.valueTransformerName = transformerName }
        attribute.renamingIdentifier = originalName
        attribute.versionHashModifier = hashModifier
    }
}

extension EntityReader {
    /// Reads the arguments of `@Attribute`.
    mutating func attributeSettings(of property: PropertySource, title: String) -> AttributeSettings {
        var settings = AttributeSettings()
        for macro in property.attributes where macro.name == "Attribute" {
            let arguments = MacroArguments(macro.arguments)
            for option in arguments.unlabeled { apply(option, to: &settings, macro, title: title) }
            for argument in arguments.arguments {
                switch argument.label {
                case "originalName": settings.originalName = string(argument.value, macro, title: title)
                case "hashModifier": settings.hashModifier = string(argument.value, macro, title: title)
                case nil: break
                case .some(let label):
                    report(
                        "\(title): the argument “\(label)” of “@Attribute” is unknown", macro.span,
                        help: "remove the argument")
                }
            }
        }
        return settings
    }

    private mutating func apply(
        _ option: ArraySlice<SwiftToken>, to settings: inout AttributeSettings, _ macro: AttributeSource, title: String
    ) {
        // `.unique` and `Schema.Attribute.Option.unique`; `.transformable(by:)` has arguments.
        let name = option.prefix { !$0.is("(") }.last?.text ?? ""
        switch name {
        case "unique": settings.isUnique = true
        case "externalStorage": settings.isExternal = true
        case "preserveValueOnDeletion": settings.isPreservedAfterDeletion = true
        case "allowsCloudEncryption": settings.isEncrypted = true
        case "spotlight": settings.isIndexedBySpotlight = true
        case "ephemeral": settings.isTransient = true
        case "transformable":
            settings.isTransformable = true
            let value = option.drop { !$0.is(":") }.dropFirst().dropLast()
            if value.first?.kind == .literal {
                settings.transformerName = string(value, macro, title: title)
            } else {
                settings.transformerName = value.prefix { !$0.is("self") }.dropLast().map(\.text).joined()
            }
        case "codable":
            report(
                "\(title): how SwiftData hashes an attribute with the option “codable” is not known yet", macro.span,
                help: "compute the hashes of this model with an app on iOS 27")
        default:
            report("\(title): the option “\(name)” of “@Attribute” is unknown", macro.span, help: "remove the option")
        }
    }

    /// Returns the value of a string literal without escapes.
    private mutating func string(_ tokens: ArraySlice<SwiftToken>, _ macro: AttributeSource, title: String) -> String? {
        if tokens.count == 1, let token = tokens.first, let text = texts.string(token, in: macro.span.file) {
            return text
        }
        report("\(title): the name is not a plain string literal", macro.span, help: "write the name between quotes")
        return nil
    }

    /// Reads the arguments of `@Relationship`.
    mutating func apply(
        _ macro: AttributeSource, of field: Field, to pending: inout PendingRelationship,
        isUnique constraints: inout [UniquenessConstraint]
    ) {
        let title = field.title
        let arguments = MacroArguments(macro.arguments)
        for option in arguments.unlabeled {
            let name = option.last?.text ?? ""
            if name == "unique" {
                constraints.append(
                    UniquenessConstraint(properties: [PropertyMention(name: pending.relationship.name)]))
            } else {
                report(
                    "\(title): the option “\(name)” of “@Relationship” is unknown", macro.span,
                    help: "remove the option")
            }
        }
        for argument in arguments.arguments {
            guard let label = argument.label else { continue }
            switch label {
            case "deleteRule": deleteRule(argument.value, of: &pending, macro, title: title)
            case "minimumModelCount": pending.relationship.minimumCount = count(argument.value, macro, title: title)
            case "maximumModelCount": pending.relationship.maximumCount = count(argument.value, macro, title: title)
            case "originalName": pending.relationship.renamingIdentifier = string(argument.value, macro, title: title)
            case "hashModifier": pending.relationship.versionHashModifier = string(argument.value, macro, title: title)
            case "inverse": inverse(argument.value, of: field, to: &pending, macro)
            default:
                report(
                    "\(title): the argument “\(label)” of “@Relationship” is unknown", macro.span, help: "remove it")
            }
        }
    }

    private mutating func deleteRule(
        _ value: ArraySlice<SwiftToken>, of pending: inout PendingRelationship, _ macro: AttributeSource, title: String
    ) {
        let rules: [String: DeleteRule] = [
            "nullify": .nullify, "cascade": .cascade, "deny": .deny, "noAction": .noAction,
        ]
        guard let rule = rules[value.last?.text ?? ""] else {
            return report(
                "\(title): the delete rule is unknown", macro.span,
                help: "use `.nullify`, `.cascade`, `.deny` or `.noAction`")
        }
        pending.relationship.deleteRule = rule
    }

    private mutating func count(_ value: ArraySlice<SwiftToken>, _ macro: AttributeSource, title: String) -> Int? {
        let text = value.map(\.text).joined().filter { $0 != "_" }
        if let count = Int(text) { return count }
        report("\(title): the count is not a number", macro.span, help: "write the number itself")
        return nil
    }

    private mutating func inverse(
        _ value: ArraySlice<SwiftToken>, of field: Field, to pending: inout PendingRelationship,
        _ macro: AttributeSource
    ) {
        if value.count == 1, value.first?.is("nil") == true {
            pending.isOneWay = true
            return
        }
        guard let path = MacroArguments.keyPath(value), let property = path.last else {
            return report(
                "\(field.title): the inverse is not a key path literal", macro.span,
                help: "write it like `\\Book.author`")
        }
        var entity = pending.relationship.destinationName ?? ""
        if path.count > 1 {
            // A type alias may name the class.
            let root = Array(path.dropLast())
            if case .type(let entry)? = table.find(root, from: field.scope) {
                entity = entry.type.name
            } else {
                entity = root.last ?? entity
            }
        }
        pending.explicitInverse = (entity, property)
    }

    // MARK: Freestanding macros

    /// Reads `#Unique` and `#Index`.
    mutating func read(_ macro: MacroSource, of entry: TypeTable.Entry, into entity: inout Entity) {
        if let condition = macro.undecided.first {
            return reportCondition(condition, of: "“#\(macro.name)” of “\(entity.name)”", at: macro.span)
        }
        switch macro.name {
        case "Unique":
            for value in MacroArguments(macro.arguments).unlabeled {
                guard let names = names(value, of: entity, entry: entry, macro: macro) else { continue }
                let origin = origin(macro.span)
                entity.uniquenessConstraints.append(
                    UniquenessConstraint(
                        properties: names.map { PropertyMention(name: $0, origin: origin) }, origin: origin))
            }
        case "Index":
            for value in MacroArguments(macro.arguments).unlabeled { readIndex(value, macro, of: entry, into: &entity) }
        case "warning", "error", "sourceLocation": break
        default:
            report(
                "“#\(macro.name)” in “\(entity.name)” may declare properties", macro.span,
                help: "write the properties out, or move the macro out of the model")
        }
    }

    private mutating func readIndex(
        _ value: ArraySlice<SwiftToken>, _ macro: MacroSource, of entry: TypeTable.Entry, into entity: inout Entity
    ) {
        // `[\.a]`, `.binary([\.a])` and `.rtree([\.a])`.
        var list = value
        var type: String?
        if let open = value.firstIndex(where: { $0.is("(") }), value.last?.is(")") == true {
            type = value[..<open].last?.text == "rtree" ? "RTree" : "Binary"
            list = value[(open + 1)...].dropLast()
        }
        guard let names = names(list, of: entity, entry: entry, macro: macro) else { return }
        var index = FetchIndex(name: "SwiftDataIndexOnBinary" + names.joined())
        index.elements = names.map {
            var element = FetchIndex.Element(propertyName: $0)
            element.type = type ?? "Binary"
            return element
        }
        index.origin = origin(macro.span)
        entity.fetchIndexes.append(index)
    }

    /// Returns the names of the properties in a list of key paths. Reports elements that are not key paths.
    private mutating func names(
        _ list: ArraySlice<SwiftToken>, of entity: Entity, entry: TypeTable.Entry, macro: MacroSource
    ) -> [String]? {
        let paths = MacroArguments.elements(ofArray: list)?.map {
            MacroArguments.keyPath($0).map { propertyPath($0, of: entry) }
        }
        guard let paths, !paths.isEmpty, !paths.contains(where: { $0 == nil }) else {
            report(
                "“#\(macro.name)” of “\(entity.name)” holds something other than key paths", macro.span,
                help: "write lists of key paths: `#\(macro.name)<\(entity.name)>([\\.name])`")
            return nil
        }
        let stored = Set(entry.type.properties.filter { $0.isStored && !$0.isMarkedTransient }.map(\.name))
        var names: [String] = []
        for path in paths.compactMap({ $0 }) {
            guard let name = path.first, stored.contains(name) else {
                report(
                    "“\(path.joined(separator: "."))” in “#\(macro.name)” of “\(entity.name)” is not a stored property",
                    macro.span, help: "name a stored property")
                return nil
            }
            guard path.count == 1 else {
                report(
                    "“\(path.joined(separator: "."))” in “#\(macro.name)” of “\(entity.name)” is a part of “\(name)”: "
                        + "how SwiftData stores this is unknown", macro.span,
                    help: "copy the part to a property of “\(entity.name)”, and name that")
                return nil
            }
            names.append(name)
        }
        return names
    }

    /// Returns a key path without a leading type.
    private func propertyPath(_ path: [String], of entry: TypeTable.Entry) -> [String] {
        for count in stride(from: path.count - 1, to: 0, by: -1) {
            if case .type(let root)? = table.find(Array(path.prefix(count)), from: entry.type.scope),
                root.key == entry.key
            {
                return Array(path.dropFirst(count))
            }
        }
        return path
    }
}
