package import Diagnostics

/// A schema file that was read: the schema, and the findings.
package struct SchemaDocument: Sendable {
    /// The schema, or as much of it as could be read.
    package let schema: Schema
    /// The path that diagnostics name.
    package let path: String
    /// The findings, in the order of the file. With an error among them, the schema must not be used.
    package private(set) var diagnostics: [Diagnostic]
    /// The lines of the file, for excerpts.
    package let lines: LineIndex

    /// Reads a schema.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - path: The path that diagnostics name.
    package init(bytes: [UInt8], path: String) {
        self.path = path
        lines = LineIndex(bytes)
        if bytes.contains(0) || !String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes) {
            schema = Schema()
            diagnostics = [
                Diagnostic(
                    .error, rule: .cloudkitSyntax, "this is not a CloudKit schema: it is not UTF-8 text", file: path,
                    range: .fileStart,
                    help: "Specify a file written by “cktool export-schema” or “modelc cloudkit export”.")
            ]
            return
        }
        let parser = SchemaParser(bytes)
        schema = parser.schema
        diagnostics = []
        let findings = parser.findings + SchemaValidation.findings(in: parser.schema)
        diagnostics = findings.map { diagnostic(for: $0) }.sortedByLocation()
    }

    /// Returns a finding as a diagnostic with its location in this file.
    package func diagnostic(for finding: CloudKitSchemaFinding) -> Diagnostic {
        Diagnostic(
            finding.severity, rule: finding.rule, finding.message, file: path, range: lines.range(of: finding.offsets),
            why: finding.why, help: finding.help)
    }

    /// Returns the range of an element that was read from this file, or `nil` for other elements.
    package func range(of location: SchemaLocation) -> SourceRange? { location.offsets.map { lines.range(of: $0) } }
}
