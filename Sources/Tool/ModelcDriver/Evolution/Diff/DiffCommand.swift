internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema

/// The form in which `modelc diff` prints a difference.
package enum DiffFormat: String, CaseIterable, Sendable {
    /// Human-readable text.
    case text
    /// JSON, for programs.
    case json
    /// Markdown, for a comment on a pull request.
    case markdown
}

extension DiffCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let reader = EvolutionReader(files: environment.files, swift: conditions.reading)
            let oldSet = try reader.modelSet(oldPath)
            let newSet = try newPath.map { path throws(InputFailure) in try reader.modelSet(path) } ?? oldSet
            oldSet.addLines(to: &printer)
            newSet.addLines(to: &printer)
            let comparesWithinBundle = newPath == nil && oldVersion == nil
            let old =
                try comparesWithinBundle
                ? oldSet.previousVersion() : oldSet.version(named: oldVersion, option: "--from")
            let new = try newSet.version(named: newVersion, option: "--to")
            let comparison = DiffReport(
                oldTitle: Self.title(old, in: oldSet), newTitle: Self.title(new, in: newSet),
                old: try old.indexedModel(), new: try new.indexedModel())
            let skipped = oldSet.skippedVersionWarnings + (newPath == nil ? [] : newSet.skippedVersionWarnings)
            printer.print((skipped + old.diagnostics + new.diagnostics).filter { $0.severity > .note })
            switch format {
            case .text: environment.output(DiffText(comparison).text)
            case .markdown: environment.output(DiffMarkdown(comparison).text)
            case .json: environment.output(DiffJSON(comparison).value.text + "\n")
            }
            return failsOnDifference && !comparison.difference.isEmpty ? .findings : .success
        }
    }

    /// Returns the name of a side in headings.
    static func title(_ version: ModelSet.Version, in set: ModelSet) -> String {
        set.versions.count == 1 && set.currentName == nil ? set.path : "\(set.path) “\(version.name)”"
    }
}

/// A difference with the titles of its sides and the migration between them.
struct DiffReport {
    let oldTitle: String
    let newTitle: String
    let difference: ModelDifference
    /// The lightweight migration that the difference calls for.
    let migration: LightweightMigration

    init(oldTitle: String, newTitle: String, old: IndexedModel, new: IndexedModel) {
        self.oldTitle = oldTitle
        self.newTitle = newTitle
        difference = ModelDifference(from: old, to: new)
        migration = LightweightMigration(from: old, to: new)
    }

    /// One sentence about what happens to stores of the old version.
    var verdict: String {
        if migration.isUnneeded { return "Stores open without migration: no version hash changes." }
        if !migration.isPossible {
            let count = migration.obstacles.count
            return "Lightweight migration is not possible: \(counted(count, "change")) cannot be inferred."
        }
        let lost = migration.steps.contains(where: \.losesData)
        return "Lightweight migration is possible" + (lost ? "; it removes stored values." : ".")
    }
}
