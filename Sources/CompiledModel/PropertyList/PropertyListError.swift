/// Why bytes are not a property list that can be read.
package struct PropertyListError: Error, Hashable, Sendable {
    /// What kind of problem it is.
    package enum Kind: Hashable, Sendable {
        /// The bytes are a property list in XML, which this module leaves to its caller.
        case isXML
        /// The bytes are not a property list.
        case isSomethingElse
        /// A property list that ends early or contradicts itself.
        case isMalformed
        /// The list nests deeper, or holds more, than anything of Apple's does.
        case isTooLarge
    }

    /// What kind of problem it is.
    package var kind: Kind
    /// What is wrong, in one sentence without a full stop.
    package var message: String
    /// The byte that is wrong.
    package var offset: Int

    /// Creates an error.
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
    /// The message with the offset of the byte.
    package var description: String { "\(message) (byte \(offset))" }
}
