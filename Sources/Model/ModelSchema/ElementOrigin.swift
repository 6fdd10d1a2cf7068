/// A handle to the location in a source file that a part of a model was read from.
///
/// The schema does not depend on files: the model's reader converts the handle to a range (`ModelDocument` in
/// ModelSource). Parts that were read from a compiled model, or built in code, have no origin.
package struct ElementOrigin: Hashable, Sendable {
    /// The zero-based index of the element in document order.
    package var index: Int

    /// Creates a handle to the element with an index.
    package init(index: Int) {
        self.index = index
    }
}

/// An item of a source that the schema cannot represent. It is kept so that no information is silently lost.
package struct UnrecognizedItem: Hashable, Sendable {
    /// The kind of an item.
    package enum Kind: Hashable, Sendable {
        /// An XML attribute with its value.
        case attribute(value: String)
        /// An XML element.
        case element
    }

    /// The name in the source.
    package var name: String
    package var kind: Kind
    /// The element itself, or the element that holds the attribute.
    package var origin: ElementOrigin?

    /// Creates an item.
    package init(name: String, kind: Kind, origin: ElementOrigin? = nil) {
        self.name = name
        self.kind = kind
        self.origin = origin
    }
}

/// One entry of a `userInfo` dictionary, in the order of the source.
package struct UserInfoEntry: Hashable, Sendable {
    package var key: String
    /// The value. Xcode's editor supports only strings.
    package var value: String
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates an entry.
    package init(key: String, value: String, origin: ElementOrigin? = nil) {
        self.key = key
        self.value = value
        self.origin = origin
    }
}
