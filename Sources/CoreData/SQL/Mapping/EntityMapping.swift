/// Where the objects of an entity are kept in a store's file.
struct EntityMapping: Sendable, Equatable {
    var name: String
    /// `Z_ENT`.
    var number: Int
    /// The number of the entity that it inherits from; 0 for none.
    var superNumber: Int
    /// The number of the entity at the top of the hierarchy, whose row in `Z_PRIMARYKEY` counts the keys.
    var rootNumber: Int
    /// The table of the hierarchy.
    var table: String
    /// The numbers of the entity and its descendants, ascending.
    var numbers: [Int]
    /// Whether the table holds rows of other entities than `numbers`.
    var sharesTable: Bool
    /// Where the values are, by slot of the entity's `EntityLayout`.
    var places: [SlotPlace]
    /// The derived attributes that the entity has, inherited ones included.
    var derived: [DerivedSlot] = []
}

/// Where the value of a slot is kept.
enum SlotPlace: Sendable, Equatable {
    /// Nowhere: transient and fetched properties, and relationships to entities that are in another store.
    case nowhere
    /// In a column of the object's row.
    case attribute(column: String)
    /// In a column of the object's row for each element of a composite attribute, in the order of `CompositeValue.elements(of:)`.
    case composite([ElementColumn])
    /// In columns of the object's row.
    case toOne(ToOneColumns)
    /// The members have the object's key in a column of their rows.
    case inverse(InverseColumns)
    /// The members stand beside the object in a join table.
    case join(JoinSide)
}

/// The column of an element of a composite attribute.
struct ElementColumn: Sendable, Equatable {
    /// The names that lead from the attribute to the element.
    var path: [String]
    var column: String
}

/// The columns of a to-one relationship.
struct ToOneColumns: Sendable, Equatable {
    /// Holds the key of the other object.
    var key: String
    /// Holds the entity number of the other object; nil when the destination has no subentities.
    var entity: String?
    /// The column with the object's position in the inverse ordered to-many relationship, or nil if it is not ordered.
    var order: String?
    /// The number of the destination entity.
    var destination: Int
}

/// The columns that a to-many relationship follows from: those of the to-one relationship that is its inverse.
struct InverseColumns: Sendable, Equatable {
    /// The table of the destination.
    var table: String
    /// Holds the key of the object whose members are fetched.
    var key: String
    /// Holds the entity number of that object; nil when its entity has no subentities.
    var entity: String?
    /// Holds the place of the member; nil when the relationship is not ordered.
    var order: String?
    /// The number of the destination entity.
    var destination: Int
    /// Whether the relationship has no inverse, so that only it uses the column: the store writes it with the
    /// object, and a member of one object cannot be a member of another.
    var isVirtual: Bool
}

/// A join table as one of its two relationships sees it.
struct JoinSide: Sendable, Equatable {
    var table: String
    /// Holds the key of the object whose members are fetched.
    var own: String
    /// Holds the key of the member.
    var other: String
    /// Holds the place of the member among the object's members; nil when the relationship is not ordered.
    var order: String?
    /// Holds the place of the object among the member's members; nil when the inverse is not ordered.
    var otherOrder: String?
    /// The number of the destination entity.
    var destination: Int
    /// Whether the relationship is its own inverse: each pair stands in the table both ways.
    var isReflexive: Bool
}

/// A derived attribute.
struct DerivedSlot: Sendable, Equatable {
    var slot: Int
    /// Whether triggers in the file keep the value: then the store reads it back after a save. Otherwise the store computes it
    /// when it writes the row.
    var hasTriggers: Bool
}
