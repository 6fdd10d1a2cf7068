/// The reason why data cannot be read as a compiled model.
package struct ModelArchiveError: Error, Hashable, Sendable {
    /// What kind of problem it is.
    package enum Kind: Hashable, Sendable {
        /// The bytes are not a binary property list, or a damaged one.
        case propertyList(PropertyListError.Kind)
        /// A property list that is not a keyed archive.
        case isNoArchive
        /// A keyed archive of something else than a model.
        case isNoModel
    }

    /// What kind of problem it is.
    package var kind: Kind
    /// What is wrong, with the object and the key concerned, in one sentence without a full stop.
    package var message: String
    /// The byte that is wrong, where one can be named.
    package var offset: Int?

    /// Creates an error.
    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Wraps an error of the property list.
    init(_ error: PropertyListError) {
        kind = .propertyList(error.kind)
        message = error.message
        offset = error.offset
    }
}

extension ModelArchiveError: CustomStringConvertible {
    /// The message, with the offset of the byte where there is one.
    package var description: String { offset.map { "\(message) (byte \($0))" } ?? message }
}
