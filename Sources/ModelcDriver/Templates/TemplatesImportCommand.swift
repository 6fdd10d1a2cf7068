internal import CodeGeneration
internal import Diagnostics

extension TemplatesImportCommand {
    /// A use with its location.
    private struct Line {
        var path: String
        var position: SourcePosition
        var use: TemplateUse
        var counterpart: TemplateCounterpart
    }

    /// Runs the command. The exit code is 1 if a part has no counterpart.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            var lines: [Line] = []
            var diagnostics: [Diagnostic] = []
            let templates = try templates(environment.files)
            for (path, bytes) in templates {
                let index = LineIndex(bytes)
                let template = ForeignTemplate(bytes, tool: tool)
                lines += template.uses.map { use, counterpart in
                    Line(
                        path: path, position: index.position(at: use.range.lowerBound), use: use,
                        counterpart: counterpart)
                }
                guard !template.problems.isEmpty else { continue }
                printer.addLines(index, of: path)
                diagnostics += template.problems.map { message, range in
                    Diagnostic(
                        .error, rule: .brokenTemplate, message, file: path, range: index.range(of: range),
                        help: "Correct the template; parts after this point may be missing from the report.")
                }
            }
            printer.print(diagnostics)
            environment.output(format == .json ? json(lines).text + "\n" : text(lines, count: templates.count))
            let isComplete = lines.allSatisfy { if case .none = $0.counterpart { false } else { true } }
            return isComplete && diagnostics.isEmpty ? .success : .findings
        }
    }

    // MARK: Reading

    private static let sizeLimit = 1 << 20

    private func templates(_ files: any FileSystem) throws(InputFailure) -> [(path: String, bytes: [UInt8])] {
        var found: [(path: String, bytes: [UInt8])] = []
        for path in paths {
            let path = PathName.withoutTrailingSlashes(path)
            switch files.kind(of: path) {
            case .file?: found.append((path, try bytes(of: path, files)))
            case .directory?:
                let names = templateNames(below: path, files)
                guard !names.isEmpty else {
                    throw failure(
                        path, .noTemplates, "the folder has no \(tool.fileExtension) file",
                        help: "Specify the folder with the templates, or a template.")
                }
                for name in names { found.append((name, try bytes(of: name, files))) }
            default:
                throw failure(path, .noSuchFile, "there is no such file or folder", help: "Check the path.")
            }
        }
        return found
    }

    private func templateNames(below folder: String, _ files: any FileSystem) -> [String] {
        var found: [String] = []
        var walk = FolderWalk(files: files)
        walk.walk(folder) { path, name in
            guard !name.hasPrefix(".") else { return false }
            if name.hasSuffix(tool.fileExtension), case .file? = files.kind(of: path) { found.append(path) }
            return true
        } unreadable: { _ in
        }
        return found
    }

    private func bytes(of path: String, _ files: any FileSystem) throws(InputFailure) -> [UInt8] {
        if case .file(let size)? = files.kind(of: path), size > Self.sizeLimit {
            throw failure(path, .fileTooLarge, "the template is larger than 1 MiB", help: "Specify a template.")
        }
        let bytes = try InputFailure.wrapping { () throws(FileSystemError) in try files.read(path) }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw failure(path, .notUTF8, "the template is not UTF-8", help: "Save it as UTF-8.")
        }
        return bytes
    }

    private func failure(_ path: String, _ rule: RuleID, _ message: String, help: String) -> InputFailure {
        InputFailure(
            diagnostics: [Diagnostic(.error, rule: rule, message, file: path, range: .fileStart, help: help)],
            exitCode: .couldNotRun)
    }

    // MARK: Output

    private func text(_ lines: [Line], count: Int) -> String {
        var text = ""
        for line in lines {
            let place = "\(DisplayText.line(line.path)):\(line.position.line):\(line.position.column)"
            let (mark, words) = Self.words(line.counterpart)
            text +=
                "\(place): \(mark) \(line.use.kind.rawValue) “\(DisplayText.line(line.use.name))”: \(DisplayText.line(words))\n"
        }
        let missing = lines.count { if case .none = $0.counterpart { true } else { false } }
        let files = count == 1 ? "1 template" : "\(count) templates"
        return text
            + "\(lines.count - missing) of \(lines.count) parts of \(files) have a counterpart, \(missing) have none\n"
    }

    private static func words(_ counterpart: TemplateCounterpart) -> (mark: String, words: String) {
        switch counterpart {
        case .template(let words): ("has", "in templates: \(words)")
        case .option(let words): ("has", words)
        case .none(let words): ("lacks", words)
        }
    }

    private func json(_ lines: [Line]) -> JSONValue {
        .object([
            ("tool", .string(tool.rawValue)),
            (
                "parts",
                .array(
                    lines.map { line in
                        let kind =
                            switch line.counterpart {
                            case .template: "template"
                            case .option: "option"
                            case .none: "none"
                            }
                        let words =
                            switch line.counterpart {
                            case .template(let words), .option(let words), .none(let words): words
                            }
                        return .object([
                            ("file", .string(line.path)), ("line", .integer(line.position.line)),
                            ("column", .integer(line.position.column)), ("kind", .string(line.use.kind.rawValue)),
                            ("name", .string(line.use.name)), ("counterpart", .string(kind)),
                            ("description", .string(words)),
                        ])
                    })
            ),
        ])
    }
}
