internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema
package import ModelSource

/// The difference between two states of a model, and the lightweight migration between them.
package struct VersionComparison: Sendable {
    /// A property or entity that prevents a migration, or that deserves attention.
    package struct Remark: Sendable {
        /// The element, as `Entity.property`.
        package var element: String
        /// The reason, continuing the element's name.
        package var reason: String
        /// What to do about it.
        package var help: String?
    }

    /// The difference as `modelc diff` prints it.
    package let text: String
    /// The verdict in one sentence.
    package let verdict: String
    /// Whether lightweight migration is possible, or unneeded.
    package let isMigratable: Bool
    /// Whether lightweight migration drops rows or values, if a store has any.
    package let losesValues: Bool
    /// The changes that lightweight migration cannot infer.
    package let obstacles: [Remark]
    /// The effects of the migration that may be unintended.
    package let risks: [Remark]

    /// Compares two documents in memory.
    ///
    /// - Throws: If one of them has errors.
    package init(from old: ModelDocument, titled oldTitle: String, to new: ModelDocument, titled newTitle: String)
        throws(InputFailure)
    {
        self.init(
            DiffReport(
                oldTitle: oldTitle, newTitle: newTitle, old: try Self.indexed(old), new: try Self.indexed(new)))
    }

    /// Compares the current version of a model in a git revision with a document.
    ///
    /// - Parameters:
    ///   - revision: A name that git resolves, such as `HEAD`.
    ///   - path: The path of the model in the working tree.
    ///   - version: The name of the version to compare; the current version if the revision has no version of this
    ///     name.
    /// - Throws: If git, the repository, the revision or the path is missing, or if one of the models has errors.
    package init(
        from revision: String, ofModel path: String, version: String, to new: ModelDocument, titled newTitle: String,
        files: any FileSystem
    ) throws(InputFailure) {
        let location = GitReader.Location(revision: revision, ofModel: path)
        let set = try EvolutionReader(files: files).modelSet(location)
        let named = set.versions.first { $0.name == version }
        let old = if let named { named } else { try set.version(named: nil, option: "--from") }
        self.init(
            DiffReport(
                oldTitle: DiffCommand.title(old, in: set), newTitle: newTitle, old: try old.indexedModel(),
                new: try Self.indexed(new)))
    }

    private init(_ report: DiffReport) {
        text = DiffText(report).text
        verdict = report.verdict
        isMigratable = report.migration.isPossible
        losesValues =
            report.migration.steps.contains(where: \.losesData)
            || report.migration.risks.contains { $0.kind.dropsValues }
        obstacles = report.migration.obstacles.map {
            Remark(element: $0.element, reason: $0.reason + DiffText.certainty($0), help: $0.help)
        }
        risks = report.migration.risks.map { Remark(element: $0.element, reason: $0.reason, help: nil) }
    }

    private static func indexed(_ document: ModelDocument) throws(InputFailure) -> IndexedModel {
        let errors = document.diagnostics(at: .loadable).filter { $0.severity == .error }
        guard errors.isEmpty else { throw InputFailure(diagnostics: errors, exitCode: .findings) }
        return IndexedModel(document.model)
    }
}
