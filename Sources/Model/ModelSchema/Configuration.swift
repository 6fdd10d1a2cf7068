/// A named set of entities that can have a separate store.
package struct Configuration: Hashable, Sendable {
    /// A mention of an entity in a configuration.
    package struct Member: Hashable, Sendable {
        /// The entity's name.
        package var entityName: String
        /// The location in the source.
        package var origin: ElementOrigin?

        /// Creates a member.
        package init(entityName: String, origin: ElementOrigin? = nil) {
            self.entityName = entityName
            self.origin = origin
        }
    }

    /// The configuration's name.
    package var name: String
    /// The entities in it.
    package var members: [Member]
    /// Whether its store is synchronized with CloudKit, or `nil` if the source does not specify it.
    package var usedWithCloudKit: Bool?
    /// Items that this library does not recognize.
    package var unrecognized: [UnrecognizedItem]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates an empty configuration.
    package init(name: String) {
        self.name = name
        members = []
        unrecognized = []
    }
}
