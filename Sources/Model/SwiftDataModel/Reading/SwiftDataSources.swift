package import Diagnostics
package import ModelSchema

/// A version of a SwiftData schema, as its sources declare it.
package struct SwiftDataVersion: Sendable {
    /// The name of the `VersionedSchema`, or `Schema` if the sources declare none.
    package var name: String
    /// The version identifier, such as `1.0.0`, or `nil` if it could not be read.
    package var identifier: String?
    package var model: Model
    /// The locations of the model's parts, by the index of their origin.
    package var locations: [SourceLocation]
    /// The location of the `VersionedSchema`, or `nil` if the sources declare none.
    package var declaration: SourceLocation?
    /// The findings about the readable version, for `modelc lint`.
    package var findings: [DeclarationFinding] = []

    /// Returns the location of a part of the model.
    package func location(of origin: ElementOrigin?) -> SourceLocation? {
        origin.flatMap { locations.indices.contains($0.index) ? locations[$0.index] : nil }
    }
}

/// The SwiftData models that Swift sources declare.
///
/// A version with a problem has no model: the version hashes of part of a class differ from those of the whole class.
package struct SwiftDataSources: Sendable {
    /// The versions that could be read, from the oldest to the newest.
    package var versions: [SwiftDataVersion]
    /// The errors that prevent models from being read.
    package var findings: [Diagnostic]
    /// Whether the sources declare a `VersionedSchema`.
    package var isVersioned: Bool
    /// The versions that follow each other.
    package var chains: [VersionChain] = []

    /// Reads the models in source files.
    ///
    /// - Parameters:
    ///   - files: The files of one module, in UTF-8.
    ///   - definitions: The known values of `#if` conditions: flags, and functions such as `os(iOS)`.
    ///   - lints: Whether to compute the `findings` of the versions.
    package init(_ files: [SwiftSourceFile], definitions: [String: Bool] = [:], lints: Bool = false) {
        self.init(ParsedSources(files, definitions: definitions), lints: lints)
    }

    init(_ sources: ParsedSources, lints: Bool = false) {
        let (texts, schemas) = (sources.texts, sources.schemas)
        findings = sources.problems.map { sources.diagnostic($0, .swiftSourceUnreadable) }
        versions = []
        isVersioned = schemas.isVersioned
        findings += schemas.problems.map { sources.diagnostic($0, .swiftDataUnsupported) }
        guard sources.problems.isEmpty else { return }
        var seen: Set<SourceProblem> = []
        var classes: [[TypeTable.Entry]] = []
        for schema in schemas.versions {
            let (version, entries, problems) = VersionReader.read(schema, table: sources.table, texts: texts)
            for problem in problems where seen.insert(problem).inserted {
                findings.append(sources.diagnostic(problem, .swiftDataUnsupported))
            }
            if let version, schemas.problems.isEmpty {
                versions.append(version)
                classes.append(entries)
            }
        }
        chains = VersionChain.all(versions, plans: schemas.plans)
        // An unreadable version may list the models that seem to be missing.
        if lints, findings.isEmpty { VersionFindings(sources, classes: classes, chains: chains).add(to: &versions) }
    }
}
