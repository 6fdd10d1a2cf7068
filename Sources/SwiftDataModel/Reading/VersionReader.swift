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
        var classes: [String: [String]] = [:]
        var waiting = schema.models[...]
        while let entry = waiting.popFirst() {
            if let known = classes[entry.type.name] {
                if known != entry.type.path { reportDuplicate(entry, table.entries[known], &reader) }
                continue
            }
            classes[entry.type.name] = entry.type.path
            entries.append(entry)
            model.entities.append(reader.entity(of: entry))
            // SwiftData adds the destination models of relationships. A name refers to the listed model of that name.
            if waiting.isEmpty {
                waiting += reader.destinations.filter { classes[$0.type.name] == nil }
            }
        }
        let (relationships, problems) = InverseInference.run(reader.relationships)
        reader.problems += problems
        for pending in relationships {
            guard let index = model.entities.firstIndex(where: { $0.name == pending.entity }) else { continue }
            model.entities[index].relationships.append(pending.relationship)
        }
        model.composites = reader.values.composites
        model.settings.userDefinedModelVersionIdentifier = schema.identifier
        model.settings.usedWithSwiftData = true
        checkConstraints(of: model, &reader)
        guard reader.problems.isEmpty else { return (nil, [], reader.problems) }
        let version = SwiftDataVersion(
            name: schema.name, identifier: schema.identifier, model: model,
            locations: reader.places.map(texts.location), findings: InverseFindings.all(relationships))
        return (version, entries, [])
    }

    private static func reportDuplicate(
        _ entry: TypeTable.Entry, _ other: TypeTable.Entry?, _ reader: inout EntityReader
    ) {
        let place = other.map { " and at \(reader.texts.describe($0.type.place))" } ?? ""
        reader.report(
            "two models of one schema are named “\(entry.type.name)”: here\(place)", entry.type.place,
            help: "list the models of each version in a `VersionedSchema`, or leave out the file of the old one")
    }

    /// Reports constraints that are declared twice, and names that occur twice in a constraint.
    private static func checkConstraints(of model: Model, _ reader: inout EntityReader) {
        for entity in model.entities {
            var known: Set<[String]> = []
            for constraint in entity.uniquenessConstraints {
                let names = constraint.properties.map(\.name)
                guard !known.insert(names).inserted || Set(names).count < names.count else { continue }
                let origin = constraint.origin ?? constraint.properties.first?.origin ?? entity.origin
                reader.report(
                    "the constraint on “\(names.joined(separator: ", "))” of “\(entity.name)” repeats itself: "
                        + "which version hash this gives is unknown",
                    origin.map { reader.places[$0.index] } ?? SourcePlace(file: 0, range: 0..<0),
                    help: "declare it once, by `#Unique` or by `@Attribute(.unique)`")
            }
        }
    }
}
