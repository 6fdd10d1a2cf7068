internal import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

/// One entity mapping of a migration, resolved against the models.
final class EntityMigration {
    /// An attribute and the source of its value.
    struct Attribute {
        let mapping: NSPropertyMapping
        let description: NSAttributeDescription
        let slot: Int
        let expression: NSExpression
        /// The slot of the source object whose value is copied; `nil` if the expression must be evaluated.
        let copiedSlot: Int?
        /// Whether source and destination slots hold values of the same type.
        let isSameType: Bool
        /// The conversion of the elements of a composite attribute; `nil` for other attributes.
        let composite: CompositeConversion?
    }

    /// A relationship and the source of its objects.
    struct Relationship {
        let mapping: NSPropertyMapping
        let description: NSRelationshipDescription
        let slot: Int
        let expression: NSExpression
    }

    let mapping: NSEntityMapping
    let source: NSEntityDescription?
    let destination: NSEntityDescription?
    let policy: NSEntityMigrationPolicy
    let attributes: [Attribute]
    let relationships: [Relationship]
    /// The associations of source objects and created objects.
    var associations = MigrationAssociations()

    init(
        _ mapping: NSEntityMapping, source: NSEntityDescription?, destination: NSEntityDescription?,
        policy: NSEntityMigrationPolicy, attributes: [Attribute], relationships: [Relationship]
    ) {
        self.mapping = mapping
        self.source = source
        self.destination = destination
        self.policy = policy
        self.attributes = attributes
        self.relationships = relationships
    }

    /// Whether the second pass has work to do for each object.
    var setsRelationships: Bool { !relationships.isEmpty || type(of: policy) != NSEntityMigrationPolicy.self }

    // MARK: Values

    func setAttributes(of object: NSManagedObject, from source: NSManagedObject, _ manager: NSMigrationManager) throws {
        // A policy may pass an object of another entity, whose slots are different.
        let hasSlots = self.source.map { source.entity.isKindOf(entity: $0) } ?? false
        for attribute in attributes {
            if hasSlots, let slot = attribute.copiedSlot {
                let value = source.realizedSlots()[slot]
                if value.isNull, attribute.mapping.fillsInDefault { continue }
                if attribute.isSameType || value.isNull {
                    object.setAttribute(value, at: attribute.slot)
                } else {
                    try set(try reading(attribute) { source.anyValue(at: slot) }, attribute, of: object)
                }
            } else {
                let value = try reading(attribute) {
                    try manager.value(
                        of: attribute.expression, in: self, property: attribute.mapping, source: source,
                        destination: object)
                }
                try set(value, attribute, of: object)
            }
        }
    }

    /// Returns the value of an attribute.
    ///
    /// - Throws: An error for a value of the source that cannot be read: the new store would have `nil` in its place.
    private func reading(_ attribute: Attribute, _ value: () throws -> Any?) throws -> Any? {
        do {
            return try UnreadableValue.throwing(value)
        } catch let error as UnreadableValue {
            throw MigrationErrors.mapping(
                mapping, property: attribute.description.name,
                reason: "a value of the source that it is made of cannot be read: \(error)",
                help: UnreadableValue.migrationHelp)
        }
    }

    private func set(_ value: Any?, _ attribute: Attribute, of object: NSManagedObject) throws {
        guard let value = Unwrapping.value(value) else {
            return object.setAttribute(.null, at: attribute.slot)
        }
        do throws(MigrationValue.UnsupportedValue) {
            let converted: SlotValue
            if let composite = attribute.composite {
                converted = .object(try composite.dictionary(value))
            } else {
                converted = try MigrationValue.slotValue(value, attribute.description)
            }
            object.setAttribute(converted, at: attribute.slot)
        } catch {
            throw MigrationErrors.mapping(
                mapping, property: attribute.description.name, reason: error.reason,
                help: "Convert the value in a migration policy, or change the type of the attribute")
        }
    }

    /// Sets the relationships of a destination object.
    func setRelationships(of object: NSManagedObject, from source: NSManagedObject?, _ manager: NSMigrationManager)
        throws
    {
        for relationship in relationships {
            let value = try manager.value(
                of: relationship.expression, in: self, property: relationship.mapping, source: source,
                destination: object)
            let found = try members(value, relationship: relationship, manager: manager)
            let members = found.filter { isFree($0, for: relationship, of: object, manager) }
            // Others keep what they have from this migration.
            if members.isEmpty, !found.isEmpty { continue }
            manager.exclusiveMembers?.add(members, of: relationship.description)
            if relationship.description.isToMany {
                if members.isEmpty { continue }
                // What the other ends have set stays.
                let others = object.toMany(at: relationship.slot).members
                let own = Set(members.map { ObjectIdentifier($0) })
                object.setToMany(members + others.filter { !own.contains(ObjectIdentifier($0)) }, at: relationship.slot)
            } else if !members.isEmpty || object.toOne(at: relationship.slot) == nil {
                object.setToOne(members.first, at: relationship.slot)
            }
        }
    }

    /// Returns whether an object can be set as the destination of a relationship.
    ///
    /// Several source objects may refer to one that can now have only one owner: its inverse is to-one, or the to-many
    /// relationship has no inverse. The first of them keeps it, as in a migration in place; the others would take it
    /// from each other.
    private func isFree(
        _ member: NSManagedObject, for relationship: Relationship, of object: NSManagedObject,
        _ manager: NSMigrationManager
    ) -> Bool {
        let description = relationship.description
        if description.isToMany, object.toMany(at: relationship.slot).contains(member) { return true }
        guard let inverse = description.inverseRelationship else {
            return manager.exclusiveMembers?.contains(member, of: description) != true
        }
        guard !inverse.isToMany, let index = member.layout.index(of: inverse.name),
            let partner = member.toOne(at: index)
        else { return true }
        return partner === object
    }

    private func members(
        _ value: Any?, relationship: Relationship, manager: NSMigrationManager
    ) throws -> [NSManagedObject] {
        try MigrationValue.elements(of: value).map { element in
            guard let member = element as? NSManagedObject, member.managedObjectContext === manager.destinationContext
            else {
                throw MigrationErrors.mapping(
                    mapping, property: relationship.description.name,
                    reason:
                        "its expression gives \(element is NSManagedObject ? "a source object" : "a \(type(of: element))") "
                        + "where a destination object is needed",
                    help:
                        "Use FUNCTION($manager, \"\(MigrationSelectors.instancesOfMapping)\", \"mapping\", $source.relationship)"
                )
            }
            if let target = relationship.description.destinationEntity, !member.entity.isKindOf(entity: target) {
                throw MigrationErrors.mapping(
                    mapping, property: relationship.description.name,
                    reason:
                        "its expression gives an object of the entity “\(member.entity.name ?? "")”, and the relationship "
                        + "has the destination “\(target.name ?? "")”",
                    help: "Correct the name of the entity mapping in the expression")
            }
            return member
        }
    }
}

extension UnreadableValue {
    /// What to do before a migration that reads the value.
    static let migrationHelp = "Register the value transformer, or restore the external file, before the migration"
}
