internal import Diagnostics
internal import ModelSchema
internal import ModelSource

extension HashCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let set = try ModelSetReader(files: environment.files, swift: conditions.reading(with: shown.otherPaths))
                .read(
                    modelPath, version: shown.version)
            set.addLines(to: &printer)
            var diagnostics = set.allDiagnostics
            var versions: [(name: String, hashes: EntityVersionHashes, isComplete: Bool)] = []
            for version in set.versions {
                if let stated = version.statedHashes {
                    versions.append((version.name, stated, true))
                } else if let model = version.model {
                    let hashes = model.versionHashes()
                    let errors = version.findings(at: .loadable).errors
                    diagnostics += errors.map { version.diagnostic(for: $0) }
                    versions.append((version.name, hashes.entities, errors.isEmpty && hashes.findings.isEmpty))
                }
            }
            printer.print(diagnostics, includesNotes: false)
            environment.output(shown.format == .json ? json(set, versions) : text(set, versions))
            return diagnostics.hasErrors ? .findings : .success
        }
    }

    private typealias Versions = [(name: String, hashes: EntityVersionHashes, isComplete: Bool)]

    private func json(_ set: ModelSet, _ versions: Versions) -> String {
        let objects = versions.map { version in
            JSONValue.object([
                ("name", .string(version.name)),
                ("checksum", version.isComplete ? .string(version.hashes.checksum) : .null),
                ("entities", .object(version.hashes.elements.map { ($0.name, .string($0.hash.hexString)) })),
            ])
        }
        return JSONValue.object([
            ("model", .string(set.name)), ("current", .optional(set.currentName)), ("versions", .array(objects)),
        ]).text + "\n"
    }

    private func text(_ set: ModelSet, _ versions: Versions) -> String {
        var text = "model \(DisplayText.line(set.name))\n"
        for version in versions {
            let current = version.name == set.currentName ? " (current)" : ""
            text += "\nversion \(DisplayText.line(version.name))\(current)\n"
            text += "checksum \(version.isComplete ? version.hashes.checksum : "unknown, because of the errors")\n"
            let width = version.hashes.elements.map(\.name.count).max() ?? 0
            for element in version.hashes.elements {
                let padding = String(repeating: " ", count: width - element.name.count)
                text += "  \(DisplayText.line(element.name))\(padding)  \(element.hash.hexString)\n"
            }
        }
        return text
    }
}
