internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema
internal import SwiftDataModel

/// The findings about breaking changes.
enum BreakingMessages {
    static func finding(_ change: BreakingChange, comparedWith reference: String) -> ModelFinding {
        let (rule, severity, message, why, help) = texts(change, reference)
        return ModelFinding(
            severity, rule: rule, message, at: change.origin, attribute: change.origin == nil ? nil : "name", why: why,
            help: help)
    }

    /// Returns the help for SwiftData models, whose versions are declared and whose names are given in Swift; `nil` if
    /// it is the same.
    static func swiftHelp(_ change: BreakingChange) -> String? {
        switch change.kind {
        case .editedVersion:
            "Restore the version, and make the change in a new `VersionedSchema`. A copy by “modelc swiftdata freeze” "
                + "keeps a released version apart from the live classes."
        case .equalVersions: EqualVersions.help
        case .renameWithoutIdentifier(let old, _) where change.property != nil:
            "Write `@Attribute(originalName: \"\(old)\")`, or `@Relationship(originalName: \"\(old)\")` for a relationship."
        case .renameWithoutIdentifier:
            "SwiftData has no argument for the earlier name of a model: keep the name, or move the values in a custom stage."
        default: nil
        }
    }

    private typealias Texts = (rule: RuleID, severity: Severity, message: String, why: String?, help: String)

    private static func texts(_ change: BreakingChange, _ reference: String) -> Texts {
        let version = change.versions.last ?? ""
        // A lock holds hashes only.
        let origin = reference.hasSuffix(".lock") ? "version control" : reference
        switch change.kind {
        case .editedVersion(let entities): return edited(version, entities: entities, reference: reference)
        case .deletedVersion:
            return (
                .releasedVersionDeleted, .error, "the released version “\(version)” was deleted",
                "Stores of the version cannot be migrated without its model (134130).",
                "Restore it from \(origin)."
            )
        case .rolledBackVersion(let earlier):
            return (
                .releasedVersionRolledBack, .error,
                "the released version “\(version)” now has the contents of “\(earlier)”",
                "Stores of the version have hashes that no longer match any version (134130).",
                "Restore it from \(origin), and add a new version with the contents of the earlier one."
            )
        case .currentWentBack(let before):
            return (
                .currentVersionWentBack, .error,
                "the current version went back from “\(before)” to “\(version)”",
                "Users have stores of “\(before)”, which would have to be migrated backwards (134506).",
                "Make “\(before)” current again, or add a new version."
            )
        case .equalVersions(let other):
            return (
                .equalVersionHashes, .warning, "the versions “\(other)” and “\(version)” have equal version hashes",
                "Core Data cannot tell their stores apart, and two stages for them are an error.",
                "Delete the newer one, or set a hash modifier if data must be migrated between them."
            )
        case .notLightweight(let obstacle): return notLightweight(obstacle, change.versions)
        case .droppedValues(let risk):
            return (
                .droppedValues, .warning, "“\(risk.element)” \(risk.reason)",
                "Lightweight migration removes the old property with its values and adds a new one.",
                "Use another name for the new property, and move the values in a custom migration stage or with a mapping "
                    + "model."
            )
        case .renameWithoutIdentifier(let old, let new):
            return (
                .renameWithoutIdentifier, .warning,
                "“\(change.property.map { "\(change.entity ?? "").\($0)" } ?? new)” was probably renamed from “\(old)” of "
                    + "“\(version)”",
                "Without a renaming identifier, migration deletes “\(old)” with its values and adds an empty “\(new)”.",
                "Set the renaming identifier to “\(old)” (Data Model inspector ▸ Versioning ▸ Renaming ID)."
            )
        case .notAdditive(let reason):
            let element = change.property.map { "\(change.entity ?? "").\($0)" } ?? change.entity ?? ""
            return (
                .cloudkitNotAdditive, .error, "“\(element)” \(reason)",
                "CloudKit's production environment accepts additions only.",
                "Keep the element of “\(version)” and add a new one beside it."
            )
        }
    }

    private static func edited(
        _ version: String, entities: [BreakingChange.EditedEntity], reference: String
    ) -> Texts {
        let shown = entities.prefix(6).map { "“\($0.name)”" }.joined(separator: ", ")
        let more = entities.count > 6 ? " and \(entities.count - 6) more" : ""
        let terms = entities.prefix(6).filter { !$0.terms.isEmpty }.map { entity in
            "“\(entity.name)”: " + entity.terms.map(DiffPhrases.text).joined(separator: ", ")
        }
        return (
            .releasedVersionEdited, .error,
            "the version hashes of the released version “\(version)” differ from those in \(reference): \(shown)\(more)",
            "Stores of the version fail to open, because no version of the model has their hashes (134130, 134504)."
                + (terms.isEmpty ? "" : " What changed: \(terms.joined(separator: "; "))."),
            "Restore the version, and make the change in a new one with “modelc new-version”."
        )
    }

    private static func notLightweight(_ obstacle: MigrationObstacle, _ versions: [String]) -> Texts {
        let isCollision = if case .ambiguousIdentifier = obstacle.kind { true } else { false }
        return (
            isCollision ? .renamingIdentifierCollision : .notLightweight, .error,
            "“\(obstacle.element)” \(obstacle.reason)",
            "Lightweight migration from \(list(versions)) " + consequence(obstacle), obstacle.help
        )
    }

    private static func list(_ versions: [String]) -> String {
        let names = versions.map { "“\($0)”" }
        return names.count < 4
            ? names.joined(separator: ", ") : "\(names[0]) and \(names.count - 1) later versions"
    }

    private static func consequence(_ obstacle: MigrationObstacle) -> String {
        let code = obstacle.errorCode ?? 134_140
        return switch obstacle.certainty {
        case .known: "fails (\(code))."
        case .likely: "probably fails (\(code)); no migration of this kind was observed."
        case .unknown: "is not documented for this change; it is assumed to fail."
        }
    }
}
