/// A fetched property: the result of a fetch request, as a property.
package struct FetchedProperty: Hashable, Sendable {
    /// The property's name.
    package var name: String
    /// The `optional` flag of the source.
    package var isOptional: Bool
    /// The `syncable` flag of models up to Xcode 10, or nil when it is absent.
    package var isSyncable: Bool?
    /// The request that gives its value, or nil when the source has none.
    package var fetchRequest: FetchRequestTemplate?
    /// Text that goes into the version hash and nowhere else, or nil.
    package var versionHashModifier: String?
    /// The name that migration knows it by (`elementID`), or nil when it is the property's name.
    package var renamingIdentifier: String?
    /// The property's `userInfo`.
    package var userInfo: [UserInfoEntry]
    /// Parts that this library does not know.
    package var unrecognized: [UnrecognizedItem]
    /// Where it stands.
    package var origin: ElementOrigin?

    /// Creates a fetched property without a request.
    package init(name: String) {
        self.name = name
        isOptional = false
        userInfo = []
        unrecognized = []
    }
}

/// A fetch request that a model holds, by itself or in a fetched property (Documentation/Formats/ModelSource.md, 2.5).
///
/// A nil flag or number means that the source does not have it.
package struct FetchRequestTemplate: Hashable, Sendable {
    /// The template's name; `fetchedPropertyFetchRequest` in a fetched property.
    package var name: String
    /// The entity that is fetched, or nil.
    package var entityName: String?
    /// The predicate's format, or nil.
    package var predicate: String?
    /// The largest number of results; 0 or nil for no limit.
    package var fetchLimit: Int?
    /// The number of objects fetched at a time; 0 or nil for all.
    package var fetchBatchSize: Int?
    /// Whether subentities are fetched too.
    package var includesSubentities: Bool?
    /// Whether property values come with the objects.
    package var includesPropertyValues: Bool?
    /// Whether unsaved changes are looked at.
    package var includesPendingChanges: Bool?
    /// Whether the objects come as faults.
    package var returnsObjectsAsFaults: Bool?
    /// Whether equal results are given once.
    package var returnsDistinctResults: Bool?
    /// What is fetched: 0 or nil objects, 1 object IDs, 2 dictionaries.
    package var resultType: Int?
    /// Parts that this library does not know.
    package var unrecognized: [UnrecognizedItem]
    /// Where it stands.
    package var origin: ElementOrigin?

    /// Creates a template that fetches every object of an entity.
    package init(name: String, entityName: String?) {
        self.name = name
        self.entityName = entityName
        unrecognized = []
    }
}
