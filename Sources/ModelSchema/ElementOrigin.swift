/// A handle to the place in a source file that a part of a model was read from.
///
/// The schema knows no files: the reader of the model turns the handle into a range (`ModelDocument` in ModelSource).
/// Parts that were read from a compiled model, or built in code, have none.
package struct ElementOrigin: Hashable, Sendable {
    /// The number of the element in its document, in document order, from 0.
    package var index: Int

    /// Creates a handle to the element with this number.
    package init(index: Int) {
        self.index = index
    }
}

/// Something in a source that the schema has no name for. It is kept so that no information is lost without a word.
package struct UnrecognizedItem: Hashable, Sendable {
    /// What kind of thing it is.
    package enum Kind: Hashable, Sendable {
        /// An XML attribute with its value.
        case attribute(value: String)
        /// An XML element. Its own place tells more about it.
        case element
    }

    /// The name it has in the source.
    package var name: String
    /// What it is.
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
    /// The key.
    package var key: String
    /// The value; Xcode's editor knows only strings.
    package var value: String
    /// Where it stands.
    package var origin: ElementOrigin?

    /// Creates an entry.
    package init(key: String, value: String, origin: ElementOrigin? = nil) {
        self.key = key
        self.value = value
        self.origin = origin
    }
}
