internal import CoreData

/// The entity of a class in a container: where its properties are in managed objects.
final class EntityBinding {
    let info: ModelInfo
    let entity: NSEntityDescription
    let context: ManagedContext
    /// The slot of each property, by property number.
    let slots: ContiguousArray<Int>
    /// The slot of each property whose values are read and written directly, otherwise -1, by property number.
    let directSlots: UnsafeMutableBufferPointer<Int>
    /// The fingerprint of the slots.
    let fingerprint: UInt64
    /// The number of the property at the other end of each relationship, by property number.
    let inverses: [Int?]

    init(_ info: ModelInfo, _ entity: NSEntityDescription, in context: ManagedContext) {
        self.info = info
        self.entity = entity
        self.context = context
        // An object in no context, created only to look up slots.
        let sample = ModelObject(entity: entity, insertInto: nil)
        slots = ContiguousArray(info.properties.map { sample.slotNumber(of: $0.name) ?? -1 })
        directSlots = .allocate(capacity: slots.count)
        _ = directSlots.initialize(from: zip(slots, info.accesses).lazy.map { $1.isDirect ? $0 : -1 })
        fingerprint = sample.slotFingerprint
        let relationships = entity.relationshipsByName
        inverses = info.properties.map { property in
            guard let relationship = relationships[property.name], let inverse = relationship.inverseRelationship?.name,
                let destination = relationship.destinationEntity?.name
            else { return nil }
            // The property may name the class of another version of the schema, whose numbers differ.
            return context.core.schema.classes[destination]?.numbersByName[inverse]
        }
    }

    deinit { directSlots.deallocate() }
}
