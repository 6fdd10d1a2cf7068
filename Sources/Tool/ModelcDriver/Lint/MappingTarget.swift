internal import Diagnostics
internal import MappingModel
internal import ModelLint
internal import ModelSource

/// A mapping model to check.
struct MappingTarget {
    let file: String
    private(set) var diagnostics: [Diagnostic]
    /// The lines of the file, for excerpts.
    private(set) var lines: [String: LineIndex] = [:]

    /// The lint rules. Findings that only the compiler reports are left out.
    private static let rules = Set(RuleRegistry.lintDescriptions.map(\.id))

    /// Creates the target for a mapping model that was read. One that cannot be read is a finding.
    init(_ path: String, _ result: Result<MappingInput, InputFailure>) {
        let element: ElementPath
        do throws(InputFailure) {
            let input = try result.get()
            file = input.filePath
            element = ElementPath(model: input.name, version: nil, components: [], kind: "mapping model")
            if let document = input.document { lines[document.file.path] = document.file.lines }
            diagnostics = (input.diagnostics + input.checks).filter { Self.rules.contains($0.rule) }
        } catch {
            file = error.diagnostics.compactMap(\.file).first ?? path
            element = ElementPath(model: PathName.stem(of: path), version: nil, components: [], kind: "mapping model")
            lines = error.lines
            diagnostics = error.diagnostics
        }
        diagnostics = diagnostics.map { diagnostic in
            var result = diagnostic
            result.element = element
            return result
        }
    }
}
