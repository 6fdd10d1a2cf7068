import CloudKitSchema

/// Schemas in the layout of an export, for tests.
enum SchemaText {
    /// Returns the lines of the system fields, with names padded to a width.
    static func systemFields(width: Int) -> String {
        let fields = [
            ("\"___createTime\"", "TIMESTAMP"), ("\"___createdBy\"", "REFERENCE"), ("\"___etag\"", "STRING"),
            ("\"___modTime\"", "TIMESTAMP"), ("\"___modifiedBy\"", "REFERENCE"), ("\"___recordID\"", "REFERENCE"),
        ]
        return fields.map { name, type in
            "        \(name)\(String(repeating: " ", count: width - name.count)) \(type),\n"
        }.joined()
    }

    /// The record type that every container has.
    static let users = """
            RECORD TYPE Users (
        \(systemFields(width: 15))        roles           LIST<INT64>,
                GRANT WRITE TO "_creator",
                GRANT READ TO "_world"
            );

        """

    /// Parses a schema; returns `nil` if there are findings.
    static func schema(_ text: String) -> Schema? {
        let document = SchemaDocument(bytes: Array(text.utf8), path: "schema.ckdb")
        return document.diagnostics.isEmpty ? document.schema : nil
    }
}
