/// A value of a statement's parameter. Values are sent in binary form and never become part of a statement's text.
///
/// A caller converts values of its types to the server's format; the client has only the conversions that it needs itself.
package struct PostgreSQLValue: Sendable, Hashable {
    /// The object identifiers of types in the system catalog, which are the same in every server.
    enum TypeNumber {
        static let int8: UInt32 = 20
        static let int2: UInt32 = 21
        static let int4: UInt32 = 23
        static let oid: UInt32 = 26
        /// `text`, `name`, `character` and `character varying`.
        static let texts: Set<UInt32> = [25, 19, 1042, 1043]
    }

    /// The object identifier of the type to declare to the server, or zero if the server infers the type.
    package let type: UInt32
    /// The binary form, or `nil` for NULL.
    package let bytes: [UInt8]?

    /// Creates a value from its binary form.
    package init(type: UInt32, bytes: [UInt8]?) {
        self.type = type
        self.bytes = bytes
    }

    /// Returns a `bigint`.
    package static func int(_ value: Int64) -> PostgreSQLValue {
        PostgreSQLValue(type: TypeNumber.int8, bytes: withUnsafeBytes(of: value.bigEndian) { Array($0) })
    }

    /// Returns a `text`.
    package static func text(_ value: String) -> PostgreSQLValue {
        PostgreSQLValue(type: 25, bytes: Array(value.utf8))
    }
}
