package import Diagnostics
internal import ModelSchema
internal import SwiftSources

/// A self-contained copy of one version of a SwiftData schema, as Swift source.
///
/// The copy declares its classes and values inside a `VersionedSchema`, so that later changes of the live classes do not affect
/// its version hashes.
package struct FrozenSchema: Sendable {
    /// The source.
    package var text: String

    /// The reason why a version cannot be frozen.
    package struct Failure: Error, Sendable {
        /// The findings, with their locations.
        package var findings: [Diagnostic]
    }

    /// Freezes a version.
    ///
    /// - Parameters:
    ///   - name: The name of the `VersionedSchema` that is frozen; for sources without one, the name of the new one.
    ///   - identifier: The version identifier; `nil` for that of the sources.
    ///   - files: The sources.
    ///   - definitions: The known values of conditions of `#if`.
    /// - Throws: `Failure` if the version does not exist or cannot be read, or if a copy would have different version
    ///   hashes.
    package init(
        freezing name: String, identifier: String? = nil, in files: [SwiftSourceFile], definitions: [String: Bool] = [:]
    ) throws(Failure) {
        let parsed = ParsedSources(files, definitions: definitions)
        let sources = SwiftDataSources(parsed)
        guard !sources.findings.hasErrors else { throw Failure(findings: sources.findings) }
        let (table, texts, versions) = (parsed.table, parsed.texts, parsed.schemas.versions)
        let wanted = sources.isVersioned ? versions.first { $0.name == name || $0.identifier == name } : versions.first
        guard var wanted else {
            let names = versions.map { "“\($0.name)”" }.joined(separator: ", ")
            throw Self.failure(
                "the sources have no version “\(name)”",
                help: names.isEmpty ? "Specify sources with models." : "They have \(names).")
        }
        if !sources.isVersioned { wanted.name = name }
        if let identifier { wanted.identifier = identifier }
        guard SwiftIdentifier.isValid(wanted.name.split(separator: ".").last.map(String.init) ?? "") else {
            throw Self.failure(
                "“\(wanted.name)” is not a valid type name", help: "Use letters, digits and underscores.")
        }
        let (original, classes, _) = VersionReader.read(wanted, table: table, texts: texts)
        var writer = FrozenSchemaWriter(table: table, texts: texts)
        text = try writer.text(of: wanted, classes)
        let copy = SwiftDataSources([SwiftSourceFile(path: "\(wanted.name).swift", bytes: Array(text.utf8))])
        let hashes = copy.versions.first?.model.versionHashes().entities
        guard copy.findings.isEmpty, let hashes, hashes == original?.model.versionHashes().entities else {
            throw Self.failure(
                "a copy of “\(wanted.name)” would have other version hashes"
                    + (copy.findings.first.map { ": \($0.message)" } ?? ""),
                help: "Copy the classes by hand, and compare with `modelc hash`.")
        }
    }

    static func failure(_ message: String, help: String) -> Failure {
        Failure(findings: [Diagnostic(.error, rule: .swiftDataUnsupported, message, help: help)])
    }
}
