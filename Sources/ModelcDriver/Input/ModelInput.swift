internal import CodeGeneration
package import Diagnostics
internal import ModelSource

/// A model that a command was given, read.
struct ModelInput {
    /// The version that was chosen.
    var document: ModelDocument
    /// What generated files say of it.
    var source: GenerationSource
    /// Findings in other files than the document, such as `.xccurrentversion`.
    var otherDiagnostics: [Diagnostic]
    /// The lines of those files, by path.
    var otherLines: [String: LineIndex]
}

/// Why a command has no model to work on.
package struct InputFailure: Error {
    package var diagnostics: [Diagnostic]
    package var lines: [String: LineIndex] = [:]
    /// `couldNotRun` if there is no model, `findings` if the model is invalid.
    package var exitCode: ExitCode
    /// Whether a git revision was read and has nothing at the path.
    package var missesPath = false

    /// Creates a failure.
    package init(
        diagnostics: [Diagnostic], lines: [String: LineIndex] = [:], exitCode: ExitCode, missesPath: Bool = false
    ) {
        self.diagnostics = diagnostics
        self.lines = lines
        self.exitCode = exitCode
        self.missesPath = missesPath
    }
}
