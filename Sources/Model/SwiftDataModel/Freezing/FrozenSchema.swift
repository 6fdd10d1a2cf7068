package import Diagnostics
internal import ModelSchema
internal import SwiftSources

/// A self-contained copy of one version of a SwiftData schema, as Swift source.
///
/// The copy declares its classes and values inside a `VersionedSchema`, so that later changes of the live classes do
/// not affect its version hashes.
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
        guard parsed.problems.isEmpty else {
            throw Failure(findings: parsed.problems.map { parsed.diagnostic($0, .swiftSourceUnreadable) })
        }
        let versions = parsed.schemas.versions
        let isVersioned = parsed.schemas.isVersioned
        let requested = isVersioned ? versions.first { $0.name == name || $0.identifier == name } : versions.first
        guard var requested else {
            let names = versions.map { "“\($0.name)”" }.joined(separator: ", ")
            throw Self.failure(
                "the sources have no version “\(name)”",
                help: names.isEmpty ? "Specify sources with models." : "They have \(names).")
        }
        if !isVersioned { requested.name = name }
        if let identifier { requested.identifier = identifier }
        let typeName = requested.name.split(separator: ".").last.map(String.init) ?? ""
        guard SwiftIdentifier.isValid(typeName) else {
            throw Self.failure(
                "“\(requested.name)” is not a valid type name", help: "Use letters, digits and underscores.")
        }
        // Other versions need not be readable.
        let (original, classes, problems) = VersionReader.read(requested, table: parsed.table, texts: parsed.texts)
        guard requested.problems.isEmpty, problems.isEmpty else {
            throw Failure(
                findings: (requested.problems + problems).map { parsed.diagnostic($0, .swiftDataUnsupported) })
        }
        var writer = try FrozenSchemaWriter(parsed, name: typeName, classes: classes)
        text = try writer.text(identifier: requested.identifier)
        let copiedFile = SwiftSourceFile(path: "\(typeName).swift", bytes: Array(text.utf8))
        let copiedSources = ParsedSources([copiedFile], definitions: definitions)
        let copy = SwiftDataSources(copiedSources)
        let hashes = copy.versions.first?.model.versionHashes().entities
        guard copy.findings.isEmpty, let hashes, hashes == original?.model.versionHashes().entities else {
            throw Self.failure(
                "a copy of “\(requested.name)” would have different version hashes"
                    + (copy.findings.first.map { ": \($0.message)" } ?? ""),
                help: "Copy the classes by hand, and compare with `modelc hash`.")
        }
        // Version hashes do not cover how values are encoded.
        let other = writer.types.values.first { entry in
            let path = [typeName] + (writer.types.paths[entry.key] ?? [])
            guard case .type(let copied)? = copiedSources.table.find(path, from: Scope(path: [], file: 0)) else {
                return true
            }
            return parsed.encodedMembers(of: entry) != copiedSources.encodedMembers(of: copied)
        }
        if let other {
            throw Self.failure(
                "a copy of “\(other.type.path.joined(separator: "."))” would be encoded differently",
                at: parsed.texts.location(other.type.span), help: "Copy the type by hand.")
        }
    }

    static func failure(_ message: String, at location: SourceLocation? = nil, help: String) -> Failure {
        Failure(findings: [
            Diagnostic(
                .error, rule: .swiftDataUnsupported, message, file: location?.file, range: location?.range, help: help)
        ])
    }
}

extension ParsedSources {
    /// Returns the parts of a value type that decide how it is encoded.
    fileprivate func encodedMembers(of entry: TypeTable.Entry) -> [String] {
        var members = [entry.type.kind.rawValue]
        for property in entry.type.properties where property.isStored {
            members.append((property.attributes.map(\.name) + [property.name]).joined(separator: " "))
        }
        for value in entry.type.cases {
            members.append(
                "\(value.name) \(value.payloadTypes.count) \(texts.text(value.rawValue, in: value.span.file))")
        }
        members += entry.functions.filter { $0 == "encode(to:)" || $0 == "init(from:)" }.sorted()
        if table.has("CodingKeys", in: entry) { members.append("CodingKeys") }
        return members
    }
}
