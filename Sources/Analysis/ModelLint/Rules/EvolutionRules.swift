internal import Diagnostics

/// The findings about changes between two states of a model.
///
/// `modelc breaking` reports them; settings and suppressions apply as to the rules of `modelc lint`.
enum EvolutionRules {
    /// The name of the group whose rules are configurable although `modelc lint` does not report them.
    static let group = "evolution"

    static let descriptions: [RuleDescription] = rules + commandFindings

    private static func rule(
        _ id: RuleID, code: String, title: String, explanation: String, fix remedy: String,
        _ severity: Severity = .error, in commands: String = "`breaking`"
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: group, title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: severity, commands: commands)
    }

    private static let rules = [
        rule(
            .releasedVersionEdited, code: "MC0501", title: "the version hashes of a released version changed",
            explanation: """
                A store identifies its version only by the version hashes of its entities. Once a version has shipped, any \
                change that affects a hash leaves the stores of that version without a model: they fail to open with error \
                134130 (no source model) or 134504 (unknown model version), and migration cannot start. Changes that \
                affect no hash, such as classes, default values, indexes or delete rules, are not reported.
                """,
            fix: "Restore the version, and make the change in a new version: `modelc new-version`."),
        rule(
            .releasedVersionDeleted, code: "MC0502", title: "a released version was deleted",
            explanation: """
                Stores of the version can no longer be migrated: Core Data finds no model for them (134130). A version \
                that was only renamed is not reported.
                """,
            fix: "Restore the version from a revision that contains it."),
        rule(
            .releasedVersionRolledBack, code: "MC0503", title: "a released version has the contents of an earlier one",
            explanation: "Stores written with the version have hashes that no longer match any version.",
            fix: "Restore the version. To return to an earlier structure, add a new version that has it."),
        rule(
            .currentVersionWentBack, code: "MC0504", title: "the current version is older than the released one",
            explanation: """
                Users already have stores of a later version. Core Data would have to migrate them backwards, which staged \
                migration rejects (134506), and which loses whatever the later version added.
                """,
            fix: "Make the later version current again, or add a new version."),
        rule(
            .equalVersionHashes, code: "MC0505", title: "two versions have equal version hashes",
            explanation: """
                Core Data cannot tell the versions apart: a migration between them never runs, and two stages for them in \
                a staged migration are an error (“Duplicate version checksums across stages detected”). Equal hashes are \
                harmless only if nothing depends on the difference.
                """,
            fix: "Delete the newer version, or set the hash modifier of an entity if data must be migrated.", .warning),
        rule(
            .notLightweight, code: "MC0506", title: "a change is not possible with lightweight migration",
            explanation: """
                Core Data cannot infer a mapping model from the released version to the current one, so the store fails to \
                open with error 134140 unless the app has a mapping model or a custom migration stage. The message names \
                the change, and states whether Apple documents the failure or it is only assumed.
                """,
            fix: "Change the model as the message recommends; `modelc migrate check` lists all versions and steps."),
        rule(
            .renameWithoutIdentifier, code: "MC0507",
            title: "an element was probably renamed without a renaming identifier",
            explanation: """
                An element was removed and a similar one was added. Without a renaming identifier, lightweight migration \
                deletes the old one with its values and adds an empty one.
                """,
            fix: """
                Set the renaming identifier of the new element to the old name (Data Model inspector ▸ Versioning ▸ \
                Renaming ID). If the elements are unrelated, suppress the finding.
                """,
            .warning),
        rule(
            .renamingIdentifierCollision, code: "MC0508",
            title: "two elements stand for the same element of the released version",
            explanation: """
                A renaming identifier refers to an element that still exists under that name. Recent systems refuse to \
                infer a mapping model (134190).
                """,
            fix: "Remove the renaming identifier, or rename the other element."),
        rule(
            .cloudkitNotAdditive, code: "MC0509", title: "a change cannot be made to a CloudKit production schema",
            explanation: """
                CloudKit's production environment only accepts additions: record types and fields are never removed, \
                renamed or changed in type, and older versions of the app keep writing them.
                """,
            fix: "Keep the element, and add a new one."),
        rule(
            .droppedValues, code: "MC0510", title: "migration empties a property that keeps its name",
            explanation: """
                An attribute became a relationship or the other way around, or the new destination of a relationship does \
                not include the old destination objects. Apple documents no conversion for these changes, only that \
                properties can be removed and added, so the values of the released version are lost.
                """,
            fix: """
                Give the new property another name, and move the values in a custom migration stage or with a mapping \
                model. If the values are not needed, suppress the finding.
                """,
            .warning),
    ]

    private static let commandFindings = [
        rule(
            .gitRevision, code: "MC0520", title: "a git revision cannot be read",
            explanation: "The files of a revision are read from the local repository with `git`; nothing is fetched.",
            fix: "Fetch or correct the revision, as the message explains.", in: "`diff`, `breaking` and `migrate check`"
        ),
        rule(
            .lockOutOfDate, code: "MC0521", title: "modelc.lock does not match a model",
            explanation: """
                `modelc.lock` has a line for each entity of each version. A draft line is out of date as soon as the model \
                changes; a released line must not change.
                """,
            fix: "Run `modelc lock update` for a draft; restore the version if it is released.", in: "`lock`"),
        rule(
            .versionNotReleased, code: "MC0528", title: "a version before the current one was never released",
            explanation: """
                `modelc.lock` says which versions were released. A version that the app contains, that is not the current one \
                and that the lock marks as a draft belongs to no store of a user: it only adds a migration that never runs. \
                Often it was released and the lock was not updated, so that later edits of it go unnoticed.
                """,
            fix: "Run `modelc lock update --release VERSION` if it was released; otherwise delete it.", .note,
            in: "`check`"),
        rule(
            .malformedLock, code: "MC0522", title: "modelc.lock is invalid",
            explanation: "Each line has a model, a version, an entity, a state and a version hash, separated by tabs.",
            fix: "Rewrite the file with `modelc lock update`, or `modelc lock rebase` after a merge conflict.",
            in: "`lock` and `breaking`"),
        rule(
            .malformedProject, code: "MC0525", title: "an Xcode project cannot be read",
            explanation: "The project was not changed, so it does not list the new version of the model.",
            fix: "Add the version in Xcode.", .warning, in: "`new-version`"),
        rule(
            .unreadableVersion, code: "MC0523", title: "a version cannot be read and is left out",
            explanation: """
                The other versions are used. A model that is compiled without this version cannot migrate its stores.
                """,
            fix: "Correct the version, or restore it from version control.", .warning,
            in: "commands that read all versions of a bundle"),
        rule(
            .migrationImpossible, code: "MC0524", title: "stores of a version cannot be migrated",
            explanation: "No migration leads from the version to the current one without a mapping model or code.",
            fix: """
                Divide the change or add a mapping model, as the message recommends; `modelc migrate scaffold` writes a \
                starting point.
                """,
            in: "`migrate check`, `migrate scaffold` and `store migrate`"),
        rule(
            .unusedMapping, code: "MC0526", title: "a mapping model matches no pair of versions",
            explanation: """
                Core Data finds mapping models by version hashes. A mapping model whose hashes match no pair of versions \
                of the model is never used. Its copies of the models are probably out of date.
                """,
            fix: "Open the mapping model in Xcode, and choose Editor ▸ Refresh Data Models; or delete it.", .warning,
            in: "`migrate check`"),
    ]
}

extension RuleDescription {
    /// Whether settings and suppressions apply to the rule.
    package var isConfigurable: Bool {
        commands == nil || group == EvolutionRules.group || group == CloudKitFindings.group
    }
}
