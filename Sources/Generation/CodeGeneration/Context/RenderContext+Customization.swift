internal import ModelSchema

/// The values of names that have a meaning only with certain options (Documentation/Guides/GeneratedSwift.md).
extension RenderContext {
    func customization(of entity: Entity) -> EntityCustomization {
        customizations[entity.name] ?? EntityCustomization()
    }

    func text(_ attribute: Attribute, in entity: Entity) -> AttributeText {
        AttributeText(
            entityName: entity.name, attribute: attribute,
            customization: customization(of: entity).attributes[attribute.name] ?? AttributeCustomization(),
            style: options.style)
    }

    // MARK: Entities

    /// Returns the value of an entity's name that has a meaning only with certain options.
    func customValue(_ name: RenderName, of entity: Entity) -> RenderValue? {
        let custom = customization(of: entity)
        switch name {
        case .documentation: return Self.lines(custom.documentation)
        case .fetchRequests: return .list(custom.fetches.map(fetchObject))
        case .finalPrefix:
            let isFinal = options.features.contains(.final) && !entity.isAbstract && !parentNames.contains(entity.name)
            return .string(isFinal ? "final " : "")
        case .hasCustomAccessors:
            return .bool(entity.attributes.contains { text($0, in: entity).customization.accessor != nil })
        case .hasInitializer: return .bool(declaresInitializer(entity))
        case .hasManagedID: return .bool(hasManagedID(entity))
        case .hasNestedKeys: return .bool(custom.keysStyle == .nested)
        case .initializers: return .list(initializers(of: entity).map(initializerObject))
        case .keyTypes: return .list(keyTypeObjects(of: entity, custom.keysStyle))
        default: return nil
        }
    }

    /// Returns whether the entity's class declares `managedID`, which a subclass inherits.
    private func hasManagedID(_ entity: Entity) -> Bool {
        guard options.features.contains(.ids) else { return false }
        return !entity.ancestors(in: entitiesByName).contains { generatedNames.contains($0.name) }
    }

    /// Returns the parameters of an entity's initializers: those without a default argument first, inherited ones
    /// before its own.
    private func parameters(of entity: Entity) -> [InitializerParameter] {
        guard options.features.contains(.`init`), !entity.isAbstract else { return [] }
        // The properties of an entity without a class are not declared.
        let line = entity.ancestors(in: entitiesByName).reversed().filter(\.className.isCustom) + [entity]
        let attributes = line.flatMap { entity in
            entity.attributes.compactMap { InitializerParameter(text($0, in: entity)) }
        }
        let relationships = line.flatMap { entity in
            entity.relationships.compactMap {
                InitializerParameter($0, className: className(ofEntity: $0.destinationName))
            }
        }
        return attributes.filter(\.isRequired) + relationships + attributes.filter { !$0.isRequired }
    }

    /// Returns the parameters of each initializer of an entity's class: one that does not throw, unless a value that
    /// must be encoded is required, and one with all values that throws. If both match a call, Swift chooses the
    /// former.
    private func allInitializers(of entity: Entity) -> [[InitializerParameter]] {
        let all = parameters(of: entity)
        let plain = all.filter { $0.setterName == nil }
        if plain.count == all.count { return all.isEmpty ? [] : [all] }
        let needsEncoding = all.contains { $0.setterName != nil && $0.isRequired }
        return needsEncoding || plain.isEmpty ? [all] : [plain, all]
    }

    /// Returns the parameters of each initializer that an entity's code declares. A class inherits initializers of its
    /// superclass with the same parameters, and must not redeclare them in an extension.
    private func initializers(of entity: Entity) -> [[InitializerParameter]] {
        let parent = entity.ancestors(in: entitiesByName).first { !$0.isAbstract && generatedNames.contains($0.name) }
        let inherited = parent.map { allInitializers(of: $0).map { $0.map(\.name) } } ?? []
        return allInitializers(of: entity).filter { !inherited.contains($0.map(\.name)) }
    }

    private func declaresInitializer(_ entity: Entity) -> Bool { !initializers(of: entity).isEmpty }

    private func initializerObject(_ parameters: [InitializerParameter]) -> RenderObject {
        let objects = parameterObjects(parameters)
        return RenderObject { name in
            switch name {
            case .initializerParameters: .list(objects)
            case .isThrowing: .bool(parameters.contains { $0.setterName != nil })
            default: nil
            }
        }
    }

    private func parameterObjects(_ parameters: [InitializerParameter]) -> [RenderObject] {
        parameters.map { parameter in
            RenderObject { name in
                switch name {
                case .setterName: .string(parameter.setterName ?? "")
                case .name: .string(parameter.name)
                case .declaredName: .string(SwiftIdentifier.declared(parameter.name))
                case .type: .string(parameter.type)
                case .defaultArgument: .string(parameter.defaultArgument ?? "")
                case .isSetIfPresent: .bool(parameter.isOptional)
                default: nil
                }
            }
        }
    }

    private func keyTypeObjects(of entity: Entity, _ style: KeysStyle) -> [RenderObject] {
        guard options.features.contains(.keys) else { return [] }
        return CustomizationCollisions.keyTypes(of: entity, style).map { type, comment, names in
            let cases = names.map { name, _ in
                RenderObject { key in
                    switch key {
                    case .name: .string(name)
                    case .declaredName: .string(SwiftIdentifier.declared(name))
                    case .nameLiteral: .string(SwiftIdentifier.stringLiteral(name))
                    default: nil
                    }
                }
            }
            return RenderObject { name in
                switch name {
                case .type: .string(type)
                case .cases: .list(cases)
                case .documentation: Self.lines([comment])
                default: nil
                }
            }
        }
    }

    private func fetchObject(_ method: FetchMethod) -> RenderObject {
        let variables = method.variables.enumerated().map { index, variable in
            RenderObject { name in
                switch name {
                case .name: .string(variable.name)
                case .declaredName: .string(SwiftIdentifier.declared(variable.name))
                case .nameLiteral: .string(SwiftIdentifier.stringLiteral(variable.name))
                case .type: .string(variable.type)
                case .isFirst: .bool(index == 0)
                default: nil
                }
            }
        }
        return RenderObject { name in
            switch name {
            case .methodName: .string(method.name)
            case .name: .string(method.template.name)
            case .nameLiteral: .string(SwiftIdentifier.stringLiteral(method.template.name))
            case .resultType: .string(method.resultType)
            case .variables: .list(variables)
            default: nil
            }
        }
    }

    // MARK: Properties

    /// Returns the value of an attribute's name that has a meaning only with certain options.
    func customValue(_ name: RenderName, of text: AttributeText) -> RenderValue? {
        let custom = text.customization
        switch name {
        case .documentation: return Self.lines(custom.documentation)
        case .hasCustomAccessor: return .bool(custom.accessor != nil)
        case .isReadOnly: return .bool(custom.isReadOnly)
        case .isText: return .bool(text.attribute.type == .string)
        case .propertyType: return .string(text.propertyType)
        case .readFailure: return text.readFailure.map { .string($0) }
        case .readGuard: return .string(text.readGuard ?? "")
        case .readValue: return text.readValue.map { .string($0) }
        case .storedValue: return text.storedValue.map { .string($0) }
        case .rawType:
            guard case .raw(let raw) = custom.accessor else { return .string("") }
            return .string(raw.type)
        case .swiftOptional:
            guard case .optional = custom.accessor else { return .string("") }
            return .string(text.propertyType)
        case .codableFunctions, .codableProperty, .codableType, .isPropertyList:
            return codableValue(name, custom.accessor)
        default: return nil
        }
    }

    private func codableValue(_ name: RenderName, _ accessor: AttributeCustomization.Accessor?) -> RenderValue? {
        guard case .codable(let codable) = accessor else { return name == .codableType ? .string("") : .bool(false) }
        return switch name {
        case .codableFunctions: .bool(codable.errors == .throw)
        case .codableProperty: .bool(codable.errors == .nil)
        case .codableType: .string(codable.type)
        case .isPropertyList: .bool(codable.format == .plist)
        default: nil
        }
    }

    /// Returns the type of a relationship's elements if its property is a `Set`.
    func elementType(of relationship: Relationship) -> String? {
        guard options.features.contains(.sets), relationship.isToMany, !relationship.isOrdered else { return nil }
        return className(ofEntity: relationship.destinationName)
    }

    /// Returns a comment as a list of lines, each preceded by a space unless it is empty.
    static func lines(_ lines: [String]) -> RenderValue {
        .list(
            lines.map { line in
                RenderObject { $0 == .line ? .string(line.isEmpty ? "" : " \(line)") : nil }
            })
    }

    private static func named(_ name: String) -> RenderObject { RenderObject { $0 == .name ? .string(name) : nil } }

    // MARK: Imports

    /// Returns the modules that the code of some entities needs in addition to Foundation and Core Data.
    private func imports(of entities: [Entity]) -> [String] {
        var result: [String] = []
        for entity in entities {
            result += customization(of: entity).imports
            for relationship in entity.relationships where elementType(of: relationship) != nil {
                guard let destination = relationship.destinationName.flatMap({ entitiesByName[$0] }),
                    case .named(let module) = destination.className.module,
                    destination.className.module != entity.className.module
                else { continue }
                result.append(module)
            }
        }
        return Set(result).subtracting(["Foundation", "CoreData"]).sorted()
    }

    /// Returns the values of the names for a file's imports.
    ///
    /// - Parameters:
    ///   - entities: The entities whose properties are declared in the file.
    ///   - usesCoreData: Whether a declaration in the file names a type of Core Data.
    func importValues(_ entities: [Entity], usesCoreData: Bool) -> @Sendable (RenderName) -> RenderValue? {
        let (foundation, coreData) = importPrefixes(entities, usesCoreData: usesCoreData)
        // An initializer has parameters for inherited properties.
        let inherited = entities.filter(declaresInitializer).flatMap { $0.ancestors(in: entitiesByName) }
        var names = imports(of: entities + inherited)
        names += modules(ofClassesIn: entities).filter { !names.contains($0) }
        let modules = RenderValue.list(names.map(Self.named))
        return { name in
            switch name {
            case .foundationImportPrefix: .string(foundation)
            case .coreDataImportPrefix: .string(coreData)
            case .extraImports: modules
            default: nil
            }
        }
    }

    /// Returns the other modules whose classes the portable code of some entities names, as superclasses or as
    /// destinations. Xcode's files have no such imports.
    private func modules(ofClassesIn entities: [Entity]) -> [String] {
        guard options.flavor == .portable else { return [] }
        // The classes that are generated are part of the module, regardless of its name in the model.
        var importedModules: Set<String> = Set(options.moduleName.map { [$0] } ?? [])
        for entity in entities {
            if case .named(let module) = entity.className.module { importedModules.insert(module) }
        }
        var result: [String] = []
        for entity in entities {
            for name in [entity.parentName].compactMap({ $0 }) + entity.relationships.compactMap(\.destinationName) {
                guard case .named(let module)? = entitiesByName[name]?.className.module,
                    SwiftIdentifier.isValid(module), !SwiftIdentifier.isKeyword(module),
                    importedModules.insert(module).inserted
                else { continue }
                result.append(module)
            }
        }
        return result
    }

    /// Returns the access levels of the imports of Foundation and Core Data.
    private func importPrefixes(_ entities: [Entity], usesCoreData: Bool) -> (foundation: String, coreData: String) {
        let prefix = Self.importPrefix(options)
        guard options.imports == .access else { return (prefix, prefix) }
        return (usesFoundation(entities) ? prefix : "", usesCoreData ? prefix : "")
    }

    /// Returns the access level of imports whose types declarations may use.
    static func importPrefix(_ options: GenerationOptions) -> String {
        switch options.imports {
        case nil: options.style.exportsImports ? options.access.prefix : ""
        case .plain: ""
        case .access: options.access.prefix
        }
    }

    /// Types that a public property can have without an import of Foundation.
    private static let typesWithoutFoundation: Set<String> = [
        "Int16", "Int32", "Int64", "Double", "Float", "Bool", "String", "Any", "NSManagedObjectID",
    ]

    /// Types of Foundation that are `Codable`.
    private static let typesOfFoundation: Set<String> = [
        "AttributedString", "Calendar", "Data", "Date", "DateComponents", "DateInterval", "Decimal", "IndexPath",
        "IndexSet",
        "Locale", "Measurement", "PersonNameComponents", "TimeInterval", "TimeZone", "URL", "URLComponents",
        "URLRequest", "UUID",
    ]

    /// Returns whether declarations for some entities name a type of Foundation.
    private func usesFoundation(_ entities: [Entity]) -> Bool {
        entities.contains { entity in
            entity.relationships.contains(where: \.isToMany) || hasFoundationValues(entity)
                || declaresInitializer(entity)
                    && entity.ancestors(in: entitiesByName).contains(where: hasFoundationValues)
        }
    }

    private func hasFoundationValues(_ entity: Entity) -> Bool {
        entity.attributes.contains { attribute in
            let text = text(attribute, in: entity)
            let words = text.propertyType.split { " []()<>,:?&".contains($0) }.map(String.init)
            switch text.customization.accessor {
            case .raw, .codable: return words.contains { Self.typesOfFoundation.contains($0) || $0.hasPrefix("NS") }
            case .optional, .required, .readOnly, nil:
                return words.contains { !Self.typesWithoutFoundation.contains($0) }
            }
        }
    }
}
