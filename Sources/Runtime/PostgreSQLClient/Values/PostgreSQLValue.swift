/// A value of a statement's parameter. Values are sent in binary form and never become part of a statement's text.
///
/// A caller converts values of its types to the server's format; the client has only the conversions that it needs
/// itself.
package struct PostgreSQLValue: Sendable, Hashable {
    /// The object identifiers of types in the system catalog, which are the same in every server.
    package enum TypeNumber {
        package static let boolean: UInt32 = 16
        package static let bytea: UInt32 = 17
        package static let int8: UInt32 = 20
        package static let int2: UInt32 = 21
        package static let int4: UInt32 = 23
        package static let text: UInt32 = 25
        static let oid: UInt32 = 26
        package static let float4: UInt32 = 700
        package static let float8: UInt32 = 701
        package static let numeric: UInt32 = 1700
        package static let uuid: UInt32 = 2950
        /// `text`, `name`, `character` and `character varying`.
        static let texts: Set<UInt32> = [text, 19, 1042, 1043]

        /// Returns the array type of an element type.
        package static func array(of element: UInt32) -> UInt32 {
            switch element {
            case boolean: 1000
            case bytea: 1001
            case int8: 1016
            case int2: 1005
            case int4: 1007
            case float4: 1021
            case float8: 1022
            case numeric: 1231
            case uuid: 2951
            default: 1009
            }
        }
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
        PostgreSQLValue(type: TypeNumber.text, bytes: Array(value.utf8))
    }
}
