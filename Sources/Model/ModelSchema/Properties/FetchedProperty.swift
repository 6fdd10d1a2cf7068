/// A fetched property: the result of a fetch request, as a property.
package struct FetchedProperty: Hashable, Sendable {
    /// The property's name.
    package var name: String
    /// The `optional` flag of the source.
    package var isOptional: Bool
    /// The `syncable` flag of models up to Xcode 10, or `nil` if it is absent.
    package var isSyncable: Bool?
    /// The request that fetches its value, or `nil` if the source has none.
    package var fetchRequest: FetchRequestTemplate?
    /// Text that affects the version hash and nothing else, or `nil`.
    package var versionHashModifier: String?
    /// The name that identifies it in migrations (`elementID`), or `nil` if that is the property's name.
    package var renamingIdentifier: String?
    /// The property's `userInfo`.
    package var userInfo: [UserInfoEntry]
    /// Items that this library does not recognize.
    package var unrecognized: [UnrecognizedItem]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates a fetched property without a request.
    package init(name: String) {
        self.name = name
        isOptional = false
        userInfo = []
        unrecognized = []
    }
}

/// A fetch request of a model or of a fetched property (Documentation/Formats/ModelSource.md, 2.5).
///
/// A flag or number is `nil` if the source does not have it.
package struct FetchRequestTemplate: Hashable, Sendable {
    /// The template's name; `fetchedPropertyFetchRequest` in a fetched property.
    package var name: String
    /// The entity that is fetched, or `nil`.
    package var entityName: String?
    /// The predicate's format, or `nil`.
    package var predicate: String?
    /// The maximum number of results; 0 or `nil` for no limit.
    package var fetchLimit: Int?
    /// The number of objects fetched at a time; 0 or `nil` for all.
    package var fetchBatchSize: Int?
    /// Whether subentities are fetched too.
    package var includesSubentities: Bool?
    /// Whether property values are fetched with the objects.
    package var includesPropertyValues: Bool?
    /// Whether unsaved changes are included.
    package var includesPendingChanges: Bool?
    /// Whether objects are returned as faults.
    package var returnsObjectsAsFaults: Bool?
    /// Whether duplicate results are removed.
    package var returnsDistinctResults: Bool?
    /// The type of results: objects for 0 or `nil`, object IDs for 1, dictionaries for 2.
    package var resultType: Int?
    /// Items that this library does not recognize.
    package var unrecognized: [UnrecognizedItem]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates a template that fetches every object of an entity.
    package init(name: String, entityName: String?) {
        self.name = name
        self.entityName = entityName
        unrecognized = []
    }
}
