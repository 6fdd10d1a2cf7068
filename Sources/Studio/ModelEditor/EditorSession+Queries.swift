internal import Diagnostics
internal import ModelSchema
internal import ModelSource
package import ModelcDriver

/// A finding of the linter, as the page shows it.
package struct EditorFinding: Codable, Sendable {
    package struct Fix: Codable, Sendable {
        /// The effect of the fix.
        package var title: String
        /// Whether it changes neither version hashes nor the behavior of the app.
        package var isSafe: Bool
    }

    /// `error`, `warning` or `note`.
    package var severity: String
    package var rule: String
    /// The problem.
    package var message: String
    /// Why it matters.
    package var why: String?
    /// What to do about it.
    package var help: String?
    /// The names from the entity down to the element.
    package var element: [String]
    /// The kind of element, in words.
    package var kind: String
    /// The line in the file.
    package var line: Int?
    package var fixes: [Fix]
}

/// The version hash of an entity.
package struct StudioHash: Codable, Sendable {
    package var entity: String
    /// The hash, in hexadecimal; `nil` if the model has errors that prevent it.
    package var hash: String?
    /// Whether it differs from the hash in the saved file.
    package var isChanged: Bool
}

/// A generated file.
package struct StudioCode: Codable, Sendable {
    /// The file's name.
    package var name: String
    /// The file's text.
    package var text: String
}

/// A comparison with another state of the model.
package struct StudioComparison: Codable, Sendable {
    /// An obstacle or risk.
    package struct Remark: Codable, Sendable {
        /// The element, as `Entity.property`.
        package var element: String
        /// The reason, continuing the element's name.
        package var reason: String
        /// What to do about it.
        package var help: String?
    }

    /// The difference as `modelc diff` prints it.
    package var text: String
    /// The result for stores of the old state, in one sentence.
    package var verdict: String
    /// Whether a store can be opened, with or without migration.
    package var isMigratable: Bool
    /// Whether lightweight migration drops rows or values, if a store has any.
    package var losesValues: Bool
    /// The changes that lightweight migration cannot infer.
    package var obstacles: [Remark]
    /// The effects of the migration that may be unintended.
    package var risks: [Remark]
}

/// The unsaved state of a model at one moment. It answers what takes long, while edits go on.
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

extension EditorSession {
    /// The current state.
    package var content: ModelContent {
        ModelContent(
            revision: revision, name: name, path: path, files: files, documents: documents, currentName: currentName)
    }

    /// Applies the first fix of a finding, as one undo step.
    ///
    /// - Parameters:
    ///   - number: The index of the finding in `findings(of:)`.
    ///   - rule: The rule of the finding, which must match.
    /// - Throws: `EditRejection` if there is no longer such a finding.
    package func fix(_ number: Int, rule: String, version: String) throws(EditRejection) -> Outcome {
        guard let found = try? content.diagnostics(of: version), found.indices.contains(number),
            found[number].rule.rawValue == rule, let fix = found[number].fixes.first,
            let document = document(version), document.isEditable,
            let model = try? document.modelDocument(), let fixed = try? model.applying(fix.edits),
            let edited = try? ModelFormatter.document(fixed.source.bytes, path: document.path)
        else { throw EditRejection("the finding is out of date", help: "Look at the findings again.") }
        var operations: [EditOperation] = []
        Self.collect(from: document.root, to: edited.root, steps: [], version: version, operations: &operations)
        return try perform(.group(operations: operations, title: fix.title))
    }

    /// Collects the operations that give elements the XML attributes of their new state; fixes only change attributes.
    private static func collect(
        from old: XMLNode, to new: XMLNode, steps: [ElementReference.Step], version: String,
        operations: inout [EditOperation]
    ) {
        guard old != new else { return }
        let reference = ElementReference(version: version, steps)
        for attribute in new.attributes where old[attribute.name] != attribute.value {
            operations.append(.set(element: reference, attribute: attribute.name, value: attribute.value))
        }
        for attribute in old.attributes where new[attribute.name] == nil {
            operations.append(.set(element: reference, attribute: attribute.name, value: nil))
        }
        var seen: [ElementReference.Step: Int] = [:]
        for (one, other) in zip(old.children, new.children) {
            var step = ElementReference.Step(one.name, one.identity)
            let index = seen[step, default: 0]
            seen[step] = index + 1
            step.index = index
            collect(from: one, to: other, steps: steps + [step], version: version, operations: &operations)
        }
    }
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
    package func code(of entity: String, version: String) throws(InputFailure) -> [StudioCode] {
        guard let model = try? document(version)?.modelDocument() else { return [] }
        let code = try EntityCode(
            entity: entity, of: model, modelName: name, fileName: PathName.name(of: path), fileSystem: files)
        return code.files.map { StudioCode(name: $0.name, text: $0.text) }
    }

    /// Returns the version hashes of a version's entities.
    package func hashes(of version: String) -> [StudioHash] {
        guard let document = document(version), let model = try? document.modelDocument().model else { return [] }
        let hashes = model.versionHashes().entities
        let saved = (try? ModelDocument(bytes: document.base, path: document.path, name: version))?.model
            .versionHashes()
        return model.entities.map { entity in
            let hash = hashes[entity.name]
            return StudioHash(
                entity: entity.name, hash: hash?.hexString, isChanged: hash != saved?.entities[entity.name])
        }
    }

    /// Compares the unsaved state of a version with another version, with the saved file, or with a git revision.
    package func comparison(of version: String, with other: ComparisonBase) throws(InputFailure) -> StudioComparison {
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
        return StudioComparison(
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
