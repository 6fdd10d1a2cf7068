internal import CompiledModel
internal import Diagnostics
internal import ModelSchema
internal import ModelSource

/// The `contents` file of a compiled model, verified by reading it back.
struct ReconstructedSource {
    let bytes: [UInt8]

    /// Writes a model as a source.
    ///
    /// - Parameters:
    ///   - model: The model that was decoded.
    ///   - path: The compiled model, for messages.
    /// - Throws: The errors in the source, if it has any, or an error if it is not equivalent to the compiled model.
    init(_ model: Model, path: String) throws(InputFailure) {
        let model = Self.withSettings(model)
        bytes = ModelWriter.contents(of: model)
        guard let document = try? ModelDocument(bytes: bytes, path: path, name: model.name) else {
            throw Self.failure([Self.mismatch(path)])
        }
        // The source of a model that other compilers accepted may lack what this one needs.
        let errors = document.diagnostics(at: .loadable).filter { $0.severity == .error }
        guard errors.isEmpty else {
            throw Self.failure(
                errors.map { error in
                    // The source was not written, so its line numbers would be useless.
                    Diagnostic(.error, rule: error.rule, error.message, file: path, range: .fileStart, why: error.why)
                })
        }
        guard Self.areEquivalent(model, document.model) else { throw Self.failure([Self.mismatch(path)]) }
    }

    /// Returns whether two models compile to the same archive, or have the same version hashes where one does not
    /// compile.
    private static func areEquivalent(_ first: Model, _ second: Model) -> Bool {
        do throws(UncompilableModel) {
            return try EncodedModel(first).bytes == EncodedModel(second).bytes
        } catch {
            return first.versionHashes().entities == second.versionHashes().entities
        }
    }

    private static func failure(_ diagnostics: [Diagnostic]) -> InputFailure {
        InputFailure(diagnostics: diagnostics, exitCode: .findings)
    }

    private static func mismatch(_ path: String) -> Diagnostic {
        Diagnostic(
            .error, rule: .sourceMismatch, "a source cannot express everything in the compiled model", file: path,
            range: .fileStart,
            why: "The source was read back and did not compile to the same model. A name or a text may have characters "
                + "that XML does not allow.",
            help: "Nothing was written. `modelc inspect` shows the compiled model.")
    }

    /// Adds the settings that Xcode expects in a file and that a compiled model does not hold, with the values of Xcode
    /// 26's template for new files (Documentation/Formats/ModelSource.md, 4.1).
    private static func withSettings(_ model: Model) -> Model {
        var model = model
        model.settings.type = "com.apple.IDECoreDataModeler.DataModel"
        model.settings.documentVersion = "1.0"
        model.settings.lastSavedToolsVersion = model.settings.lastSavedToolsVersion ?? "1"
        model.settings.systemVersion = model.settings.systemVersion ?? "11A491"
        model.settings.minimumToolsVersion = model.settings.minimumToolsVersion ?? "Automatic"
        model.settings.sourceLanguage = model.settings.sourceLanguage ?? "Swift"
        model.settings.userDefinedModelVersionIdentifier = model.settings.userDefinedModelVersionIdentifier ?? ""
        for index in model.entities.indices { model.entities[index].isSyncable = true }
        return model
    }
}
