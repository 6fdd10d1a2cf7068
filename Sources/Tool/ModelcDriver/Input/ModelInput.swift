internal import CodeGeneration
internal import Diagnostics
internal import ModelSource

/// The input of a command: a version of a model that was read.
struct ModelInput {
    /// The version that was chosen.
    var document: ModelDocument
    /// The description of the model in generated files.
    var source: GenerationSource
    /// Findings in other files than the document, such as `.xccurrentversion`.
    var otherDiagnostics: [Diagnostic]
    /// The lines of those files, by path.
    var otherLines: [String: LineIndex]
}
