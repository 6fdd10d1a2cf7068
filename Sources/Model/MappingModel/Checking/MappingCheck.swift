package import CompiledMapping
internal import Diagnostics
package import ModelSchema
internal import PredicateSyntax

/// Checks a mapping model against the rules of `modelc lint` for mapping models.
package struct MappingCheck {
    private let mapping: CompiledMapping
    private let source: MappedModel?
    private let destination: MappedModel?
    private let names: Set<String>
    private var findings: [ModelFinding] = []

    /// Returns the findings about a mapping model.
    ///
    /// - Parameters:
    ///   - mapping: The compiled mapping model.
    ///   - source: The model that it migrates from; `nil` if it is not known, which leaves out the rules that need it.
    ///   - destination: The model that it migrates to; `nil` if it is not known.
    package static func findings(
        in mapping: CompiledMapping, source: Model?, destination: Model?
    ) -> [ModelFinding] {
        var check = MappingCheck(mapping, source: source, destination: destination)
        check.run()
        return check.findings
    }

    /// Returns the findings about a source that its compiled mapping model no longer shows.
    package static func findings(in source: MappingSource) -> [ModelFinding] {
        var seen: Set<Int> = []
        var findings: [ModelFinding] = []
        for mapping in source.entityMappings where !seen.insert(mapping.number).inserted {
            findings.append(
                ModelFinding(
                    .warning, rule: .duplicateMapping,
                    "two entity mappings have the number \(mapping.number), the second is “\(mapping.effectiveName)”",
                    at: mapping.origin, why: "The number decides the order in which entities are migrated.",
                    help: "Change the order of the entity mappings in Xcode, which numbers them again."))
        }
        return findings
    }

    /// Returns a finding if the copy of a model differs from the model itself.
    package static func staleCopy(
        _ copy: Model, of model: Model, path: String, at origin: ElementOrigin?
    ) -> ModelFinding? {
        let old = copy.versionHashes().entities
        let new = model.versionHashes().entities
        guard old != new else { return nil }
        let names = Set((old.elements + new.elements).map(\.name)).filter { old[$0] != new[$0] }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let list = names.prefix(5).map { "“\($0)”" }.joined(separator: ", ") + (names.count > 5 ? ", …" : "")
        let verb = names.count == 1 ? "has" : "have"
        return ModelFinding(
            .warning, rule: .staleModelCopy, "the copy of “\(path)” is out of date: \(list) \(verb) changed",
            at: origin,
            why:
                "A mapping model is compiled with the version hashes of its copies. Core Data then finds no mapping model for "
                + "the changed model.",
            help: "Open the mapping model in Xcode and choose Editor ▸ Refresh Data Models.")
    }

    private init(_ mapping: CompiledMapping, source: Model?, destination: Model?) {
        self.mapping = mapping
        self.source = source.map { MappedModel($0) }
        self.destination = destination.map { MappedModel($0) }
        names = Set(mapping.entityMappings.map(\.name))
    }

    private mutating func run() {
        var seen: Set<String> = []
        for entity in mapping.entityMappings {
            if !seen.insert(entity.name).inserted {
                add(
                    .error, rule: .duplicateMapping, message: "two entity mappings are named “\(entity.name)”",
                    at: entity.origin,
                    why: "Expressions refer to mappings by name, and find one of them only.",
                    help: "Rename one of them.")
            }
            checkEntities(of: entity)
            checkPolicy(of: entity)
            checkCoverage(of: entity)
            checkExpression(entity.sourceExpression, "the source expression", of: entity, at: entity.origin)
            for property in entity.attributeMappings + entity.relationshipMappings {
                checkExpression(property.value, "“\(property.name)”", of: entity, at: property.origin)
            }
        }
    }

    private mutating func add(
        _ severity: Severity, rule: RuleID, message: String, at origin: ElementOrigin?, why: String? = nil,
        help: String? = nil
    ) {
        findings.append(ModelFinding(severity, rule: rule, message, at: origin, why: why, help: help))
    }

    // MARK: Entities

    private mutating func checkEntities(of mapping: CompiledMapping.EntityMapping) {
        for (name, model, side) in [
            (mapping.sourceEntityName, source, "source"), (mapping.destinationEntityName, destination, "destination"),
        ] {
            guard let name, let model, model.entity(name) == nil else { continue }
            add(
                .error, rule: .unknownMappedEntity,
                message: "the mapping “\(mapping.name)” refers to “\(name)”, which is not in the \(side) model",
                at: mapping.origin, help: "Choose an entity of the model, or delete the mapping.")
        }
        if mapping.sourceEntityName == nil, mapping.destinationEntityName == nil {
            add(
                .warning, rule: .unknownMappedEntity,
                message: "the mapping “\(mapping.name)” has no source and no destination entity",
                at: mapping.origin, help: "Choose the entities, or delete the mapping.")
        }
    }

    private mutating func checkPolicy(of mapping: CompiledMapping.EntityMapping) {
        guard let name = mapping.policyClassName else { return }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1 || name.contains("$"), let module = parts.first else { return }
        let isShouted =
            module.contains("_") && module.unicodeScalars.allSatisfy { ("A"..."Z").contains($0) || $0 == "_" }
        guard module.isEmpty || isShouted || name.contains("$(") || name.contains("{") else { return }
        add(
            .warning, rule: .policyClassPlaceholder,
            message: "the policy class “\(name)” of “\(mapping.name)” has a placeholder instead of a module",
            at: mapping.origin,
            why: "Core Data looks the class up by this name. An app has to replace it before it migrates.",
            help: "Write the name of the module, or give the class an Objective-C name with @objc(Name).")
    }

    // MARK: Properties

    private mutating func checkCoverage(of mapping: CompiledMapping.EntityMapping) {
        guard let destination, let name = mapping.destinationEntityName, destination.entity(name) != nil else { return }
        for property in mapping.attributeMappings where destination.attribute(property.name, of: name) == nil {
            reportUnknown("attribute", property, of: mapping)
        }
        for property in mapping.relationshipMappings where destination.relationship(property.name, of: name) == nil {
            reportUnknown("relationship", property, of: mapping)
        }
        // A mapping without a source creates no objects, and a policy may set properties that no mapping sets.
        guard let sourceName = mapping.sourceEntityName, mapping.policyClassName == nil else { return }
        let mapped = Dictionary(
            (mapping.attributeMappings + mapping.relationshipMappings).map { ($0.name, $0) }
        ) { first, _ in first }
        for property in destination.propertyNames(of: name) {
            switch destination.property(property, of: name) {
            case .attribute(let attribute):
                guard !attribute.isTransient, !attribute.isDerived, attribute.defaultValue == nil,
                    attribute.defaultDateInterval == nil
                else { continue }
                if mapped[property] == nil {
                    reportUnmapped(property, isRequired: !attribute.isOptional, in: mapping)
                } else if mapped[property]?.value == nil, !attribute.isOptional {
                    add(
                        .warning, rule: .unmappedProperty,
                        message:
                            "the required attribute “\(property)” gets no value from the mapping “\(mapping.name)” and has no default",
                        at: mapped[property]?.origin ?? mapping.origin,
                        why: "Validation fails at the end of the migration.",
                        help: "Write a value expression, or give the attribute a default.")
                }
            case .relationship(let relationship):
                guard !relationship.isTransient else { continue }
                guard let found = mapped[property] else {
                    reportUnmapped(property, isRequired: !relationship.isOptional, in: mapping)
                    continue
                }
                guard found.value == nil, let old = source?.relationship(property, of: sourceName)
                else { continue }
                add(
                    .warning, rule: .mappingWithoutExpression,
                    message: "the relationship “\(property)” gets no value from the mapping “\(mapping.name)”",
                    at: found.origin ?? mapping.origin,
                    why: "No entity mapping leads from “\(old.destinationName ?? "")” to "
                        + "“\(relationship.destinationName ?? "")”, so there is no automatic expression.",
                    help: "Add that entity mapping, or write a value expression.")
            case .fetched, nil: break
            }
        }
    }

    private mutating func reportUnmapped(
        _ property: String, isRequired: Bool, in mapping: CompiledMapping.EntityMapping
    ) {
        add(
            .warning, rule: .unmappedProperty, message: "the mapping “\(mapping.name)” has no mapping of “\(property)”",
            at: mapping.origin,
            why: isRequired
                ? "The property is required and has no default: validation fails at the end of the migration."
                : "The values of the property are not migrated.",
            help: "Open the mapping model in Xcode, which adds the missing mappings.")
    }

    private mutating func reportUnknown(
        _ kind: String, _ property: CompiledMapping.PropertyMapping, of mapping: CompiledMapping.EntityMapping
    ) {
        add(
            .warning, rule: .unknownMappedProperty,
            message: "“\(mapping.destinationEntityName ?? "")” has no \(kind) “\(property.name)”",
            at: property.origin ?? mapping.origin,
            why: "The mapping “\(mapping.name)” would set a value that the entity cannot hold.",
            help: "Delete the mapping of the property, or correct its name.")
    }

    // MARK: Expressions

    private mutating func checkExpression(
        _ expression: MappingExpression?, _ what: String, of mapping: CompiledMapping.EntityMapping,
        at origin: ElementOrigin?
    ) {
        guard let tree = expression?.tree else { return }
        var unknown: [String] = []
        var bare: [String] = []
        var hasSubquery = false
        tree.visitExpressions { part in
            switch part {
            case .function(let call) where call.operand == MappingNames.manager:
                if call.selector == MappingNames.instancesOfMapping,
                    case .constant(.string(let name))? = call.arguments.first,
                    !names.contains(name)
                {
                    unknown.append(name)
                }
            case .keyPath(let path) where path.startsAtEvaluatedObject: bare.append(path.keyPath.string)
            case .subquery: hasSubquery = true
            default: break
            }
        }
        for name in unknown {
            add(
                .error, rule: .unknownMappingName,
                message:
                    "the expression of \(what) in “\(mapping.name)” refers to the mapping “\(name)”, which does not exist",
                at: origin ?? mapping.origin, help: "Write the name of an entity mapping of this mapping model.")
        }
        // Within a subquery, key paths may begin at its elements.
        guard !hasSubquery, let path = bare.first else { return }
        add(
            .warning, rule: .bareMappingKeyPath,
            message: "the key path “\(path)” in the expression of \(what) in “\(mapping.name)” has no object",
            at: origin ?? mapping.origin, why: "An expression of a mapping model is evaluated without an object.",
            help: "Write “$source.\(path)”.")
    }
}
