internal import Diagnostics
internal import ModelSchema
internal import ModelSource
package import ModelcDriver

/// The unsaved state of a model at one moment. Replies to slow requests are computed from it while edits continue.
package struct ModelContent: Sendable {
    /// The number of changes that led to this state.
    package let revision: Int
    let name: String
    let path: String
    let files: any FileSystem
    let documents: [VersionDocument]
    let currentName: String?

    func document(_ name: String) -> VersionDocument? { documents.first { $0.name == name } }

    private var versionNames: [String] { documents.map(\.name) }
}

extension ModelContent {
    /// Returns the findings in the unsaved state of a version, in the order of the file.
    package func findings(of version: String) throws(InputFailure) -> [EditorFinding] {
        try diagnostics(of: version).map { diagnostic in
            EditorFinding(
                severity: diagnostic.severity.word, rule: diagnostic.rule.rawValue, message: diagnostic.message,
                why: diagnostic.why, help: diagnostic.help, element: diagnostic.element?.components ?? [],
                kind: diagnostic.element?.kind ?? "model", line: diagnostic.range?.start.line,
                fixes: diagnostic.fixes.map { .init(title: $0.title, isSafe: $0.safety == .safe) })
        }
    }

    func diagnostics(of version: String) throws(InputFailure) -> [Diagnostic] {
        guard let document = document(version) else { return [] }
        let model: ModelDocument
        do throws(ModelDocument.NotAModel) { model = try document.modelDocument() } catch { return [error.diagnostic] }
        return try DocumentLinter(files: files).findings(
            in: model, modelName: name, versionNames: versionNames,
            isCurrent: currentName == nil || currentName == version)
    }

    /// Returns the files that `modelc generate` would write for an entity.
    package func code(of entity: String, version: String) throws(InputFailure) -> [EditorCode] {
        guard let model = try? document(version)?.modelDocument() else { return [] }
        let code = try EntityCode(
            entity: entity, of: model, modelName: name, fileName: PathName.name(of: path), fileSystem: files)
        return code.files.map { EditorCode(name: $0.name, text: $0.text) }
    }

    /// Returns the version hashes of a version's entities.
    package func hashes(of version: String) -> [EditorHash] {
        guard let document = document(version), let model = try? document.modelDocument().model else { return [] }
        let hashes = model.versionHashes().entities
        let saved = (try? ModelDocument(bytes: document.base, path: document.path, name: version))?.model
            .versionHashes()
        return model.entities.map { entity in
            let hash = hashes[entity.name]
            return EditorHash(
                entity: entity.name, hash: hash?.hexString, isChanged: hash != saved?.entities[entity.name])
        }
    }

    /// Compares the unsaved state of a version with another version, with the saved file, or with a git revision.
    package func comparison(of version: String, with other: ComparisonBase) throws(InputFailure) -> EditorComparison {
        guard let document = document(version) else { throw Self.noVersion(version) }
        let model: ModelDocument
        let old: ModelDocument?
        do throws(ModelDocument.NotAModel) {
            model = try document.modelDocument()
            switch other {
            case .version(let name): old = try self.document(name)?.modelDocument()
            case .saved: old = try ModelDocument(bytes: document.base, path: document.path, name: version)
            case .revision: old = nil
            }
        } catch {
            throw InputFailure(diagnostics: [error.diagnostic], exitCode: .findings)
        }
        let title = "\(name) “\(version)”"
        let comparison: VersionComparison
        switch other {
        case .version(let name):
            guard let old else { throw Self.noVersion(name) }
            comparison = try VersionComparison(from: old, titled: "\(self.name) “\(name)”", to: model, titled: title)
        case .saved:
            guard let old else { throw Self.noVersion(version) }
            comparison = try VersionComparison(from: old, titled: title + " (saved)", to: model, titled: title)
        case .revision(let revision):
            comparison = try VersionComparison(
                from: revision, ofModel: path, version: version, to: model, titled: title, files: files)
        }
        return EditorComparison(
            text: comparison.text, verdict: comparison.verdict, isMigratable: comparison.isMigratable,
            losesValues: comparison.losesValues,
            obstacles: comparison.obstacles.map { .init(element: $0.element, reason: $0.reason, help: $0.help) },
            risks: comparison.risks.map { .init(element: $0.element, reason: $0.reason, help: $0.help) })
    }

    private static func noVersion(_ name: String) -> InputFailure {
        InputFailure(
            diagnostics: [Diagnostic(.error, rule: .noSuchVersion, "there is no version “\(name)”")],
            exitCode: .couldNotRun)
    }
}

/// The state that a version is compared with.
package enum ComparisonBase: Codable, Hashable, Sendable {
    /// Another version of the model, with its unsaved edits.
    case version(name: String)
    /// The saved file.
    case saved
    /// A git revision.
    case revision(name: String)
}
