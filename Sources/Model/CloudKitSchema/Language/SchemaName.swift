/// Names of record types, fields and roles.
package enum SchemaName {
    /// Names that an export quotes although they are identifiers. Of the language's other keywords, `TYPE` is known to
    /// be unquoted; for the rest nothing is proven, and quotes are always valid.
    private static let quoted: Set = [
        "AS", "ASSET", "BYTES", "CREATE", "DEFINE", "DOUBLE", "ENCRYPTED", "GRANT", "INT64", "LIST", "LOCATION",
        "NUMBER", "PREFERRED", "QUERYABLE", "READ", "RECORD", "REFERENCE", "ROLE", "SCHEMA", "SEARCHABLE", "SORTABLE",
        "STRING", "TIMESTAMP", "TO", "WRITE",
    ]

    /// Returns whether a name is an identifier of CloudKit: an ASCII letter, then letters, digits and underscores.
    package static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    /// Returns a name as an export writes it, in quotes if it needs them.
    package static func text(_ name: String) -> String {
        isIdentifier(name) && !quoted.contains(name.uppercased()) ? name : "\"\(name)\""
    }

    /// Returns whether a name comes before another in an export: by code points.
    package static func isOrdered(_ first: String, before second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
