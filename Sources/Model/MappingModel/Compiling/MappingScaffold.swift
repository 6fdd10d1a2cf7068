internal import CompiledMapping
internal import ModelSchema

/// Creates the mapping model that Xcode's editor creates when a mapping model is added to a project
/// (Documentation/Formats/MappingModel.md, 1.2 and 2.4).
package struct MappingScaffold {
    /// The elements of the destination that correspond to elements of the source.
    package struct Names: Sendable {
        /// The source entity by destination entity.
        package var entities: [String: String] = [:]
        /// The source property by destination entity and destination property, including inherited properties.
        package var properties: [String: [String: String]] = [:]

        /// Creates a table without entities.
        package init() {}
    }

    private let source: MappedModel
    private let destination: MappedModel
    private let names: Names
    private let automatic: AutomaticExpressions

    /// Creates a mapping model with an entity mapping for each concrete entity of the destination, and a property
    /// mapping for each of its stored attributes and relationships.
    ///
    /// Renamed properties get an explicit expression; all others are left to the compiler.
    ///
    /// - Parameters:
    ///   - name: The name of the mapping model.
    ///   - source: The source model, which is copied into the mapping model.
    ///   - destination: The destination model, which is also copied.
    ///   - names: The names in the source. Entities and properties that are missing in it are new.
    /// - Returns: The mapping model. `EditorModel.encoded` reports the parts of the models that its copies cannot
    ///   express.
    package static func make(
        named name: String, from source: MappingDecompiler.NamedModel, to destination: MappingDecompiler.NamedModel,
        _ names: Names
    ) -> MappingSource {
        func copy(_ model: MappingDecompiler.NamedModel) -> MappingSource.ModelCopy {
            MappingSource.ModelCopy(path: model.path, data: EditorModel.encoded(model.model).bytes)
        }
        var mapping = MappingSource(name: name, sourceModel: copy(source), destinationModel: copy(destination))
        let scaffold = MappingScaffold(source: source.model, destination: destination.model, names: names)
        mapping.entityMappings = scaffold.entityMappings()
        return mapping
    }

    private init(source: Model, destination: Model, names: Names) {
        self.source = MappedModel(source)
        self.destination = MappedModel(destination)
        self.names = names
        automatic = AutomaticExpressions(
            source: self.source, destination: self.destination,
            mappings: Self.outlines(destination, names).map {
                AutomaticExpressions.Mapping(
                    name: $0.effectiveName, source: $0.sourceName, destination: $0.destinationName)
            })
    }

    /// Returns the entity mappings without their property mappings.
    private static func outlines(_ destination: Model, _ names: Names) -> [MappingSource.EntityMapping] {
        destination.entities.filter { !$0.isAbstract }.map(\.name)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.enumerated().map { index, name in
                MappingSource.EntityMapping(
                    number: index + 1, sourceName: names.entities[name], destinationName: name)
            }
    }

    private func entityMappings() -> [MappingSource.EntityMapping] {
        Self.outlines(destination.model, names).map { outline in
            var mapping = outline
            guard let entity = outline.destinationName else { return mapping }
            for name in destination.propertyNames(of: entity) {
                switch destination.property(name, of: entity) {
                case .attribute(let attribute) where !attribute.isTransient && !attribute.isDerived:
                    mapping.attributeMappings.append(attributeMapping(name, of: outline))
                case .relationship(let relationship) where !relationship.isTransient:
                    mapping.relationshipMappings.append(relationshipMapping(name, of: outline))
                case .attribute, .relationship, .fetched, nil: break
                }
            }
            return mapping
        }
    }

    private func attributeMapping(
        _ name: String, of mapping: MappingSource.EntityMapping
    ) -> MappingSource.PropertyMapping {
        guard let oldName = oldName(of: name, mapping), let entity = mapping.sourceName,
            source.attribute(oldName, of: entity) != nil
        else { return MappingSource.PropertyMapping(name: name) }
        return MappingSource.PropertyMapping(name: name, value: .tree(AutomaticExpressions.value(oldName)))
    }

    private func relationshipMapping(
        _ name: String, of mapping: MappingSource.EntityMapping
    ) -> MappingSource.PropertyMapping {
        guard let oldName = oldName(of: name, mapping) else { return MappingSource.PropertyMapping(name: name) }
        let value = automatic.relationship(
            oldName, from: mapping.sourceName, to: mapping.destinationName, renamedTo: name)
        return MappingSource.PropertyMapping(name: name, value: value)
    }

    /// Returns the name in the source of a renamed property; `nil` for other properties.
    private func oldName(of name: String, _ mapping: MappingSource.EntityMapping) -> String? {
        guard mapping.sourceName != nil, let entity = mapping.destinationName,
            let oldName = names.properties[entity]?[name], oldName != name
        else { return nil }
        return oldName
    }
}
