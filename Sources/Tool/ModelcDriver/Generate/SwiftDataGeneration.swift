internal import CodeGeneration
internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema
internal import ModelSource
internal import SwiftDataModel

/// Generates SwiftData code for the versions of a model, and checks it by reading it back.
struct SwiftDataGeneration {
    let set: ModelSet
    let options: GenerationOptions
    let templates: TemplateSet
    let isQuiet: Bool

    /// Returns the files for all versions up to the chosen one, or `nil` if there are errors, which are printed.
    func generate(
        _ input: ModelInput, _ printer: inout DiagnosticPrinter
    ) throws(InputFailure) -> [GeneratedFile]? {
        set.addLines(to: &printer)
        for (path, lines) in input.otherLines { printer.addLines(lines, of: path) }
        printer.addLines(input.document.lines, of: input.document.path)
        var diagnostics = input.otherDiagnostics
        diagnostics += set.diagnostics.filter { !diagnostics.contains($0) }
        let versions = versions(of: set, until: input.document.model.name, &diagnostics)
        let read = versions.flatMap { version in
            version.diagnostics + version.findings(at: .compiles).errors.map(version.diagnostic(for:))
        }
        diagnostics += read.filter { !diagnostics.contains($0) }
        guard !diagnostics.hasErrors else {
            printer.print(diagnostics, includesNotes: !isQuiet)
            return nil
        }
        let inputs = Self.inputs(versions.compactMap { version in version.model.map { (version.name, $0) } })
        let result = SwiftDataGenerator(
            versions: inputs, source: input.source, options: options, templates: templates
        ).generate()
        var findings = result.findings
        if !result.files.isEmpty {
            let check = SwiftDataCheck(inputs, result)
            for index in findings.indices { findings[index] += check.findings[index] }
        }
        // Findings that several versions share are reported once, for the latest.
        var seen: Set<String> = []
        for (version, findings) in zip(versions, findings).reversed() {
            diagnostics += findings.filter { !seen.contains($0.message) }.map(version.diagnostic(for:))
            seen.formUnion(findings.map(\.message))
        }
        printer.print(diagnostics, includesNotes: !isQuiet)
        return diagnostics.hasErrors ? nil : result.files
    }

    /// Returns the versions up to the last one, without those that have the version hashes of a later one.
    private func versions(
        of set: ModelSet, until last: String, _ diagnostics: inout [Diagnostic]
    ) -> [ModelSet.Version] {
        let end = set.versions.firstIndex { $0.name == last } ?? set.versions.count - 1
        for version in set.versions.dropFirst(end + 1) {
            diagnostics.append(
                Diagnostic(
                    .note, rule: .swiftDataLimit,
                    "the version “\(version.name)” comes after “\(last)” and is left out", file: version.path,
                    range: .fileStart, help: "Specify it with --version to include it."))
        }
        var versions: [ModelSet.Version] = []
        var seen: [EntityVersionHashes] = []
        for version in set.versions.prefix(end + 1).reversed() {
            guard let hashes = version.model?.versionHashes().entities else { continue }
            if seen.contains(hashes) {
                diagnostics.append(
                    Diagnostic(
                        .note, rule: .swiftDataLimit,
                        "the version “\(version.name)” has the version hashes of a later one and is left out",
                        file: version.path, range: .fileStart,
                        why: "SwiftData traps on two versions of one schema with equal hashes.",
                        help: "No action is needed: its stores open as those of the later version."))
            } else {
                seen.append(hashes)
                versions.insert(version, at: 0)
            }
        }
        return versions
    }

    /// Returns the versions with the steps between them.
    static func inputs(_ versions: [(name: String, model: Model)]) -> [SwiftDataInput] {
        let indexed = versions.map { IndexedModel($0.model) }
        return versions.indices.map { index in
            let (name, model) = versions[index]
            guard index > 0 else { return SwiftDataInput(name: name, model: model) }
            let reasons = reasons(from: indexed[index - 1], to: indexed[index])
            return SwiftDataInput(
                name: name, model: model, stage: reasons.isEmpty ? .lightweight : .custom(reasons))
        }
    }

    /// Returns the reasons why SwiftData cannot use a lightweight migration.
    private static func reasons(from old: IndexedModel, to new: IndexedModel) -> [String] {
        let obstacles = LightweightMigration(from: old, to: new).obstacles.map { "“\($0.element)” \($0.reason)" }
        // Core Data renames entities by their renaming ID, which SwiftData does not have for models.
        let renamed = ElementMatch(old, new).pairs.filter { $0.source.name != $0.destination.name }.map {
            "“\($0.source.name)” is renamed to “\($0.destination.name)”, which SwiftData cannot do: copy its objects"
        }
        return obstacles + renamed
    }
}
