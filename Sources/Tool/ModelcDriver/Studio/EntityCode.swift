internal import CodeGeneration
package import Diagnostics
internal import ModelSchema
package import ModelSource

/// The Swift files that `modelc generate` would write for one entity.
package struct EntityCode {
    /// A generated file.
    package struct File: Sendable {
        /// The file's name.
        package var name: String
        /// The file's text.
        package var text: String
    }

    /// The files; empty if the model has errors or the entity has no class.
    package let files: [File]
    /// The findings of code generation, or the structural errors if the model has any.
    package let diagnostics: [Diagnostic]

    /// Generates the files of an entity.
    ///
    /// - Parameters:
    ///   - entity: The entity's name.
    ///   - document: The version.
    ///   - modelName: The name of the model.
    ///   - fileName: The name of the bundle, for the files' headers.
    ///   - fileSystem: The file system, for templates.
    package init(
        entity: String, of document: ModelDocument, modelName: String, fileName: String, fileSystem: any FileSystem
    ) throws(InputFailure) {
        let structural = document.findings(at: .loadable).errors.map { document.diagnostic(for: $0) }
        guard structural.isEmpty, let found = document.model.entities.first(where: { $0.name == entity }) else {
            files = []
            diagnostics = structural
            return
        }
        let templates = try TemplateLoader(files: fileSystem).load(nil)
        var options = GenerationOptions()
        options.entityNames = [entity]
        switch found.codeGeneration {
        case .classDefinition, .category: options.mode = .build
        case .manual, .unknown: options.mode = .manual
        }
        let generator = CodeGenerator(
            model: document.model, source: GenerationSource(modelName: modelName, fileName: fileName),
            options: options, templates: templates)
        let result = try? generator.generate()
        files = (result?.files ?? []).filter { $0.kind != .model }.map { File(name: $0.name, text: $0.text) }
        diagnostics = (result?.findings ?? []).map { document.diagnostic(for: $0) }
    }
}
