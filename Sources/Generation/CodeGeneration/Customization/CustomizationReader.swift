internal import Diagnostics
internal import ModelSchema

/// Reads the code customizations in the `userInfo` of a model's elements.
struct CustomizationReader {
    private let model: Model
    private let options: GenerationOptions
    private let types: SourceTypes?
    private let entitiesByName: [String: Entity]
    private(set) var findings: [ModelFinding] = []
    private(set) var entities: [String: EntityCustomization] = [:]

    /// Reads a model. A no-op without features.
    ///
    /// - Parameter types: The types that the target's sources declare; `nil` if they are not known.
    init(_ model: Model, options: GenerationOptions, types: SourceTypes?) {
        self.model = model
        self.options = options
        self.types = types
        entitiesByName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        guard !options.features.isEmpty else { return }
        for entity in model.entities where entities[entity.name] == nil { entities[entity.name] = read(entity) }
        if options.features.contains(.fetches) { readFetches() }
    }

    private func has(_ feature: CodeFeature) -> Bool { options.features.contains(feature) }

    // MARK: Entities

    private mutating func read(_ entity: Entity) -> EntityCustomization {
        let entries = CustomizationEntries(entity.userInfo, of: .entity, named: entity.name, &findings)
        var result = EntityCustomization()
        // mogenerator ignores the value of this key.
        result.isIgnored = entries[.ignore] != nil
        result.keysStyle = choice(entries[.keysStyle], entity.name) ?? options.keysStyle
        result.documentation = documentation(entries)
        if let entry = entries[.baseClass], isType(entry, entity.name, in: entity) { result.baseClass = entry.value }
        result.header = header(entries[.header], entity.name)
        for name in Self.list(entries[.imports]?.value) {
            if name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({
                SwiftIdentifier.isValid(String($0))
            }) {
                result.imports.append(name)
            } else if let entry = entries[.imports] {
                findings.append(invalid(entry, entity.name, help: "Write names of modules, with commas between them."))
            }
        }
        for attribute in entity.attributes {
            result.attributes[attribute.name] = read(attribute, in: entity, imports: result.imports)
        }
        for relationship in entity.relationships {
            let entries = CustomizationEntries(
                relationship.userInfo, of: .relationship, named: "\(entity.name).\(relationship.name)", &findings)
            result.propertyDocumentation[relationship.name] = documentation(entries)
        }
        for property in entity.fetchedProperties {
            let entries = CustomizationEntries(
                property.userInfo, of: .fetchedProperty, named: "\(entity.name).\(property.name)", &findings)
            result.propertyDocumentation[property.name] = documentation(entries)
        }
        return result
    }

    /// Returns the lines of a documentation comment. Splits at line breaks of any kind, so that no text can escape from
    /// the comment.
    private func documentation(_ entries: CustomizationEntries) -> [String] {
        guard has(.docs) else { return [] }
        let parts = [entries[.documentation], entries[.discussion]].compactMap { entry -> [String]? in
            guard let text = entry?.value else { return nil }
            let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { line in
                String(
                    String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control }))
            }
            return lines.allSatisfy(\.isEmpty) ? nil : lines.map { String($0.drop { $0 == " " || $0 == "\t" }) }
        }
        return Array(parts.joined(separator: [""]))
    }

    /// Returns the header that Objective-C code imports. Its name becomes part of a line of code, so it must be a valid
    /// file name.
    private mutating func header(_ entry: UserInfoEntry?, _ name: String) -> String? {
        guard options.language == .objectiveC, let entry else { return nil }
        let isName =
            !entry.value.isEmpty
            && entry.value.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "+-_./ ".unicodeScalars.contains(scalar)
            }
        if isName { return entry.value }
        findings.append(invalid(entry, name, help: "Specify a header, for example “Types.h”."))
        return nil
    }

    /// Returns the parts of a comma-separated text, without spaces around them.
    private static func list(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map { part in
            var part = part.drop { $0 == " " }
            while part.last == " " { part.removeLast() }
            return String(part)
        }
    }

    // MARK: Attributes

    private mutating func read(_ attribute: Attribute, in entity: Entity, imports: [String]) -> AttributeCustomization {
        let name = "\(entity.name).\(attribute.name)"
        let entries = CustomizationEntries(attribute.userInfo, of: .attribute, named: name, &findings)
        var result = AttributeCustomization()
        result.documentation = documentation(entries)
        result.isReadOnly = entries[.readonly] != nil || attribute.isDerived
        if has(.raw), has(.codable), let raw = entries[.rawType], let codable = entries[.codable] {
            findings.append(
                ModelFinding(
                    .error, rule: .invalidCodeOption, "“\(name)” has both “\(raw.key)” and “\(codable.key)”",
                    at: codable.origin, attribute: "key", help: "Remove one of them."))
        }
        if options.language == .objectiveC {
            readProtocols(entries[.protocols], attribute: attribute, name: name, result: &result)
        } else if has(.raw), let entry = entries[.rawType] {
            result.accessor = rawAccessor(
                entry, entries: entries, attribute: attribute, entity: entity, imports: imports)
        } else if has(.codable), let entry = entries[.codable] {
            result.accessor = codableAccessor(
                entry, entries: entries, attribute: attribute, entity: entity, imports: imports)
        } else if has(.optionals), attribute.isOptional, attribute.hasScalarProperty {
            result.accessor = .optional
        } else if has(.required), attribute.isRequiredObject {
            result.accessor = .required
        } else if entries[.readonly] != nil {
            result.accessor = .readOnly
        }
        if has(.codable), let entry = entries[.type] {
            if attribute.type != .transformable {
                if entry.key.hasPrefix(CustomizationKey.prefix) {
                    findings.append(
                        unsuitable(entry, attribute: attribute, name: name, requested: "a transformable attribute"))
                }
            } else if isType(entry, name, in: entity, imports: imports) {
                result.customType = entry.value
            }
        }
        return result
    }

    private mutating func readProtocols(
        _ entry: UserInfoEntry?, attribute: Attribute, name: String, result: inout AttributeCustomization
    ) {
        guard has(.codable), let entry, attribute.type == .transformable else { return }
        result.protocols = Self.list(entry.value)
        if result.protocols.isEmpty || !result.protocols.allSatisfy(SwiftIdentifier.isValid) {
            findings.append(invalid(entry, name, help: "Write names of protocols, with commas between them."))
        }
    }

    /// Scalar types that mogenerator's `attributeValueScalarType` names, which are not raw-representable types.
    private static let scalarTypes: Set<String> = [
        "Bool", "Int", "Int16", "Int32", "Int64", "UInt", "UInt16", "UInt32", "UInt64", "Float", "Double", "BOOL",
        "NSInteger", "NSUInteger", "int16_t", "int32_t", "int64_t", "uint16_t", "uint32_t", "uint64_t", "float",
        "double",
    ]

    private mutating func rawAccessor(
        _ entry: UserInfoEntry, entries: CustomizationEntries, attribute: Attribute, entity: Entity,
        imports: [String]
    ) -> AttributeCustomization.Accessor? {
        let name = "\(entity.name).\(attribute.name)"
        if entry.key == "attributeValueScalarType", Self.scalarTypes.contains(entry.value) { return nil }
        guard attribute.comparedType != nil else {
            findings.append(
                unsuitable(
                    entry, attribute: attribute, name: name,
                    requested: "an attribute with text, numbers, dates, data, UUIDs or URLs"))
            return nil
        }
        guard isType(entry, name, in: entity, imports: imports, rawValueOf: attribute) else { return nil }
        var fallback: String?
        if let entry = entries[.rawFallback] {
            let text = entry.value.hasPrefix(".") ? String(entry.value.dropFirst()) : entry.value
            guard SwiftIdentifier.isValid(text) else {
                findings.append(invalid(entry, name, help: "Write the name of a case, for example “.unknown”."))
                return nil
            }
            fallback = SwiftIdentifier.declared(text)
        }
        let isUnwrapped = entries.isTrue(.unwrapOptional)
        let isOwn = entry.key == CustomizationKey.rawType.ownName
        if isOwn, !attribute.isOptional, fallback == nil, !isUnwrapped {
            findings.append(
                ModelFinding(
                    .error, rule: .invalidCodeOption,
                    "the required attribute “\(name)” has no fallback for unknown raw values",
                    at: entry.origin, attribute: "key",
                    why:
                        "A store written by a newer version of the app can have raw values that this version does not know.",
                    help: "Add “modelc.rawFallback” with a case, or “unwrapOptional” = YES to trap on unknown values."))
        }
        // SwiftGen's properties are optional, even if the attribute is not, unless a key says otherwise.
        let isRequired = isUnwrapped || (!attribute.isOptional && fallback != nil)
        return .raw(
            AttributeCustomization.RawAccessor(
                type: entry.value, fallback: fallback, isOptional: !isRequired,
                hasTotalInitializer: entries.isTrue(.nonOptionalInit)))
    }

    private mutating func codableAccessor(
        _ entry: UserInfoEntry, entries: CustomizationEntries, attribute: Attribute, entity: Entity,
        imports: [String]
    ) -> AttributeCustomization.Accessor? {
        let name = "\(entity.name).\(attribute.name)"
        let format: AttributeCustomization.CodableAccessor.Format = choice(entries[.codableFormat], name) ?? .json
        let errors: AttributeCustomization.CodableAccessor.Errors = choice(entries[.codableErrors], name) ?? .throw
        guard attribute.type == .binary || attribute.type == .string else {
            findings.append(
                unsuitable(entry, attribute: attribute, name: name, requested: "a Binary Data or String attribute"))
            return nil
        }
        if attribute.type == .string, format == .plist, let format = entries[.codableFormat] {
            findings.append(unsuitable(format, attribute: attribute, name: name, requested: "a Binary Data attribute"))
        }
        guard isType(entry, name, in: entity, imports: imports) else { return nil }
        return .codable(AttributeCustomization.CodableAccessor(type: entry.value, format: format, errors: errors))
    }

    // MARK: Fetch requests

    private mutating func readFetches() {
        var owners: [String: [(entity: Entity, template: String)]] = [:]
        for template in model.fetchRequests {
            guard let entityName = template.entityName, let entity = entitiesByName[entityName],
                entity.className.isCustom
            else { continue }
            let method = FetchMethod(template, className: entity.swiftClassName) { keys in
                comparedType(keys, from: entity)
            }
            guard let method else {
                findings.append(
                    collision("the fetch request “\(template.name)” cannot name a function", template.origin))
                continue
            }
            for variable in method.variables {
                if !SwiftIdentifier.isValid(variable.name) || variable.name == "context" {
                    findings.append(
                        collision(
                            "the variable “$\(variable.name)” of “\(template.name)” cannot name a parameter",
                            template.origin))
                } else if variable.type == "Any" {
                    findings.append(
                        ModelFinding(
                            .note, rule: .untypedVariable,
                            "the parameter “\(variable.name)” of “\(method.name)” has the type Any",
                            at: template.origin,
                            attribute: "predicateString",
                            why: "The variable is not compared with an attribute of one known type."))
                }
            }
            // A subclass inherits the functions of its parents.
            let line = Set([entityName] + entity.ancestors(in: entitiesByName).map(\.name))
            let other = owners[method.name]?.first { other in
                line.contains(other.entity.name)
                    || other.entity.ancestors(in: entitiesByName).contains { $0.name == entityName }
            }
            if let other {
                findings.append(
                    collision(
                        "“\(template.name)” and “\(other.template)” would both become “\(method.name)”", template.origin
                    ))
            }
            owners[method.name, default: []].append((entity, template.name))
            entities[entityName]?.fetches.append(method)
        }
    }

    /// Returns the type at the end of a key path.
    private func comparedType(_ keys: [String], from entity: Entity) -> String? {
        var current = entity
        for (index, key) in keys.enumerated() {
            let line = [current] + current.ancestors(in: entitiesByName)
            let isLast = index == keys.count - 1
            if let attribute = line.lazy.flatMap(\.attributes).first(where: { $0.name == key }) {
                return isLast ? attribute.comparedType : nil
            }
            guard let relationship = line.lazy.flatMap(\.relationships).first(where: { $0.name == key }),
                let destination = relationship.destinationName.flatMap({ entitiesByName[$0] })
            else { return nil }
            if isLast { return destination.swiftClassName }
            current = destination
        }
        return nil
    }

    // MARK: Values

    /// Returns whether the value of an entry is a type that exists, as far as known.
    private mutating func isType(
        _ entry: UserInfoEntry, _ name: String, in entity: Entity, imports: [String] = [],
        rawValueOf attribute: Attribute? = nil
    ) -> Bool {
        if options.language == .objectiveC {
            if SwiftIdentifier.isValid(entry.value) { return true }
            findings.append(invalid(entry, name, help: "Specify a class of Objective-C."))
            return false
        }
        guard SwiftTypeSyntax.isType(entry.value), !entry.value.hasSuffix("?") else {
            findings.append(invalid(entry, name, help: "Specify a Swift type that is not optional."))
            return false
        }
        let classes = ([entity] + entity.ancestors(in: entitiesByName)).map(\.swiftClassName)
        guard let problem = types?.problem(of: entry.value, in: classes, imports: imports, rawValueOf: attribute) else {
            return true
        }
        findings.append(
            ModelFinding(
                .error, rule: .invalidCodeOption, "“\(entry.key)” of “\(name)”: \(problem.message)", at: entry.origin,
                attribute: "value", help: problem.help))
        return false
    }

    private mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ entry: UserInfoEntry?, _ name: String
    ) -> Value? where Value.RawValue == String {
        guard let entry else { return nil }
        if let value = Value(rawValue: entry.value) { return value }
        findings.append(
            invalid(entry, name, help: "The values are \(Value.allCases.map(\.rawValue).joined(separator: ", "))."))
        return nil
    }

    private func invalid(_ entry: UserInfoEntry, _ name: String, help: String) -> ModelFinding {
        ModelFinding(
            .error, rule: .invalidCodeOption, "invalid value “\(entry.value)” for “\(entry.key)” of “\(name)”",
            at: entry.origin, attribute: "value", help: help)
    }

    private func unsuitable(
        _ entry: UserInfoEntry, attribute: Attribute, name: String, requested: String
    ) -> ModelFinding {
        ModelFinding(
            .error, rule: .invalidCodeOption,
            "“\(entry.key)” does not apply to “\(name)”, whose type is \(attribute.type.xmlValue)", at: entry.origin,
            attribute: "key", help: "Use it on \(requested), or remove it.")
    }

    private func collision(_ message: String, _ origin: ElementOrigin?) -> ModelFinding {
        ModelFinding(
            .error, rule: .codeNameCollision, message, at: origin, attribute: "name",
            help: "Rename it, or generate without “fetches”.")
    }
}

extension Attribute {
    /// Whether the attribute's property has a scalar type.
    var hasScalarProperty: Bool {
        guard usesScalarType ?? false else { return false }
        return [.integer16, .integer32, .integer64, .double, .float, .boolean, .date].contains(type)
    }

    /// Whether the attribute has a value from insertion on, but its property is an optional object.
    var isRequiredObject: Bool {
        !isOptional && !hasScalarProperty && !isDerived && comparedType != nil && hasDefaultValue
    }

    /// Whether the model has a default value for the attribute.
    var hasDefaultValue: Bool { defaultValue != nil || defaultDateInterval != nil }
}
