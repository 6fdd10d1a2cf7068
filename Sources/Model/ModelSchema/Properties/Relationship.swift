/// A relationship from one entity to another.
package struct Relationship: Hashable, Sendable {
    /// The relationship's name.
    package var name: String
    /// Whether it may be empty.
    package var isOptional: Bool
    /// Whether it is never saved.
    package var isTransient: Bool
    /// Whether it can hold more than one object.
    package var isToMany: Bool
    /// Whether a to-many relationship is ordered. Xcode leaves the flag on to-one relationships that were once to-many,
    /// where it has no meaning.
    package var isOrdered: Bool
    /// The minimum count, or `nil` if the source does not specify it.
    package var minimumCount: Int?
    /// The maximum count, or `nil` if the source does not specify it. 1 for a to-one relationship written by Xcode.
    package var maximumCount: Int?
    /// What happens to the objects at the other end when this one is deleted; `nil` if the source does not specify it.
    package var deleteRule: DeleteRule?
    /// The delete rule as written, if this library does not recognize it.
    package var unknownDeleteRule: String?
    /// The entity at the other end, or `nil`.
    package var destinationName: String?
    /// The inverse relationship, or `nil`.
    package var inverseName: String?
    /// The entity that the source says the inverse belongs to, or `nil`.
    package var inverseEntityName: String?
    /// The index flag of models for iOS 10 and earlier.
    package var isIndexed: Bool
    package var isIndexedBySpotlight: Bool
    /// The old Spotlight flag "Store in External Record File".
    package var isStoredInTruthFile: Bool
    /// The `syncable` flag of models up to Xcode 10, or `nil` if it is absent.
    package var isSyncable: Bool?
    /// The name that identifies it in migrations (`elementID`), or `nil` if that is the relationship's name.
    package var renamingIdentifier: String?
    /// Text that affects the version hash and nothing else, or `nil`.
    package var versionHashModifier: String?
    /// The relationship's `userInfo`.
    package var userInfo: [UserInfoEntry]
    /// Items that this library does not recognize.
    package var unrecognized: [UnrecognizedItem]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates a required to-one relationship.
    package init(name: String, destinationName: String?) {
        self.name = name
        self.destinationName = destinationName
        isOptional = false
        isTransient = false
        isToMany = false
        isOrdered = false
        isIndexed = false
        isIndexedBySpotlight = false
        isStoredInTruthFile = false
        userInfo = []
        unrecognized = []
    }
}

/// What happens to the objects at the other end of a relationship when an object is deleted. The raw values are those
/// of Apple's `NSDeleteRule` (Documentation/Formats/CompiledModel.md, 2.5).
package enum DeleteRule: Int, Hashable, Sendable, CaseIterable {
    /// Nothing happens: the objects at the other end may keep dangling references.
    case noAction = 0
    /// The objects at the other end no longer refer to the deleted object.
    case nullify = 1
    /// The objects at the other end are deleted too.
    case cascade = 2
    /// The object cannot be deleted while there are objects at the other end.
    case deny = 3

    /// Creates a rule from the value of `deletionRule`, for example `No Action`; `nil` for a value that no Xcode
    /// writes.
    package init?(xmlValue: String) {
        guard let rule = Self.allCases.first(where: { $0.xmlValue == xmlValue }) else { return nil }
        self = rule
    }

    /// The name of the rule in a source and in Xcode's inspector.
    package var xmlValue: String {
        switch self {
        case .noAction: "No Action"
        case .nullify: "Nullify"
        case .cascade: "Cascade"
        case .deny: "Deny"
        }
    }
}
