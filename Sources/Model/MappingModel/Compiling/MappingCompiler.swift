package import CompiledMapping
internal import Diagnostics
package import ModelSchema
internal import PredicateSyntax

/// Compiles a mapping model from a source and its two models (Documentation/Formats/MappingModel.md, 2).
package struct MappingCompiler {
    private let source: MappedModel
    private let destination: MappedModel
    private var findings: [ModelFinding] = []

    /// The result of compiling a mapping model.
    package struct Result: Sendable {
        /// The mapping model.
        package var mapping: CompiledMapping
        /// Warnings about parts whose form in Apple's files is unproven, and errors about parts that cannot be
        /// compiled.
        package var findings: [ModelFinding]
    }

    /// Compiles a mapping model.
    ///
    /// Entities that the models do not have get no version hash; `MappingCheck` reports them.
    package static func compile(_ mapping: MappingSource, source: Model, destination: Model) -> Result {
        var compiler = MappingCompiler(source: source, destination: destination)
        let compiled = compiler.compile(mapping)
        return Result(mapping: compiled, findings: compiler.findings)
    }

    private init(source: Model, destination: Model) {
        self.source = MappedModel(source)
        self.destination = MappedModel(destination)
    }

    private mutating func compile(_ mapping: MappingSource) -> CompiledMapping {
        // Sorted by number; entries with equal numbers keep the order of the list.
        let entities = mapping.entityMappings.enumerated()
            .sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }.map(\.element)
        let automatic = AutomaticExpressions(
            source: source, destination: destination,
            mappings: entities.map {
                AutomaticExpressions.Mapping(
                    name: $0.effectiveName, source: $0.sourceName, destination: $0.destinationName)
            })
        var compiled = CompiledMapping()
        for entity in entities { compiled.entityMappings.append(compile(entity, automatic)) }
        return compiled
    }

    private mutating func compile(
        _ entity: MappingSource.EntityMapping, _ automatic: AutomaticExpressions
    ) -> CompiledMapping.EntityMapping {
        var mapping = CompiledMapping.EntityMapping(name: entity.effectiveName, type: type(of: entity))
        mapping.origin = entity.origin
        mapping.sourceEntityName = entity.sourceName
        mapping.destinationEntityName = entity.destinationName
        mapping.sourceEntityHash = entity.sourceName.flatMap { source.hashes[$0] }
        mapping.destinationEntityHash = entity.destinationName.flatMap { destination.hashes[$0] }
        mapping.policyClassName = entity.policyClassName
        mapping.userInfo = entity.userInfo
        if entity.userInfo != nil { report(unproven: "the user info of a mapping", at: entity.origin) }
        if let name = entity.sourceName {
            if let expression = entity.sourceExpression {
                report(unproven: "a source expression", at: entity.origin)
                mapping.sourceExpression = expression
            } else {
                if let filter = entity.sourceFilter { checkFilter(filter, at: entity.origin) }
                mapping.sourceExpression = AutomaticExpressions.sourceExpression(
                    entity: name, filter: entity.sourceFilter)
            }
        }
        mapping.attributeMappings = Self.sorted(
            entity.attributeMappings.map { property in
                compile(
                    property, automatic: automatic.attribute(property.name, from: entity.sourceName), entity: entity)
            })
        mapping.relationshipMappings = Self.sorted(
            entity.relationshipMappings.map { property in
                let value = relationshipValue(property, of: entity, automatic)
                return compile(property, automatic: value, entity: entity)
            })
        return mapping
    }

    private mutating func compile(
        _ property: MappingSource.PropertyMapping, automatic: MappingExpression?,
        entity: MappingSource.EntityMapping
    ) -> CompiledMapping.PropertyMapping {
        // A mapping that adds objects has no automatic expressions; custom ones, which no sample shows, are kept.
        let value = property.value ?? (entity.sourceName == nil ? nil : automatic)
        var mapping = CompiledMapping.PropertyMapping(name: property.name, value: value)
        mapping.userInfo = property.userInfo
        mapping.origin = property.origin
        if property.userInfo != nil { report(unproven: "the user info of a mapping", at: property.origin) }
        return mapping
    }

    private mutating func relationshipValue(
        _ property: MappingSource.PropertyMapping, of entity: MappingSource.EntityMapping,
        _ automatic: AutomaticExpressions
    ) -> MappingExpression? {
        guard property.value == nil, entity.sourceName != nil else { return nil }
        var keyPath: PredicateSyntax.Expression?
        if let text = property.sourceKeyPath {
            do {
                keyPath = try PredicateParser.parseExpression(text)
            } catch {
                findings.append(
                    ModelFinding(
                        .error, rule: .unreadableMappingExpression,
                        "the key path “\(text)” of “\(property.name)” cannot be read: \(error.message)",
                        at: property.origin))
            }
        }
        guard property.sourceMappingName != nil || keyPath != nil else {
            return automatic.relationship(property.name, from: entity.sourceName, to: entity.destinationName)
        }
        report(unproven: "a relationship with a mapping name or a key path", at: property.origin)
        if let name = property.sourceMappingName {
            return AutomaticExpressions.instances(
                of: name, from: keyPath ?? AutomaticExpressions.value(property.name))
        }
        return automatic.relationship(
            property.name, from: entity.sourceName, to: entity.destinationName, keyPath: keyPath)
    }

    private static func sorted(_ mappings: [CompiledMapping.PropertyMapping]) -> [CompiledMapping.PropertyMapping] {
        mappings.enumerated().sorted { first, second in
            if first.element.name == second.element.name { return first.offset < second.offset }
            return first.element.name.utf8.lexicographicallyPrecedes(second.element.name.utf8)
        }.map(\.element)
    }

    /// Returns the type of a mapping (Documentation/Formats/MappingModel.md, 2.3).
    private func type(of mapping: MappingSource.EntityMapping) -> CompiledMapping.MappingType {
        switch (mapping.sourceName, mapping.destinationName) {
        case (nil, nil): .undefined
        case (nil, _): .add
        case (_, nil): .remove
        case (let name?, let other?):
            if mapping.policyClassName != nil {
                .custom
            } else {
                source.isCopied(name, to: other, in: destination) ? .copy : .transform
            }
        }
    }

    private mutating func checkFilter(_ text: String, at origin: ElementOrigin?) {
        do {
            _ = try PredicateParser.parsePredicate(text)
            report(unproven: "a source filter", at: origin)
        } catch {
            findings.append(
                ModelFinding(
                    .error, rule: .invalidPredicate,
                    "the source filter “\(text)” cannot be read: \(error.message), at character \(error.column)",
                    at: origin))
        }
    }

    private mutating func report(unproven what: String, at origin: ElementOrigin?) {
        findings.append(
            ModelFinding(
                .warning, rule: .unprovenArchiveForm, "\(what) is compiled to an unproven form", at: origin,
                why: "No output of Apple's compiler with it was available for comparison."))
    }
}
