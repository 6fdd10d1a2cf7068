/// A set of properties whose values must be unique together in a store.
package struct UniquenessConstraint: Hashable, Sendable {
    /// The properties, in order.
    package var properties: [PropertyMention]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates a constraint.
    package init(properties: [PropertyMention] = [], origin: ElementOrigin? = nil) {
        self.properties = properties
        self.origin = origin
    }
}
