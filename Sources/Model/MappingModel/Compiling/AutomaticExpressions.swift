internal import CompiledMapping
internal import ModelSchema
internal import PredicateSyntax

/// The expressions that Apple's compiler generates where the user wrote none (Documentation/Formats/MappingModel.md,
/// 2.4 and 2.5).
struct AutomaticExpressions {
    /// The entities and the name of an entity mapping.
    struct Mapping {
        var name: String
        var source: String?
        var destination: String?
    }

    let source: MappedModel
    let destination: MappedModel
    /// The name of the first mapping for each pair of entities.
    private var names: [[String]: String] = [:]
    /// The destination entities that have a mapping.
    private var mapped: Set<String> = []

    init(source: MappedModel, destination: MappedModel, mappings: [Mapping]) {
        self.source = source
        self.destination = destination
        for mapping in mappings {
            guard let destination = mapping.destination else { continue }
            mapped.insert(destination)
            if let source = mapping.source, names[[source, destination]] == nil {
                names[[source, destination]] = mapping.name
            }
        }
    }

    /// Returns the expression for the source objects of a mapping.
    static func sourceExpression(entity: String, filter: String?) -> MappingExpression {
        let request = FunctionCall(
            operand: MappingNames.manager, selector: MappingNames.fetchRequest,
            arguments: [.string(entity), .string(filter ?? MappingNames.allObjects)])
        return .tree(
            .fetch(
                FetchExpression(
                    request: .function(request), context: MappingNames.manager.appending("sourceContext"),
                    countOnly: false)))
    }

    /// Returns the expression for an attribute: the value of the source entity's attribute with the same name; `nil` if
    /// there is none.
    func attribute(_ name: String, from entity: String?) -> MappingExpression? {
        guard let entity, source.attribute(name, of: entity) != nil else { return nil }
        return .tree(Self.value(name))
    }

    /// Returns the expression for a relationship: the migrated objects of the source entity's relationship with the
    /// same name; `nil` if there is none, or no entity mapping for its objects.
    ///
    /// - Parameters:
    ///   - newName: The relationship's name in the destination, if it was renamed.
    ///   - keyPath: The expression whose value is migrated instead of the relationship's.
    func relationship(
        _ name: String, from entity: String?, to other: String?, renamedTo newName: String? = nil,
        keyPath: PredicateSyntax.Expression? = nil
    ) -> MappingExpression? {
        guard let entity, let other, let relationship = source.relationship(name, of: entity),
            let target = relationship.destinationName,
            let newTarget = destination.relationship(newName ?? name, of: other)?.destinationName
        else { return nil }
        let value = keyPath ?? Self.value(name)
        if destination.subentities(of: newTarget).contains(where: { mapped.contains($0) }) {
            return Self.call(MappingNames.instancesOfRelationship, name: name, value: value)
        }
        guard let mapping = names[[target, newTarget]] else { return nil }
        return Self.call(MappingNames.instancesOfMapping, name: mapping, value: value)
    }

    /// Returns the expression for the migrated objects of a mapping.
    static func instances(of mapping: String, from value: PredicateSyntax.Expression) -> MappingExpression {
        call(MappingNames.instancesOfMapping, name: mapping, value: value)
    }

    /// Returns `$source.name`.
    static func value(_ name: String) -> PredicateSyntax.Expression {
        MappingNames.source.appending(DottedKeyPath(keys: [name]))
    }

    private static func call(
        _ selector: String, name: String, value: PredicateSyntax.Expression
    ) -> MappingExpression {
        .tree(
            .function(
                FunctionCall(
                    operand: MappingNames.manager, selector: selector, arguments: [.string(name), value])))
    }
}
