/// The reason why data cannot be read as a compiled model.
package struct ModelArchiveError: Error, Hashable, Sendable {
    /// The kind of problem.
    package enum Kind: Hashable, Sendable {
        /// The bytes are not a binary property list, or are a damaged one.
        case propertyList(PropertyListError.Kind)
        /// The property list is not a keyed archive.
        case notAnArchive
        /// The keyed archive does not contain a model.
        case notAModel
    }

    /// The kind of problem.
    package var kind: Kind
    /// The problem, with the affected object and key, in one sentence without a period.
    package var message: String
    /// The offset of the invalid byte, if known.
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
    /// The message, with the offset of the byte if known.
    package var description: String { offset.map { "\(message) (byte \($0))" } ?? message }
}
