internal import CloudKitSchema
internal import Diagnostics

extension CloudKitDiffCommand {
    /// The form of the output.
    package enum Format: String, CaseIterable, Sendable {
        /// Human-readable text.
        case text
        /// JSON, for programs.
        case json
    }

    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let reader = SchemaReader(files: environment.files)
            let old = try reader.read(oldPath)
            let new = try reader.read(newPath)
            for document in [old, new] {
                printer.addLines(document.lines, of: document.path)
                printer.print(document.diagnostics)
            }
            let difference = SchemaDifference(from: old.schema, to: new.schema)
            switch format {
            case .text:
                environment.output(
                    SchemaDifferenceText(difference: difference, oldPath: old.path, newPath: new.path).text)
            case .json:
                environment.output(
                    SchemaDifferenceJSON.value(difference, oldPath: old.path, newPath: new.path).text + "\n")
            }
            return failsOnDifference && !difference.isEmpty ? .findings : .success
        }
    }
}
