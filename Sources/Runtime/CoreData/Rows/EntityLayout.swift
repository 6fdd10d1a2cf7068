internal import CCoreDataSupport
internal import Foundation
internal import ModelSchema
public import RuntimeSupport

/// The layout of an entity's objects: a numbered slot for each property, inherited ones first.
///
/// Created once when the entity's model is first used. Immutable and thread-safe.
@usableFromInline
package final class EntityLayout: WeakLinkTarget, @unchecked Sendable {
    /// A property.
    package struct Slot {
        package var name: String
        package var kind: Kind
        package var isTransient: Bool
        var isOptional: Bool
        /// The description. Retained by its model, which the layout retains.
        package unowned(unsafe) var property: NSPropertyDescription
        /// The slot of the inverse in the layout of the destination; -1 for none.
        var inverse = -1
        /// Whether a value can fail validation.
        var hasConditions = false
        /// Whether any value of a required attribute or to-one relationship is valid.
        var needsOnlyValue = false
        var inverseIsToMany = false
        /// The entity at the other end of a relationship.
        var destination: ObjectIdentifier?
        /// The name of that entity's root entity; empty for none.
        var destinationRoot = ""
        var deleteRule = NSDeleteRule.nullifyDeleteRule
    }

    /// The kind of a slot.
    package enum Kind: Equatable {
        case attribute(NSAttributeType)
        case toOne
        case toMany(isOrdered: Bool)
        case fetched
    }

    /// The entity. The layout retains it and its model.
    package let entity: NSEntityDescription
    let model: NSManagedObjectModel?
    package let weakLinkAnchor = WeakLinkAnchor()
    let isAbstract: Bool
    /// Whether objects with this layout only record the properties read from them (`KeyRecorder`).
    let isForRecording: Bool
    let entityIdentity: ObjectIdentifier
    package let name: String
    /// The slots, in order.
    package let slots: [Slot]
    let indexByName: [String: Int]
    /// The values of a new object.
    package let defaults: [SlotValue]
    /// The default values of transient attributes that have one, by slot.
    let transientDefaults: [(slot: Int, value: SlotValue)]
    let attributeSlots: [Int]
    /// The stored attributes whose values rows may have as the store keeps them (`StoredBytes`).
    let bytesSlots: [Int]
    /// The stored attributes that are required, other than derived ones.
    let requiredSlots: [Int]
    let toOneSlots: [Int]
    /// The properties whose values can fail validation.
    let conditionSlots: [Int]
    let toManySlots: [Int]
    let fetchedSlots: [Int]
    /// The attributes whose values stores compute.
    package let derivedSlots: [Int]
    /// The attributes and to-one relationships in an object's row.
    let rowSlots: [Int]
    let rootName: String
    /// A hash of the names and kinds of all slots, in order. Generated code checks it before it uses the slot numbers
    /// with which it was generated.
    let fingerprint: UInt64
    /// The fingerprints of the ancestors' layouts, which are prefixes of this one.
    private let inheritedFingerprints: [UInt64]
    /// The fingerprint of the parent entity's layout; 0 for none.
    let parentFingerprint: UInt64
    /// The stored to-one relationships whose inverse is also to-one.
    let pairedSlots: [Int]
    /// The relationships that are followed when an object is deleted, in order.
    let deletionSlots: [DeletionSlot]
    /// The to-many relationships whose members are deleted with an object.
    let cascadeSlots: [Int]
    /// The relationships whose objects deny that an object is deleted.
    let denyingSlots: [Int]
    /// Whether to-many relationships are followed when an object is deleted.
    let followsMembers: Bool

    /// Whether there are to-many relationships whose members are deleted with an object.
    var hasCascades: Bool { !cascadeSlots.isEmpty }

    /// A relationship with the data needed for deletions, without references that would be retained for each object.
    struct DeletionSlot {
        var index: Int
        var isToOne: Bool
        var rule: NSDeleteRule
        /// The slot of the inverse in the layout of the destination; -1 for none.
        var inverse: Int
        var inverseIsToMany: Bool
    }

    /// Returns whether the slot numbers of a layout with a fingerprint apply to this one, because it is the same or an
    /// ancestor's.
    func hasFingerprint(_ other: UInt64) -> Bool { other == fingerprint || inheritedFingerprints.contains(other) }

    init(_ entity: NSEntityDescription) {
        self.entity = entity
        model = entity.model
        isAbstract = entity.isAbstract
        isForRecording = entity is RecorderEntity
        entityIdentity = ObjectIdentifier(entity)
        name = entity.name ?? ""
        var root = entity
        while let parent = root.superentity { root = parent }
        rootName = root.name ?? ""
        let kinds = SlotKinds(Self.orderedProperties(entity))
        let (slots, derived) = (kinds.slots, kinds.derived)
        self.slots = slots
        indexByName = kinds.indexByName
        defaults = kinds.defaults
        transientDefaults = kinds.attributes.compactMap { index in
            slots[index].isTransient && !kinds.defaults[index].isNull ? (index, kinds.defaults[index]) : nil
        }
        attributeSlots = kinds.attributes
        bytesSlots = kinds.attributes.filter { index in
            guard !slots[index].isTransient, let attribute = slots[index].property as? NSAttributeDescription else {
                return false
            }
            return attribute.attributeType == .transformableAttributeType || attribute.allowsExternalBinaryDataStorage
        }
        requiredSlots = kinds.attributes.filter {
            !slots[$0].isOptional && !slots[$0].isTransient && !derived.contains($0)
        }
        toOneSlots = kinds.toOne
        conditionSlots = slots.indices.filter { slots[$0].hasConditions }
        toManySlots = kinds.toMany
        fetchedSlots = kinds.fetched
        derivedSlots = derived
        rowSlots = (kinds.attributes + kinds.toOne).filter { !slots[$0].isTransient }.sorted()
        fingerprint = Self.fingerprint(slots)
        inheritedFingerprints = sequence(first: entity) { $0.superentity }.dropFirst().map { ancestor in
            Self.fingerprint(slots.prefix(Self.orderedProperties(ancestor).count))
        }
        parentFingerprint = inheritedFingerprints.first ?? 0
        pairedSlots = kinds.toOne.filter {
            slots[$0].inverse >= 0 && !slots[$0].inverseIsToMany && !slots[$0].isTransient
        }
        let relationships = kinds.toOne + kinds.toMany
        deletionSlots = relationships.filter { slots[$0].deleteRule != .noActionDeleteRule }.map { index in
            DeletionSlot(
                index: index, isToOne: slots[index].kind == .toOne, rule: slots[index].deleteRule,
                inverse: slots[index].inverse, inverseIsToMany: slots[index].inverseIsToMany)
        }
        cascadeSlots = deletionSlots.filter { !$0.isToOne && $0.rule == .cascadeDeleteRule }.map(\.index)
        denyingSlots = relationships.filter { slots[$0].deleteRule == .denyDeleteRule }
        followsMembers = deletionSlots.contains { !$0.isToOne }
        weakLinkAnchor.hold(self)
    }

    deinit {
        weakLinkAnchor.release()
    }

    /// Returns the properties, inherited ones first, then declared ones by name, because compiled models do not
    /// preserve their order.
    fileprivate static func orderedProperties(_ entity: NSEntityDescription) -> [NSPropertyDescription] {
        let inherited = entity.superentity.map(orderedProperties) ?? []
        return inherited + entity.declaredProperties.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    // MARK: Offering

    /// Stores a layout for the next object of the entity that is created on this thread, because getting it from the
    /// entity takes a lock.
    static func offer(_ layout: Unmanaged<EntityLayout>) { cd_offer(layout.toOpaque()) }

    /// Removes and returns the layout that was offered on this thread, if it belongs to an entity.
    @inline(__always)
    static func offered(for entity: NSEntityDescription) -> Unmanaged<EntityLayout>? {
        // The caller that offers the value retains it until the object exists.
        guard let offered = cd_take() else { return nil }
        let layout = Unmanaged<EntityLayout>.fromOpaque(offered)
        // The layout retains the entity, so no other one can have its address.
        return layout._withUnsafeGuaranteedRef { $0.entityIdentity } == ObjectIdentifier(entity) ? layout : nil
    }

    /// Returns whether there is a to-many relationship to one of some entity hierarchies.
    func hasMembers(in roots: Set<String>) -> Bool {
        toManySlots.contains { roots.contains(slots[$0].destinationRoot) }
    }

    /// Returns whether a slot is part of an object's row.
    func isInRow(_ index: Int) -> Bool {
        switch slots[index].kind {
        case .attribute, .toOne: !slots[index].isTransient
        case .toMany, .fetched: false
        }
    }

    /// Returns the index of a property's slot, or `nil` if the entity has no such property.
    package func index(of name: String) -> Int? { indexByName[name] }

    private static func fingerprint(_ slots: some Sequence<Slot>) -> UInt64 {
        SlotLayout.fingerprint(slots.map { SlotLayout.Slot(name: $0.name, code: code($0.kind)) })
    }

    private static func code(_ kind: Kind) -> String {
        switch kind {
        case .attribute(let type): "\(type.rawValue)"
        case .toOne: "o"
        case .toMany(let isOrdered): isOrdered ? "l" : "s"
        case .fetched: "f"
        }
    }
}

extension NSEntityDescription {
    /// Returns the layout of the entity's objects. Thread-safe if the model is in use.
    final func objectLayout() -> EntityLayout { cached { EntityLayout(self) } }
}

/// The entity of recording objects. It marks them as recording from their creation, because initializers may set
/// properties.
final class RecorderEntity: NSEntityDescription, @unchecked Sendable {}

/// The slots of an entity's properties, with the indices of each kind.
private struct SlotKinds {
    var slots: [EntityLayout.Slot] = []
    var indexByName: [String: Int] = [:]
    /// The values of a new object.
    var defaults: [SlotValue] = []
    var attributes: [Int] = []
    var toOne: [Int] = []
    var toMany: [Int] = []
    var fetched: [Int] = []
    var derived: [Int] = []

    init(_ properties: [NSPropertyDescription]) {
        for property in properties { add(property) }
    }

    private mutating func add(_ property: NSPropertyDescription) {
        let index = slots.count
        var kind = EntityLayout.Kind.fetched
        var value = SlotValue.null
        if let attribute = property as? NSAttributeDescription {
            kind = .attribute(attribute.attributeType)
            attributes.append(index)
            if attribute is NSDerivedAttributeDescription { derived.append(index) }
            value =
                attribute.defaultValue.flatMap { ValueConversion.slotValue($0, attribute.attributeType) } ?? .null
        } else if let relationship = property as? NSRelationshipDescription {
            kind = relationship.isToMany ? .toMany(isOrdered: relationship.isOrdered) : .toOne
            if relationship.isToMany { toMany.append(index) } else { toOne.append(index) }
        } else {
            fetched.append(index)
        }
        var slot = EntityLayout.Slot(
            name: property.name, kind: kind, isTransient: property.isTransient, isOptional: property.isOptional,
            property: property)
        slot.hasConditions = Self.hasConditions(property)
        slot.needsOnlyValue =
            !property.isOptional && property.validationPredicates.isEmpty
            && !(property is NSCompositeAttributeDescription)
            && (property as? NSRelationshipDescription)?.isToMany != true
        if let relationship = property as? NSRelationshipDescription {
            slot.deleteRule = relationship.deleteRule
            slot.destination = relationship.destinationEntity.map { ObjectIdentifier($0) }
            if var root = relationship.destinationEntity {
                while let parent = root.superentity { root = parent }
                slot.destinationRoot = root.name ?? ""
            }
            if let inverse = relationship.inverseRelationship, let destination = relationship.destinationEntity {
                let names = EntityLayout.orderedProperties(destination)
                slot.inverse = names.firstIndex { $0 === inverse } ?? -1
                slot.inverseIsToMany = inverse.isToMany
            }
        }
        indexByName[property.name] = index
        slots.append(slot)
        defaults.append(value)
    }

    private static func hasConditions(_ property: NSPropertyDescription) -> Bool {
        // Values that a store computes do not exist before the save.
        if property is NSFetchedPropertyDescription || property is NSDerivedAttributeDescription { return false }
        if !property.isOptional || !property.validationPredicates.isEmpty { return true }
        if let composite = property as? NSCompositeAttributeDescription {
            return composite.elements.contains(where: hasConditions)
        }
        guard let relationship = property as? NSRelationshipDescription, relationship.isToMany else { return false }
        return relationship.minCount > 0 || relationship.maxCount > 0
    }
}
