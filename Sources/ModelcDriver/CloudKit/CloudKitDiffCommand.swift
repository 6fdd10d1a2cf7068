internal import CloudKitSchema
internal import Diagnostics

/// `modelc cloudkit diff`: what differs between two schemas.
package struct CloudKitDiffCommand: Sendable {
    /// The form of the output.
    package enum Format: String, CaseIterable, Sendable {
        /// For people.
        case text
        /// For programs.
        case json
    }

    /// The first schema: a path, or `REVISION:PATH`.
    package var oldPath: String
    /// The second schema.
    package var newPath: String
    /// The form of the output.
    package var format = Format.text
    /// Whether a difference is exit code 1.
    package var failsOnDifference = false

    /// Creates a command.
    package init(oldPath: String, newPath: String) {
        self.oldPath = oldPath
        self.newPath = newPath
    }

    /// Runs the command.
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
            case .text: environment.output(SchemaDifferenceText(difference, old.path, new.path).text)
            case .json: environment.output(SchemaDifferenceJSON.value(difference, old.path, new.path).text + "\n")
            }
            return failsOnDifference && !difference.isEmpty ? .findings : .success
        }
    }
}
