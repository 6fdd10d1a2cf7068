internal import Diagnostics
internal import ModelSchema
internal import SwiftSources

/// Finds declarations that the versions of a schema share, and models that belong to no version.
struct VersionFindings {
    private let parsed: ParsedSources
    /// The classes of each version that could be read, in the order of `SwiftDataSources.versions`.
    private let classes: [[TypeTable.Entry]]
    private let chains: [VersionChain]
    private let schemaPaths: Set<[String]>

    init(_ parsed: ParsedSources, classes: [[TypeTable.Entry]], chains: [VersionChain]) {
        self.parsed = parsed
        self.classes = classes
        self.chains = chains
        schemaPaths = Set(parsed.table.versionedSchemas.map(\.type.path))
    }

    /// Adds the findings to the affected versions.
    func add(to versions: inout [SwiftDataVersion]) {
        guard versions.count == classes.count, !versions.isEmpty else { return }
        addEqualVersions(to: &versions)
        addRepeatedIdentifiers(to: &versions)
        // Without a plan, the last version of the sources is the current one.
        let isPlanned = chains.contains { $0.planName != nil }
        let newest = isPlanned ? Set(chains.compactMap(\.versions.last)) : [versions[versions.count - 1].name]
        for index in versions.indices {
            if !newest.contains(versions[index].name) { addLiveDeclarations(to: &versions[index], classes[index]) }
            addSharedValues(to: &versions[index], classes[index])
        }
        addUnlistedModels(to: &versions[versions.count - 1])
    }

    private func add(_ finding: DeclarationFinding, at span: SourceSpan, to version: inout SwiftDataVersion) {
        var finding = finding
        finding.origin = origin(of: span, in: &version)
        version.findings.append(finding)
    }

    private func origin(of span: SourceSpan, in version: inout SwiftDataVersion) -> ElementOrigin {
        version.locations.append(parsed.texts.location(span))
        return ElementOrigin(index: version.locations.count - 1)
    }

    // MARK: Versions that are the same

    private func span(_ name: String) -> SourceSpan? {
        parsed.schemas.versions.first { $0.name == name }?.span
    }

    private func addEqualVersions(to versions: inout [SwiftDataVersion]) {
        for equal in EqualVersions.all(versions, chains) {
            guard let index = versions.firstIndex(where: { $0.name == equal.later.name }),
                let span = span(equal.later.name)
            else { continue }
            add(
                DeclarationFinding(
                    rule: .swiftDataEqualVersions, message: equal.message, why: EqualVersions.why,
                    help: EqualVersions.help), at: span, to: &versions[index])
        }
    }

    private func addRepeatedIdentifiers(to versions: inout [SwiftDataVersion]) {
        for chain in chains {
            var owners: [String: String] = [:]
            for name in chain.versions {
                guard let index = versions.firstIndex(where: { $0.name == name }), let span = span(name),
                    let identifier = versions[index].identifier
                else { continue }
                guard let owner = owners[identifier] else {
                    owners[identifier] = name
                    continue
                }
                add(
                    DeclarationFinding(
                        rule: .swiftDataRepeatedIdentifier,
                        message: "“\(name)” has the version identifier \(identifier) of “\(owner)”",
                        why:
                            "modelc orders versions by their identifiers; a repeated one is probably left from a copy.",
                        help: "Give each version its own identifier."), at: span, to: &versions[index])
            }
        }
    }

    // MARK: Declarations that move

    /// Returns whether a type is declared inside a `VersionedSchema`.
    private func isFrozen(_ path: [String]) -> Bool {
        (0..<path.count).contains { schemaPaths.contains(Array(path.prefix($0))) }
    }

    private func addLiveDeclarations(to version: inout SwiftDataVersion, _ entries: [TypeTable.Entry]) {
        let why = "An edit would change the version hashes of a released version, and its stores would no longer open."
        let help =
            "Write a copy of the version: `modelc swiftdata freeze \(version.name)`, or hide the finding if the sources "
            + "are still those of the release and `modelc lock check` runs in CI."
        var live: [(message: String, span: SourceSpan)] = []
        for entry in entries where !isFrozen(entry.type.path) {
            live.append(("“\(entry.type.name)” belongs to", entry.type.span))
        }
        for (type, owners) in values(of: entries) where !isFrozen(type.path) {
            live.append(("“\(type.name)” is stored by \(owners.joined(separator: ", ")) of", type.span))
        }
        let end = "the old version “\(version.name)”, but is declared outside of it"
        guard live.count > Self.maximumLiveDeclarations, let span = span(version.name) else {
            for (message, span) in live {
                add(
                    DeclarationFinding(
                        rule: .swiftDataLiveDeclaration, message: "\(message) \(end)", why: why, help: help), at: span,
                    to: &version)
            }
            return
        }
        var finding = DeclarationFinding(
            rule: .swiftDataLiveDeclaration,
            message:
                "the old version “\(version.name)” has \(live.count) models and values that are declared outside of it",
            why: why, help: help)
        finding.related = live.prefix(Self.maximumLiveDeclarations).map { message, span in
            ("\(message) the version", origin(of: span, in: &version))
        }
        add(finding, at: span, to: &version)
    }

    /// The maximum number of shared declarations that are reported one by one.
    private static let maximumLiveDeclarations = 3

    private func addSharedValues(to version: inout SwiftDataVersion, _ entries: [TypeTable.Entry]) {
        for (type, owners) in values(of: entries) where type.kind == .struct && owners.count > 1 {
            add(
                DeclarationFinding(
                    rule: .swiftDataSharedValue,
                    message: "“\(type.name)” is stored by \(owners.joined(separator: ", "))",
                    why: "A change of its properties changes the version hash of each of these models.",
                    help: "Change it together with a new version of the schema."), at: type.span, to: &version)
        }
    }

    /// Returns the value types that classes store, directly or in other values, with the names of the properties.
    private func values(of entries: [TypeTable.Entry]) -> [(type: TypeSource, owners: [String])] {
        var found: [[String]: (type: TypeSource, owners: [String])] = [:]
        for entry in entries {
            for property in entry.properties where property.isStored {
                guard !property.attributes.contains(where: { $0.name == "Transient" }) else { continue }
                visit(property, of: entry, depth: 0) { type in
                    let owner = "“\(entry.type.name).\(property.name)”"
                    if found[type.path]?.owners.contains(owner) == true { return }
                    found[type.path, default: (type, [])].owners.append(owner)
                }
            }
        }
        return found.values.sorted {
            ($0.type.span.file, $0.type.span.range.lowerBound) < ($1.type.span.file, $1.type.span.range.lowerBound)
        }
    }

    private func visit(
        _ property: PropertySource, of entry: TypeTable.Entry, depth: Int, _ body: (TypeSource) -> Void
    ) {
        guard depth < 16, let type = LiteralType.type(of: property, in: property.scope(in: entry), parsed.table),
            case .type(let value) = parsed.table.resolve(type.unwrapped, from: property.scope(in: entry)),
            !value.type.isModel
        else { return }
        body(value.type)
        guard value.type.kind == .struct else { return }
        for inner in value.properties where inner.isStored { visit(inner, of: value, depth: depth + 1, body) }
    }

    // MARK: Models of no version

    private func addUnlistedModels(to version: inout SwiftDataVersion) {
        guard parsed.schemas.isListed else { return }
        let isVersioned = parsed.schemas.isVersioned
        let listed = Set(classes.flatMap { $0 }.map(\.type.path))
        for model in parsed.table.models where !listed.contains(model.type.path) {
            let twin = classes.flatMap { $0 }.last { $0.type.name == model.type.name }
            guard let twin else {
                add(
                    DeclarationFinding(
                        rule: .swiftDataUnlistedModel,
                        message: isVersioned
                            ? "no version of the schema has the model “\(model.type.name)”"
                            : "no schema in the sources has the model “\(model.type.name)”",
                        why: "A container of the schema cannot store it.",
                        help: isVersioned
                            ? "Add it to `models` of the last `VersionedSchema`, or remove the class."
                            : "Add it to the list of `Schema` or `ModelContainer`, or remove the class."),
                    at: model.type.span, to: &version)
                continue
            }
            let other = origin(of: twin.type.span, in: &version)
            add(
                DeclarationFinding(
                    rule: .swiftDataDuplicateModel,
                    message:
                        "“\(model.type.name)” is not in a \(isVersioned ? "version of the schema" : "schema"), but another model with this name is",
                    why:
                        "Both are the entity “\(model.type.name)” to SwiftData, so it is easy to use the wrong one.",
                    help: "Remove the class, or list it in a \(isVersioned ? "version" : "schema").",
                    related: [("the model of the schema is declared here", other)]), at: model.type.span, to: &version)
        }
    }
}

extension TypeTable {
    /// The types that conform to `VersionedSchema`.
    var versionedSchemas: [Entry] {
        types.filter { $0.type.kind != .protocol && conforms($0, to: "VersionedSchema") }
    }
}
