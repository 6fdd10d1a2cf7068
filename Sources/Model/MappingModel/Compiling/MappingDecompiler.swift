package import CompiledMapping
internal import Diagnostics
package import ModelSchema
internal import PredicateSyntax

/// Reconstructs the source of a compiled mapping model (Documentation/Formats/MappingModel.md, 2.7).
package struct MappingDecompiler {
    /// A model of a mapping model, with its path in the source.
    package struct NamedModel {
        /// The path, relative to the project.
        package var path: String
        package var model: Model

        /// Creates a named model.
        package init(path: String, model: Model) {
            self.path = path
            self.model = model
        }
    }

    /// The result of reconstructing a source.
    package struct Result: Sendable {
        package var source: MappingSource
        /// The findings about parts that the source cannot express.
        package var findings: [ModelFinding]
    }

    /// Reconstructs a source: names and expressions are written only where they differ from the automatic ones.
    ///
    /// Without the models, an attribute's `$source.name` counts as automatic, and every expression of a relationship is
    /// written.
    ///
    /// - Parameters:
    ///   - mapping: The compiled mapping model.
    ///   - name: The name of the mapping model.
    ///   - models: The source and the destination model, which are copied into the source; `nil` leaves the copies out.
    package static func decompile(
        _ mapping: CompiledMapping, name: String, models: (source: NamedModel, destination: NamedModel)?
    ) -> Result {
        var source = MappingSource(name: name)
        var findings: [ModelFinding] = []
        var automatic: AutomaticExpressions?
        if let models {
            let sourceCopy = EditorModel.encoded(models.source.model)
            let destinationCopy = EditorModel.encoded(models.destination.model)
            source.sourceModel = MappingSource.ModelCopy(path: models.source.path, data: sourceCopy.bytes)
            source.destinationModel = MappingSource.ModelCopy(
                path: models.destination.path, data: destinationCopy.bytes)
            findings += sourceCopy.findings + destinationCopy.findings
            automatic = AutomaticExpressions(
                source: MappedModel(models.source.model), destination: MappedModel(models.destination.model),
                mappings: mapping.entityMappings.map {
                    AutomaticExpressions.Mapping(
                        name: $0.name, source: $0.sourceEntityName, destination: $0.destinationEntityName)
                })
        } else {
            findings.append(
                ModelFinding(
                    .warning, rule: .incompleteMappingSource, "the source contains no copies of the two models",
                    at: nil,
                    why:
                        "A compiled mapping model names its entities and their version hashes only. Xcode may not open the "
                        + "source.",
                    help: "Specify the models with --source-model and --destination-model."))
        }
        for (index, entity) in mapping.entityMappings.enumerated() {
            source.entityMappings.append(
                decompile(entity, number: index + 1, automatic: automatic, findings: &findings))
        }
        return Result(source: source, findings: findings)
    }

    private static func decompile(
        _ entity: CompiledMapping.EntityMapping, number: Int, automatic: AutomaticExpressions?,
        findings: inout [ModelFinding]
    ) -> MappingSource.EntityMapping {
        var mapping = MappingSource.EntityMapping(
            number: number, sourceName: entity.sourceEntityName, destinationName: entity.destinationEntityName)
        if mapping.effectiveName != entity.name { mapping.name = entity.name }
        mapping.policyClassName = entity.policyClassName
        mapping.userInfo = entity.userInfo
        if let expression = entity.sourceExpression, let name = entity.sourceEntityName {
            if let filter = filter(in: expression, entity: name) {
                if filter != MappingNames.allObjects { mapping.sourceFilter = filter }
            } else {
                mapping.sourceExpression = expression
            }
        }
        mapping.attributeMappings = entity.attributeMappings.map { property in
            let usual =
                automatic.map { $0.attribute(property.name, from: entity.sourceEntityName) }
                ?? (entity.sourceEntityName == nil ? nil : .tree(AutomaticExpressions.value(property.name)))
            return decompile(property, automatic: usual, isKnown: automatic != nil, entity: entity, findings: &findings)
        }
        mapping.relationshipMappings = entity.relationshipMappings.map { property in
            let usual = automatic?.relationship(
                property.name, from: entity.sourceEntityName, to: entity.destinationEntityName)
            return decompile(property, automatic: usual, isKnown: automatic != nil, entity: entity, findings: &findings)
        }
        return mapping
    }

    private static func decompile(
        _ property: CompiledMapping.PropertyMapping, automatic: MappingExpression?, isKnown: Bool,
        entity: CompiledMapping.EntityMapping, findings: inout [ModelFinding]
    ) -> MappingSource.PropertyMapping {
        var mapping = MappingSource.PropertyMapping(name: property.name)
        mapping.userInfo = property.userInfo
        if let value = property.value {
            if value != automatic { mapping.value = value }
        } else if isKnown, automatic != nil, entity.sourceEntityName != nil {
            findings.append(
                ModelFinding(
                    .warning, rule: .incompleteMappingSource,
                    "the mapping “\(entity.name)” leaves “\(property.name)” without a value, which a source cannot express",
                    at: nil, why: "Compiled again, the property gets its automatic expression."))
        }
        return mapping
    }

    /// Returns the predicate in an automatic source expression; `nil` for any other expression.
    private static func filter(in expression: MappingExpression, entity: String) -> String? {
        guard case .fetch(let fetch)? = expression.tree, case .function(let call) = fetch.request,
            call.arguments.count == 2, case .constant(.string(let filter)) = call.arguments[1],
            AutomaticExpressions.sourceExpression(entity: entity, filter: filter) == expression
        else { return nil }
        return filter
    }
}
