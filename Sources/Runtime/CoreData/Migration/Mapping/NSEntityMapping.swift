public import Foundation

/// The way in which a migration creates objects of a destination entity from objects of a source entity.
///
/// ```swift
/// let mapping = NSEntityMapping()
/// mapping.name = "BookToBook"
/// mapping.mappingType = .transformEntityMappingType
/// mapping.sourceEntityName = "Book"
/// mapping.destinationEntityName = "Book"
/// mapping.attributeMappings = [NSPropertyMapping()]
/// ```
///
/// Not thread-safe. Must not change while a migration uses it.
open class NSEntityMapping: NSObject, KeyValueReadable {
    private var explicitName: String?

    /// The mapping's name, which is unique in the mapping model. The default is `Source->Destination`.
    // Apple's type.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var name: String! {
        get { explicitName ?? "\(sourceEntityName ?? "")->\(destinationEntityName ?? "")" }
        set { explicitName = newValue }
    }

    /// The kind of mapping. The default is `.undefinedEntityMappingType`.
    open var mappingType: NSEntityMappingType = .undefinedEntityMappingType
    /// The source entity; `nil` for a mapping that adds objects.
    open var sourceEntityName: String?
    /// The version hash of the source entity. A migration checks it if it is set.
    open var sourceEntityVersionHash: Data?
    /// The destination entity; `nil` for a mapping that removes objects.
    open var destinationEntityName: String?
    /// The version hash of the destination entity. A migration checks it if it is set.
    open var destinationEntityVersionHash: Data?
    /// The mappings of attributes.
    open var attributeMappings: [NSPropertyMapping]?
    /// The mappings of relationships.
    open var relationshipMappings: [NSPropertyMapping]?
    /// The source objects: a collection, or an `NSFetchRequestExpression`. The default is all objects of the source
    /// entity, without those of its subentities.
    open var sourceExpression: NSExpression?
    /// Custom values for the policy.
    open var userInfo: [AnyHashable: Any]?
    /// The name of the `NSEntityMigrationPolicy` subclass that handles the objects: `Class` or `Module.Class`.
    open var entityMigrationPolicyClassName: String?

    /// Creates a mapping without entities.
    public override init() {
        super.init()
    }

    /// Returns a property of the mapping for expressions, such as `$entityMapping.userInfo.key`. Traps on an unknown
    /// key.
    open func value(forKey key: String) -> Any? {
        switch key {
        case "name": return name
        case "mappingType": return NSNumber(value: mappingType.rawValue)
        case "sourceEntityName": return sourceEntityName
        case "sourceEntityVersionHash": return sourceEntityVersionHash
        case "destinationEntityName": return destinationEntityName
        case "destinationEntityVersionHash": return destinationEntityVersionHash
        case "attributeMappings": return attributeMappings
        case "relationshipMappings": return relationshipMappings
        case "sourceExpression": return sourceExpression
        case "userInfo": return userInfo.map { $0 as NSDictionary }
        case "entityMigrationPolicyClassName": return entityMigrationPolicyClassName
        default: misuseOfUndefinedKey(key, type: "NSEntityMapping", description: name ?? "")
        }
    }

    /// Returns whether the other is an entity mapping with the same content.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityMapping else { return false }
        return self === other
            || name == other.name && mappingType == other.mappingType && sourceEntityName == other.sourceEntityName
                && sourceEntityVersionHash == other.sourceEntityVersionHash
                && destinationEntityName == other.destinationEntityName
                && destinationEntityVersionHash == other.destinationEntityVersionHash
                && entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
                && attributeMappings ?? [] == other.attributeMappings ?? []
                && relationshipMappings ?? [] == other.relationshipMappings ?? []
                && sourceExpression == other.sourceExpression && NSPropertyMapping.areEqual(userInfo, other.userInfo)
    }

    /// The hash of the name.
    open override var hash: Int { name.hashValue }

    /// The name and the entities, for debugging.
    open override var description: String {
        "NSEntityMapping: name \(name ?? ""), mappingType \(mappingType.rawValue), sourceEntityName "
            + "\(sourceEntityName ?? "(null)"), destinationEntityName \(destinationEntityName ?? "(null)")"
    }
}
