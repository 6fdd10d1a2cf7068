internal import Diagnostics
internal import ModelSchema

extension InspectCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            if MappingInputReader(files: environment.files).isMapping(modelPath) {
                return try inspectMapping(environment, &printer)
            }
            let set = try ModelSetReader(
                files: environment.files, swift: conditions.reading(with: self.shown.otherPaths)
            ).read(
                modelPath, version: self.shown.version)
            set.addLines(to: &printer)
            // Of several versions, only the current one is shown, unless none is current.
            let shown = set.versions.filter {
                self.shown.version != nil || set.currentName == nil || $0.name == set.currentName
            }
            let diagnostics = set.diagnostics + shown.flatMap(\.diagnostics)
            printer.print(diagnostics)
            let store = set.kind == .store ? try StoreOverview(set.path, files: environment.files) : nil
            environment.output(
                self.shown.format == .json ? json(set, shown, store) : (store?.text ?? "") + text(set, shown))
            return diagnostics.hasErrors ? .findings : .success
        }
    }

    private func hashes(_ version: ModelSet.Version) -> EntityVersionHashes {
        version.statedHashes ?? version.model?.versionHashes().entities ?? EntityVersionHashes([:])
    }

    private func json(_ set: ModelSet, _ versions: [ModelSet.Version], _ store: StoreOverview?) -> String {
        let objects = versions.map { version in
            let hashes = hashes(version)
            let members = version.model.map { ModelJSON(hashes: hashes).members($0) } ?? []
            return JSONValue.object(
                [("name", .string(version.name)), ("checksum", .string(hashes.checksum))] + members)
        }
        return JSONValue.object(
            [
                ("model", .string(set.name)), ("kind", .string(set.kind.rawValue)),
                ("current", .optional(set.currentName)),
            ] + (store.map { [("store", $0.json)] } ?? []) + [
                ("versionNames", .array(set.versions.map { .string($0.name) })), ("versions", .array(objects)),
            ]
        ).text + "\n"
    }

    private func text(_ set: ModelSet, _ versions: [ModelSet.Version]) -> String {
        var text = "model \(DisplayText.line(set.name)) (\(set.kind.rawValue))\n"
        if set.versions.count > 1 {
            text += "versions: \(DisplayText.line(set.versions.map(\.name).joined(separator: ", ")))\n"
        }
        for version in versions {
            let hashes = hashes(version)
            let current = version.name == set.currentName ? " (current)" : ""
            text += "\nversion \(DisplayText.line(version.name))\(current), checksum \(hashes.checksum)\n\n"
            if let model = version.model {
                text += ModelText(hashes: hashes).text(model)
            } else {
                for element in hashes.elements {
                    text += "entity \(DisplayText.line(element.name))  \(element.hash.hexString.prefix(12))\n"
                }
            }
        }
        return text
    }
}
