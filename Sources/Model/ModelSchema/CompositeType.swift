/// A composite attribute type: a named group of attributes (Xcode 15 and later). Composites nest.
package struct CompositeType: Hashable, Sendable {
    /// The type's name, which attributes of type Composite refer to.
    package var name: String
    /// Its parts.
    package var attributes: [Attribute]
    /// Items that this library does not recognize.
    package var unrecognized: [UnrecognizedItem]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates an empty composite type.
    package init(name: String) {
        self.name = name
        attributes = []
        unrecognized = []
    }
}
