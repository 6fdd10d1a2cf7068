internal import ModelSchema
internal import SwiftSources

/// A reader of one version of a schema.
enum VersionReader {
    /// Returns a version and its classes, or `nil` with the problems if it cannot be read completely.
    static func read(
        _ schema: SchemaVersions.Version, table: TypeTable, texts: SourceTexts
    ) -> (version: SwiftDataVersion?, classes: [TypeTable.Entry], problems: [SourceProblem]) {
        var entries: [TypeTable.Entry] = []
        var reader = EntityReader(table: table, texts: texts)
        var model = Model(name: schema.name)
        var classes: [String: TypeTable.Entry] = [:]
        let listed = Set(schema.models.map(\.type.name))
        var waiting = schema.models[...]
        while true {
            // SwiftData adds the destination models of relationships. A name refers to the listed model of that name.
            if waiting.isEmpty { waiting += reader.takeDestinations().filter { !listed.contains($0.type.name) } }
            guard let entry = waiting.popFirst() else { break }
            if let existing = classes[entry.type.name] {
                if existing.key != entry.key { reportDuplicate(entry, other: existing, reader: &reader) }
                continue
            }
            classes[entry.type.name] = entry
            entries.append(entry)
            model.entities.append(reader.entity(of: entry))
        }
        let (relationships, problems) = InverseInference.run(reader.relationships)
        reader.problems += problems
        for pending in relationships {
            guard let index = model.entities.firstIndex(where: { $0.name == pending.entity }) else { continue }
            model.entities[index].relationships.append(pending.relationship)
        }
        reader.values.nameComposites(of: &model)
        model.settings.userDefinedModelVersionIdentifier = schema.identifier
        model.settings.usedWithSwiftData = true
        checkConstraints(of: model, &reader)
        guard reader.problems.isEmpty else { return (nil, [], reader.problems) }
        let version = SwiftDataVersion(
            name: schema.name, identifier: schema.identifier, model: model,
            locations: reader.spans.map(texts.location), declaration: schema.span.map(texts.location),
            findings: InverseFindings.all(relationships))
        return (version, entries, [])
    }

    private static func reportDuplicate(
        _ entry: TypeTable.Entry, other: TypeTable.Entry, reader: inout EntityReader
    ) {
        let span = reader.texts.describe(other.type.span)
        reader.report(
            "two models of one schema are named “\(entry.type.name)”: here and at \(span)", entry.type.span,
            help: "list the models of each version in a `VersionedSchema`, or leave out the file of the old one")
    }

    /// Reports constraints that are declared twice, and names that occur twice in a constraint.
    private static func checkConstraints(of model: Model, _ reader: inout EntityReader) {
        for entity in model.entities {
            var seen: Set<[String]> = []
            for constraint in entity.uniquenessConstraints {
                let names = constraint.properties.map(\.name)
                guard !seen.insert(names).inserted || Set(names).count < names.count else { continue }
                let origin = constraint.origin ?? constraint.properties.first?.origin ?? entity.origin
                reader.report(
                    "the constraint on “\(names.joined(separator: ", "))” of “\(entity.name)” repeats itself: "
                        + "which version hash this gives is unknown",
                    origin.map { reader.spans[$0.index] } ?? SourceSpan(file: 0, range: 0..<0),
                    help: "declare it once, by `#Unique` or by `@Attribute(.unique)`")
            }
        }
    }
}
