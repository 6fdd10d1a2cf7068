internal import Foundation
internal import PredicateSyntax

/// Resolves a mapping model against both models, and rejects an incompatible one before anything is written.
struct MappingValidation {
    private let source: MigrationStack
    private let destination: MigrationStack

    init(_ source: MigrationStack, _ destination: MigrationStack) {
        self.source = source
        self.destination = destination
    }

    /// Returns the migrations of all entity mappings.
    ///
    /// - Throws: An error with the code 134110 for a mapping that does not fit the models, or 134170 for a missing
    ///   policy.
    func migrations(for model: NSMappingModel, manager: NSMigrationManager) throws -> [EntityMigration] {
        let mappings = model.entityMappings ?? []
        let names = Set(mappings.map { $0.name ?? "" })
        return try mappings.map { try migration($0, names: names, manager: manager) }
    }

    private func migration(
        _ mapping: NSEntityMapping, names: Set<String>, manager: NSMigrationManager
    ) throws -> EntityMigration {
        let before = try entity(
            mapping.sourceEntityName, hash: mapping.sourceEntityVersionHash, stack: source, side: "source", of: mapping)
        let after = try entity(
            mapping.destinationEntityName, hash: mapping.destinationEntityVersionHash, stack: destination,
            side: "destination", of: mapping
        )
        if let expression = mapping.sourceExpression {
            try check(expression, mapping: mapping, property: nil, before: before, after: after, names: names)
        }
        let policy = try policy(of: mapping, manager)
        if let after, after.isAbstract, before != nil, type(of: policy) == NSEntityMigrationPolicy.self {
            throw MigrationErrors.mapping(
                mapping, reason: "the destination entity is abstract and cannot have objects",
                help: "Map to one of its subentities, or make it concrete")
        }
        var attributes: [EntityMigration.Attribute] = []
        for property in mapping.attributeMappings ?? [] {
            if let attribute = try attribute(property, mapping: mapping, before: before, after: after, names: names) {
                attributes.append(attribute)
            }
        }
        var relationships: [EntityMigration.Relationship] = []
        for property in mapping.relationshipMappings ?? [] {
            if let relationship = try relationship(
                property, mapping: mapping, before: before, after: after, names: names)
            {
                relationships.append(relationship)
            }
        }
        return EntityMigration(
            mapping, source: before, destination: after, policy: policy, attributes: attributes,
            relationships: relationships)
    }

    // MARK: Entities and policies

    private func entity(
        _ name: String?, hash: Data?, stack: MigrationStack, side: String, of mapping: NSEntityMapping
    ) throws -> NSEntityDescription? {
        guard let name, !name.isEmpty else { return nil }
        guard let entity = stack.entity(named: name) else {
            throw MigrationErrors.mapping(
                mapping, reason: "the \(side) model has no entity “\(name)”",
                help: "Update the mapping model, or pass the models that it was made for")
        }
        if let hash, hash != entity.versionHash {
            throw MigrationErrors.mapping(
                mapping,
                reason:
                    "the mapping model was made for another version of the \(side) entity “\(name)”: the version hashes differ",
                help: "Refresh the mapping model for the current versions and compile it again")
        }
        return entity
    }

    private func policy(of mapping: NSEntityMapping, _ manager: NSMigrationManager) throws -> NSEntityMigrationPolicy {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else {
            guard mapping.mappingType != .customEntityMappingType else {
                throw MigrationErrors.mapping(
                    mapping, reason: "its type is “custom”, and it names no migration policy",
                    help: "Set entityMigrationPolicyClassName", code: .entityMigrationPolicy)
            }
            return NSEntityMigrationPolicy()
        }
        guard let policyClass = MigrationPolicies.policyClass(named: name) else {
            throw MigrationErrors.mapping(
                mapping, reason: "there is no class “\(name)” that inherits from NSEntityMigrationPolicy",
                help:
                    "Link the target that declares it, and check the name of the class and its module in the mapping model",
                code: .entityMigrationPolicy)
        }
        let policy = policyClass.init(_creating: ())
        policy.callingManager = manager
        return policy
    }

    // MARK: Properties

    private func attribute(
        _ property: NSPropertyMapping, mapping: NSEntityMapping, before: NSEntityDescription?,
        after: NSEntityDescription?, names: Set<String>
    ) throws -> EntityMigration.Attribute? {
        guard let after, let name = property.name, let expression = property.valueExpression else { return nil }
        guard let attribute = after.attributesByName[name], let slot = after.objectLayout().index(of: name) else {
            throw unknownProperty(name, kind: "attribute", mapping: mapping, entity: after)
        }
        try check(expression, mapping: mapping, property: name, before: before, after: after, names: names)
        var copied: Int?
        var isSameType = false
        var source: NSAttributeDescription?
        if let before, case .keyPath(let path) = expression.tree.syntax,
            path.operand == .variable(NSMigrationSourceObjectKey), path.keyPath.keys.count == 1,
            let key = path.keyPath.keys.first, let old = before.attributesByName[key]
        {
            try checkTransformer(of: old, to: attribute, mapping, property: name)
            source = old
            copied = before.objectLayout().index(of: key)
            isSameType =
                old.attributeType == attribute.attributeType && !(old is NSCompositeAttributeDescription)
                && !(attribute is NSCompositeAttributeDescription)
        }
        return EntityMigration.Attribute(
            mapping: property, description: attribute, slot: slot, expression: expression, copiedSlot: copied,
            isSameType: isSameType,
            composite: (attribute as? NSCompositeAttributeDescription).map {
                CompositeConversion($0, from: source as? NSCompositeAttributeDescription)
            })
    }

    /// Without the transformer, stored values read as `nil`, and the migration would drop them. Between attributes with
    /// the same transformer, the bytes are copied as they are.
    private func checkTransformer(
        of attribute: NSAttributeDescription, to new: NSAttributeDescription, _ mapping: NSEntityMapping,
        property: String
    ) throws {
        guard attribute.attributeType == .transformableAttributeType, let name = attribute.valueTransformerName,
            new.attributeType != .transformableAttributeType || new.valueTransformerName != name,
            !name.isEmpty, name != "NSKeyedUnarchiveFromData",
            ValueTransformer.registered(NSValueTransformerName(name)) == nil
        else { return }
        throw MigrationErrors.mapping(
            mapping, property: property,
            reason: "there is no value transformer “\(name)”, so its values cannot be read",
            help: "Register it with ValueTransformer.setValueTransformer(_:forName:) before the migration")
    }

    private func relationship(
        _ property: NSPropertyMapping, mapping: NSEntityMapping, before: NSEntityDescription?,
        after: NSEntityDescription?, names: Set<String>
    ) throws -> EntityMigration.Relationship? {
        guard let after, let name = property.name, let expression = property.valueExpression else { return nil }
        guard let relationship = after.relationshipsByName[name], let slot = after.objectLayout().index(of: name) else {
            throw unknownProperty(name, kind: "relationship", mapping: mapping, entity: after)
        }
        try check(expression, mapping: mapping, property: name, before: before, after: after, names: names)
        return EntityMigration.Relationship(
            mapping: property, description: relationship, slot: slot, expression: expression)
    }

    private func unknownProperty(
        _ name: String, kind: String, mapping: NSEntityMapping, entity: NSEntityDescription
    ) -> NSError {
        MigrationErrors.mapping(
            mapping, property: name, reason: "the destination entity “\(entity.name ?? "")” has no \(kind) “\(name)”",
            help: "Remove the property mapping, or update the mapping model")
    }

    private func check(
        _ expression: NSExpression, mapping: NSEntityMapping, property: String?, before: NSEntityDescription?,
        after: NSEntityDescription?, names: Set<String>
    ) throws {
        let tree = expression.tree
        guard let problem = MappingKeys.problem(in: tree, source: before, destination: after, mappingNames: names)
        else {
            return
        }
        throw MigrationErrors.mapping(
            mapping, property: property, reason: "the expression “\(tree.format)” is not valid: \(problem)",
            help: "Correct the expression in the mapping model")
    }
}
