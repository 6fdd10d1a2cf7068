/// A fetched property: the result of a fetch request, as a property.
public struct FetchedProperty: Hashable, Sendable {
    /// The property's name.
    public var name: String
    /// The `optional` flag of the source.
    public var isOptional: Bool
    /// The `syncable` flag of models up to Xcode 10, or nil when it is absent.
    public var isSyncable: Bool?
    /// The request that gives its value, or nil when the source has none.
    public var fetchRequest: FetchRequestTemplate?
    /// Text that goes into the version hash and nowhere else, or nil.
    public var versionHashModifier: String?
    /// The name that migration knows it by (`elementID`), or nil when it is the property's name.
    public var renamingIdentifier: String?
    /// The property's `userInfo`.
    public var userInfo: [UserInfoEntry]
    /// Parts that this library does not know.
    public var unrecognized: [UnrecognizedItem]
    /// Where it stands.
    public var origin: ElementOrigin?

    /// Makes a fetched property without a request.
    public init(name: String) {
        self.name = name
        isOptional = false
        userInfo = []
        unrecognized = []
    }
}

/// A fetch request that a model holds, by itself or in a fetched property (xcdatamodel-vocabulary.md, 2).
///
/// A nil flag or number means that the source does not have it.
public struct FetchRequestTemplate: Hashable, Sendable {
    /// The template's name; `fetchedPropertyFetchRequest` in a fetched property.
    public var name: String
    /// The entity that is fetched, or nil.
    public var entityName: String?
    /// The predicate's format, or nil.
    public var predicate: String?
    /// The largest number of results; 0 or nil for no limit.
    public var fetchLimit: Int?
    /// The number of objects fetched at a time; 0 or nil for all.
    public var fetchBatchSize: Int?
    /// Whether subentities are fetched too.
    public var includesSubentities: Bool?
    /// Whether property values come with the objects.
    public var includesPropertyValues: Bool?
    /// Whether unsaved changes are looked at.
    public var includesPendingChanges: Bool?
    /// Whether the objects come as faults.
    public var returnsObjectsAsFaults: Bool?
    /// Whether equal results are given once.
    public var returnsDistinctResults: Bool?
    /// What is fetched: 0 or nil objects, 1 object IDs, 2 dictionaries.
    public var resultType: Int?
    /// Parts that this library does not know.
    public var unrecognized: [UnrecognizedItem]
    /// Where it stands.
    public var origin: ElementOrigin?

    /// Makes a template that fetches every object of an entity.
    public init(name: String, entityName: String?) {
        self.name = name
        self.entityName = entityName
        unrecognized = []
    }
}
