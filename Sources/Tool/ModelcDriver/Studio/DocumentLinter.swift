package import Diagnostics
internal import ModelLint
package import ModelSource

/// Lints documents in memory with the settings that `modelc lint` would use.
package struct DocumentLinter {
    private let linter: Linter
    private let settings: RunSettings

    /// Reads the nearest `.modelc.yml`, if there is one.
    ///
    /// - Throws: If the settings cannot be read.
    package init(files: any FileSystem) throws(InputFailure) {
        settings = try RunSettings(configurationPath: RunSettings.nearestConfiguration(files), files)
        linter = Linter(settings.selection)
    }

    /// Returns the findings of a version, in the order of the file.
    package func findings(
        in document: ModelDocument, modelName: String, versionNames: [String], isCurrent: Bool
    ) -> [Diagnostic] {
        linter.lint(
            LintContext(
                source: document, modelName: modelName, versionNames: versionNames, isCurrent: isCurrent,
                isForCloudKit: settings.isForCloudKit, sourceClasses: nil)
        ).diagnostics.filter { !settings.isIgnored($0) }
    }
}
