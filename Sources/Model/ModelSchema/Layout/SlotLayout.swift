internal import Diagnostics

/// The numbered slots in which the runtime keeps the properties of an entity's objects: inherited ones first, an
/// entity's own sorted by name. Generated code contains the numbers, and the fingerprint to check whether they are
/// still valid.
package struct SlotLayout: Sendable {
    package struct Slot: Sendable {
        /// The property's name.
        package var name: String
        /// The kind of property: the number of the attribute type, `o` for a to-one, `s` for a to-many, `l` for an
        /// ordered to-many relationship, `f` for a fetched property.
        package var code: String

        /// Creates a slot.
        package init(name: String, code: String) {
            self.name = name
            self.code = code
        }
    }

    /// The slots in their order.
    package private(set) var slots: [Slot] = []
    private var numbers: [String: Int] = [:]

    /// A hash of the names and kinds of all slots in order.
    package var fingerprint: UInt64 { Self.fingerprint(slots) }

    /// Returns the slot number of a property; `nil` if there is no such property.
    package func number(of name: String) -> Int? { numbers[name] }

    /// Creates the layout of an entity.
    ///
    /// An unknown parent is ignored, and an inheritance cycle is followed once; the linter reports both.
    package init(of entity: Entity, parents: [String: Entity]) {
        for entity in entity.ancestors(in: parents).reversed() + [entity] {
            for slot in Self.ownSlots(of: entity) where numbers[slot.name] == nil {
                numbers[slot.name] = slots.count
                slots.append(slot)
            }
        }
    }

    private static func ownSlots(of entity: Entity) -> [Slot] {
        var slots = entity.attributes.map { Slot(name: $0.name, code: "\($0.type.rawValue)") }
        slots += entity.relationships.map { relationship in
            Slot(
                name: relationship.name, code: relationship.isToMany ? (relationship.isOrdered ? "l" : "s") : "o")
        }
        slots += entity.fetchedProperties.map { Slot(name: $0.name, code: "f") }
        return slots.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns the fingerprint of slots: the FNV-1a hash of their names and codes.
    package static func fingerprint(_ slots: [Slot]) -> UInt64 {
        slots.reduce(StableHash.empty) { StableHash.of("\($1.name):\($1.code);".utf8, seed: $0) }
    }
}
