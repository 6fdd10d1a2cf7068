internal import CodeGeneration
internal import Diagnostics
internal import Templates

/// Loads the built-in templates, and those in a user's folder that override them.
struct TemplateLoader {
    let files: any FileSystem

    /// Returns the templates to render with.
    ///
    /// - Parameter directory: A folder whose `.mustache` files replace built-in ones of the same name; others can be
    ///   included as partials.
    func load(_ directory: String?) throws(InputFailure) -> TemplateSet {
        var sources = BuiltInTemplates.files.map { source($0.name, path: "Templates/\($0.name)", bytes: $0.bytes) }
        if let directory { sources += try userTemplates(directory) }
        do throws(TemplateSet.Broken) {
            return try TemplateSet(sources)
        } catch {
            throw InputFailure(diagnostics: error.diagnostics, lines: error.lines, exitCode: .couldNotRun)
        }
    }

    private func userTemplates(_ directory: String) throws(InputFailure) -> [TemplateSet.Source] {
        var sources: [TemplateSet.Source] = []
        try InputFailure.wrapping { () throws(FileSystemError) in
            for name in try files.list(directory) where name.hasSuffix(TemplateSet.fileExtension) {
                let path = PathName.joined(directory, name)
                sources.append(source(name, path: path, bytes: try files.read(path)))
            }
        }
        guard !sources.isEmpty else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noTemplates, "the folder has no \(TemplateSet.fileExtension) file",
                        file: directory, range: .fileStart,
                        help: "`modelc templates eject \(ShellWord.quoted(directory))` copies the built-in ones there.")
                ],
                exitCode: .couldNotRun)
        }
        return sources
    }

    private func source(_ name: String, path: String, bytes: [UInt8]) -> TemplateSet.Source {
        TemplateSet.Source(name: String(name.dropLast(TemplateSet.fileExtension.count)), path: path, bytes: bytes)
    }
}
