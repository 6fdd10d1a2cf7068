/// The kinds of entity mappings.
///
/// ```swift
/// let mapping = NSEntityMapping()
/// mapping.mappingType = .removeEntityMappingType
/// mapping.sourceEntityName = "Draft"
/// ```
public enum NSEntityMappingType: UInt, Sendable {
    /// Not specified: the developer handles the objects.
    case undefinedEntityMappingType = 0
    /// A custom migration policy handles the objects.
    case customEntityMappingType = 1
    /// The entity is new in the destination model.
    case addEntityMappingType = 2
    /// The entity is not in the destination model, and its objects are dropped.
    case removeEntityMappingType = 3
    /// The entity did not change.
    case copyEntityMappingType = 4
    /// The entity changed.
    case transformEntityMappingType = 5
}
