/// The reason why bytes cannot be read as a property list.
package struct PropertyListError: Error, Hashable, Sendable {
    /// The kind of problem.
    package enum Kind: Hashable, Sendable {
        /// The bytes are a property list in XML, which the binary reader leaves to its caller.
        case isXML
        /// The bytes are not a property list.
        case isSomethingElse
        /// The property list is truncated or inconsistent.
        case isMalformed
        /// The property list is nested more deeply, or is larger, than any of Apple's.
        case isTooLarge
    }

    /// The kind of problem.
    package var kind: Kind
    /// The problem, in one sentence without a period.
    package var message: String
    /// The offset of the invalid byte.
    package var offset: Int

    init(_ kind: Kind, _ message: String, at offset: Int) {
        self.kind = kind
        self.message = message
        self.offset = offset
    }

    /// Creates an error about a malformed list.
    init(_ message: String, at offset: Int) {
        self.init(.isMalformed, message, at: offset)
    }
}

extension PropertyListError: CustomStringConvertible {
    package var description: String { "\(message) (byte \(offset))" }
}
