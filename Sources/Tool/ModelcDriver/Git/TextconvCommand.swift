internal import Diagnostics
internal import ModelSchema
internal import ModelSource

extension TextconvCommand {
    /// Runs the command. Prints an unsupported file unchanged, so that `git diff` always shows something.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let bytes = try environment.files.readInput(path)
            environment.output(
                ModelOutline.text(bytes) ?? compiled(environment)
                    ?? String(decoding: SourceText(bytes).utf8, as: UTF8.self))
            return .success
        }
    }

    /// Returns the text of a compiled model; `nil` if the file is something else.
    private func compiled(_ environment: DriverEnvironment) -> String? {
        guard let set = try? ModelSetReader(files: environment.files).read(path), set.kind == .compiled,
            let model = set.versions.first?.model
        else { return nil }
        let hashes = model.versionHashes().entities
        return "checksum \(hashes.checksum)\n" + ModelText(hashes: hashes).text(model)
    }
}
