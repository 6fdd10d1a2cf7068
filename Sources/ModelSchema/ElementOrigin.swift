/// A handle to the place in a source file that a part of a model was read from.
///
/// The schema knows no files: whoever read the model turns the handle into a range (`ModelDocument` in ModelSource).
/// Parts that were read from a compiled model, or built in code, have none.
public struct ElementOrigin: Hashable, Sendable {
    /// The number of the element in its document, in document order, from 0.
    public var index: Int

    /// Makes a handle to the element with this number.
    public init(index: Int) {
        self.index = index
    }
}

/// Something in a source that the schema has no name for. It is kept so that no information is lost without a word.
public struct UnrecognizedItem: Hashable, Sendable {
    /// What kind of thing it is.
    public enum Kind: Hashable, Sendable {
        /// An XML attribute with its value.
        case attribute(value: String)
        /// An XML element. Its own place tells more about it.
        case element
    }

    /// The name it has in the source.
    public var name: String
    /// What it is.
    public var kind: Kind
    /// The element itself, or the element that holds the attribute.
    public var origin: ElementOrigin?

    /// Makes an item.
    public init(name: String, kind: Kind, origin: ElementOrigin? = nil) {
        self.name = name
        self.kind = kind
        self.origin = origin
    }
}

/// One entry of a `userInfo` dictionary, in the order of the source.
public struct UserInfoEntry: Hashable, Sendable {
    /// The key.
    public var key: String
    /// The value; Xcode's editor knows only strings.
    public var value: String
    /// Where it stands.
    public var origin: ElementOrigin?

    /// Makes an entry.
    public init(key: String, value: String, origin: ElementOrigin? = nil) {
        self.key = key
        self.value = value
        self.origin = origin
    }
}
