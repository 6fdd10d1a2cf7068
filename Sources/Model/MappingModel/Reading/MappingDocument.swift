package import Diagnostics
package import ModelSource

/// An `xcmapping.xml` that was read: the mapping model, and the findings.
package struct MappingDocument: Sendable {
    /// The reason why bytes are not a mapping model.
    package struct NotAMappingModel: Error, Sendable {
        /// The error, with the file's actual type.
        package var diagnostic: Diagnostic
        /// The lines of the file, for excerpts; `nil` if it is not text.
        package var lines: LineIndex?
    }

    /// The name of the file in an `.xcmappingmodel`.
    package static let fileName = "xcmapping.xml"

    /// The mapping model, or as much of it as could be read.
    package let source: MappingSource
    /// The findings from reading, in the order of the file.
    package let diagnostics: [Diagnostic]
    package let file: XMLFile

    /// Reads an `xcmapping.xml`.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - path: The path that diagnostics name.
    ///   - name: The name of the mapping model.
    /// - Throws: `NotAMappingModel` if the bytes are not a mapping model; any other problem is a diagnostic.
    package init(bytes: [UInt8], path: String, name: String) throws(NotAMappingModel) {
        func failure(_ message: String, _ lines: LineIndex?) -> NotAMappingModel {
            NotAMappingModel(
                diagnostic: Diagnostic(
                    .error, rule: .notAMappingModel, message, file: path, range: .fileStart,
                    help: "Restore the file from version control."), lines: lines)
        }
        if bytes.isEmpty { throw failure("the file is empty", nil) }
        if bytes.starts(with: Array("bplist".utf8)) {
            throw failure("the file is a binary property list, not the source of a mapping model", nil)
        }
        let file = XMLFile(bytes: bytes, path: path)
        guard let root = file.root else {
            throw failure("the file is not a mapping model: it has no XML element", file.lines)
        }
        guard file.name(of: root) == "database" else {
            throw failure(
                "the file is not a mapping model: its root element is <\(file.name(of: root))>, not <database>",
                file.lines
            )
        }
        self.file = file
        var findings = FindingCollector()
        let store = XMLStoreDocument(file, &findings)
        var reader = MappingReader(store: store, findings: findings, isIncomplete: file.isIncomplete)
        guard let source = reader.read(name: name) else {
            // The syntax error of a malformed file is more informative.
            let problem = file.diagnostics.first { $0.severity == .error }
            throw NotAMappingModel(
                diagnostic: problem ?? failure("the file has no XDDEVMAPPINGMODEL object", nil).diagnostic,
                lines: file.lines)
        }
        self.source = source
        diagnostics =
            (file.diagnostics + reader.findings.findings.map { file.diagnostic(for: $0) }).sortedByLocation()
    }
}
