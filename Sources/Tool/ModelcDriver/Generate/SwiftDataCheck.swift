internal import CodeGeneration
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
internal import SwiftDataModel

/// Reads generated SwiftData code back, and compares its version hashes with those of the Core Data models.
struct SwiftDataCheck {
    /// The findings of each version, in the order of the versions.
    let findings: [[ModelFinding]]

    /// Checks generated code.
    init(_ inputs: [SwiftDataInput], _ result: SwiftDataGenerator.Result) {
        let sources = SwiftDataSources(
            result.files.filter(\.isRegenerated).map { SwiftSourceFile(path: $0.name, bytes: Array($0.text.utf8)) })
        var seen: [EntityVersionHashes: String] = [:]
        findings = zip(inputs, result.schemaNames).map { input, name in
            guard let read = sources.versions.first(where: { $0.name == name }) else {
                return [Self.unknown(input, sources.findings)]
            }
            let generated = IndexedModel(read.model)
            var found = Self.differences(IndexedModel(input.model), generated)
            if let other = seen.updateValue(input.name, forKey: generated.hashes.entities) {
                found.append(
                    ModelFinding(
                        .warning, rule: .swiftDataHash,
                        "the versions “\(other)” and “\(input.name)” have the same SwiftData model",
                        at: input.model.origin,
                        why:
                            "They differ only in settings that SwiftData cannot express, and SwiftData traps on equal versions.",
                        help: "Remove one of the two from the bundle that is generated from."))
            }
            return found
        }
    }

    private static func unknown(_ input: SwiftDataInput, _ findings: [Diagnostic]) -> ModelFinding {
        // The reader found no such version. The reason is that of the first class that it cannot read.
        let reason = findings.first.map { " (\($0.message))" } ?? ""
        return ModelFinding(
            .warning, rule: .swiftDataHash, "the version hashes of the SwiftData model are unknown",
            at: input.model.origin,
            why: "The generated code uses a construct whose hash has not been verified against a store\(reason).",
            help: "Make a store with the generated code on a Mac, and compare `modelc hash` of both stores.")
    }

    private static func differences(_ original: IndexedModel, _ generated: IndexedModel) -> [ModelFinding] {
        original.sortedEntities.compactMap { entity in
            let other = generated.entities[entity.name]
            guard entity.hash == nil || entity.hash != other?.hash else { return nil }
            let names = entity.properties.values.filter { owned in
                let same = other?.properties[owned.property.name]
                return hash(owned, original.model) != same.flatMap { hash($0, generated.model) }
            }.map { "“\($0.name)”" }.sorted()
            return ModelFinding(
                .warning, rule: .swiftDataHash,
                "the version hash of “\(entity.name)” differs from that of the Core Data model",
                at: entity.entity.origin,
                why: (names.isEmpty
                    ? "The entity itself differs" : "SwiftData stores \(names.joined(separator: ", ")) differently")
                    + ", so SwiftData does not open stores that Core Data wrote with this version.",
                help:
                    "Migrate to a Core Data version without the difference first, or copy the objects into a new store."
            )
        }
    }

    private static func hash(_ owned: IndexedModel.OwnedProperty, _ model: Model) -> VersionHash? {
        if case .attribute(let attribute) = owned.property {
            return try? attribute.versionHash(composites: model.composites)
        }
        return owned.versionHash
    }
}
