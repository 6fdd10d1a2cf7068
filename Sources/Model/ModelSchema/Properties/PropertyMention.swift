/// A mention of a property by name, in an index or a constraint.
package struct PropertyMention: Hashable, Sendable {
    /// The property's name.
    package var name: String
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates a mention.
    package init(name: String, origin: ElementOrigin? = nil) {
        self.name = name
        self.origin = origin
    }
}
