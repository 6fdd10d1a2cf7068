internal import Diagnostics

/// The tools that `modelc mcp` offers: commands whose arguments come from JSON.
struct MCPTools {
    let files: any FileSystem

    /// The maximum size of a tool's output, in bytes.
    private static let outputLimit = 100_000

    fileprivate struct Parameter {
        enum Kind {
            /// A model, or `REVISION:PATH`, inside the workspace.
            case path
            case paths
            case text
            case flag
        }

        var name: String
        var kind: Kind
        var text: String
        var isRequired = false
    }

    struct Tool {
        fileprivate var name: String
        fileprivate var text: String
        fileprivate var parameters: [Parameter]
        fileprivate var writes = false
        fileprivate var run: (MCPTools, Arguments) throws(MCPError) -> Output

        /// The description for a client.
        var description: JSONValue {
            .object([
                ("name", .string(name)), ("description", .string(text)),
                (
                    "inputSchema",
                    .object([
                        ("type", .string("object")),
                        ("properties", .object(parameters.map { ($0.name, Self.schema($0)) })),
                        ("required", .array(parameters.filter(\.isRequired).map { .string($0.name) })),
                        ("additionalProperties", .bool(false)),
                    ])
                ),
                (
                    "annotations",
                    .object([
                        ("readOnlyHint", .bool(!writes)), ("destructiveHint", .bool(writes)),
                        ("idempotentHint", .bool(true)), ("openWorldHint", .bool(false)),
                    ])
                ),
            ])
        }

        private static func schema(_ parameter: Parameter) -> JSONValue {
            let type: [(key: String, value: JSONValue)] =
                switch parameter.kind {
                case .path, .text: [("type", .string("string"))]
                case .paths: [("type", .string("array")), ("items", .object([("type", .string("string"))]))]
                case .flag: [("type", .string("boolean"))]
                }
            return .object(type + [("description", .string(parameter.text))])
        }
    }

    /// The arguments of a call, which have the types of the parameters.
    struct Arguments {
        fileprivate var values: [String: ParsedJSON] = [:]

        func text(_ name: String) -> String? { values[name]?.text }
        func texts(_ name: String) -> [String] { values[name]?.texts ?? [] }
        func flag(_ name: String) -> Bool { values[name]?.bool ?? false }
        /// Returns an option with the value of an argument; nothing if there is no such argument.
        func option(_ option: String, _ name: String) -> [String] { text(name).map { ["\(option)=\($0)"] } ?? [] }
    }

    /// What a command printed.
    struct Output {
        /// The standard output and error output, as far as there are any. The first one may be JSON.
        var texts: [String]
        var code: ExitCode
    }

    let all: [Tool]

    init(files: any FileSystem) {
        self.files = files
        all = [
            Self.checkTool,
            Self.explainTool,
            Self.inspectTool,
            Self.diffTool,
            Self.migratePlanTool,
            Self.hashTool,
            Self.generatePreviewTool,
            Self.applyFixTool,
        ]
    }

    // MARK: Tools

    private static var modelParameter: Parameter {
        Parameter(
            name: "model", kind: .path, text: "The path of an .xcdatamodeld, .xcdatamodel or folder of Swift files.",
            isRequired: true)
    }

    private static var versionParameter: Parameter {
        Parameter(name: "version", kind: .text, text: "The version of the model. Default: the current one.")
    }

    private static var checkTool: Tool {
        Tool(
            name: "check",
            text:
                "Reports whether users of released versions can update, what to do next, and the problems in the models, with "
                + "fixes. JSON of at most 8 KB.",
            parameters: [
                Parameter(name: "paths", kind: .paths, text: "Models or folders. Default: the workspace."),
                Parameter(name: "changed", kind: .flag, text: "Check only what differs from the released state."),
                Parameter(
                    name: "against", kind: .path,
                    text: "The released state: a git revision or a path. Default: the default branch."
                ),
            ]
        ) { tools, arguments throws(MCPError) in
            tools.run(
                CheckCommand.self,
                ["--format=agent"] + (arguments.flag("changed") ? ["--changed"] : [])
                    + arguments.option("--against", "against") + ["--"] + arguments.texts("paths"))
        }
    }

    private static var explainTool: Tool {
        Tool(
            name: "explain", text: "Explains a rule: what it looks for, why it matters, and what to do.",
            parameters: [
                Parameter(name: "rule", kind: .text, text: "The name or code of a rule.", isRequired: true)
            ]
        ) { tools, arguments throws(MCPError) in
            tools.run(ExplainCommand.self, ["--format=markdown", "--", arguments.text("rule") ?? ""])
        }
    }

    private static var inspectTool: Tool {
        Tool(
            name: "inspect", text: "Prints a model as text: entities, properties, indexes, fetch requests.",
            parameters: [modelParameter, versionParameter]
        ) { tools, arguments throws(MCPError) in
            tools.run(
                InspectCommand.self,
                arguments.option("--version", "version") + ["--", arguments.text("model") ?? ""])
        }
    }

    private static var diffTool: Tool {
        Tool(
            name: "diff",
            text: "Shows what changed between two versions of a model, and which version hashes differ.",
            parameters: [
                Parameter(
                    name: "old", kind: .path, text: "The earlier model, or REVISION:PATH in git.", isRequired: true),
                Parameter(
                    name: "new", kind: .path,
                    text: "The later model. Default: the current version of “old”, compared with the one before it."
                ),
            ]
        ) { tools, arguments throws(MCPError) in
            tools.run(
                DiffCommand.self, ["--", arguments.text("old") ?? ""] + (arguments.text("new").map { [$0] } ?? []))
        }
    }

    private static var migratePlanTool: Tool {
        Tool(
            name: "migrate_plan",
            text:
                "Reports how stores of each earlier version are migrated to the current one, and which need a mapping model.",
            parameters: [modelParameter]
        ) { tools, arguments throws(MCPError) in
            tools.run(MigrateCheckCommand.self, ["--steps", "--", arguments.text("model") ?? ""])
        }
    }

    private static var hashTool: Tool {
        Tool(
            name: "hash", text: "Prints the version hashes of a model, by which Core Data recognizes its stores.",
            parameters: [modelParameter, versionParameter]
        ) { tools, arguments throws(MCPError) in
            tools.run(
                HashCommand.self, arguments.option("--version", "version") + ["--", arguments.text("model") ?? ""])
        }
    }

    private static var generatePreviewTool: Tool {
        Tool(
            name: "generate_preview",
            text:
                "Shows what generating the classes of a model would change in a folder, as a patch. Writes nothing.",
            parameters: [
                modelParameter,
                Parameter(
                    name: "output", kind: .path, text: "The folder of the generated files.", isRequired: true),
            ]
        ) { tools, arguments throws(MCPError) in
            tools.run(
                GenerateCommand.self,
                ["--check"] + arguments.option("--output", "output") + ["--", arguments.text("model") ?? ""])
        }
    }

    private static var applyFixTool: Tool {
        Tool(
            name: "apply_fix",
            text:
                "Applies the fixes of lint to a model, and writes its file. Safe fixes change neither version hashes nor behavior.",
            parameters: [
                modelParameter, Parameter(name: "rule", kind: .text, text: "The only rule whose findings are fixed."),
                Parameter(
                    name: "unsafe", kind: .flag,
                    text: "Apply fixes that change version hashes or the app's behavior too."),
            ], writes: true
        ) { tools, arguments throws(MCPError) in
            try tools.requireModelInWorkspace(arguments.text("model") ?? "")
            return tools.run(
                LintCommand.self,
                [arguments.flag("unsafe") ? "--unsafe-fixes" : "--fix", "--reporter=agent"]
                    + arguments.option("--only", "rule") + ["--", arguments.text("model") ?? ""])
        }
    }

    // MARK: Calls

    func call(_ parameters: ParsedJSON?) throws(MCPError) -> JSONValue {
        guard let name = parameters?["name"]?.text, let tool = all.first(where: { $0.name == name }) else {
            let names = all.map(\.name).joined(separator: ", ")
            throw MCPError(code: .invalidParameters, message: "there is no such tool; the tools are \(names)")
        }
        let output = try tool.run(self, try arguments(of: tool, parameters?["arguments"]))
        return .object([
            ("content", .array(output.texts.map { .object([("type", .string("text")), ("text", .string($0))]) })),
            // Findings are a result.
            ("isError", .bool(output.code == .couldNotRun)),
        ])
    }

    private func arguments(of tool: Tool, _ value: ParsedJSON?) throws(MCPError) -> Arguments {
        var arguments = Arguments()
        switch value {
        case nil, .null: break
        case .object(let members): for member in members { arguments.values[member.key] = member.value }
        default: throw MCPError(code: .invalidParameters, message: "the arguments of “\(tool.name)” are not an object")
        }
        for name in arguments.values.keys.sorted() where !tool.parameters.contains(where: { $0.name == name }) {
            throw MCPError(code: .invalidParameters, message: "“\(tool.name)” has no argument “\(name)”")
        }
        for parameter in tool.parameters {
            guard let value = arguments.values[parameter.name] else {
                guard parameter.isRequired else { continue }
                throw MCPError(
                    code: .invalidParameters, message: "“\(tool.name)” needs the argument “\(parameter.name)”")
            }
            let isValid: Bool
            switch parameter.kind {
            case .flag: isValid = value.bool != nil
            case .text: isValid = value.text != nil
            case .path:
                isValid = value.text != nil
                if let path = value.text { _ = try insideWorkspace(path) }
            case .paths:
                isValid = value.texts != nil
                for path in value.texts ?? [] { _ = try insideWorkspace(path) }
            }
            guard isValid else {
                throw MCPError(
                    code: .invalidParameters,
                    message: "the argument “\(parameter.name)” of “\(tool.name)” has another type")
            }
        }
        return arguments
    }

    /// Returns a path, or throws if it is outside the workspace, as it is written or by a symbolic link.
    ///
    /// The path in a revision of git is that of the repository.
    func insideWorkspace(_ text: String) throws(MCPError) -> String {
        let path = files.kind(of: text) == nil ? GitReader.Location(text)?.path ?? text : text
        guard let root = files.canonicalPath("."), let full = files.fullPath(path),
            PathName.relative(full, to: root) != nil
        else { throw MCPError(code: .invalidParameters, message: "“\(text)” is not in the workspace") }
        return text
    }

    /// Throws unless a path is that of a model whose files are all in the workspace, so that no link leads a write out
    /// of it.
    func requireModelInWorkspace(_ path: String) throws(MCPError) {
        guard ModelFinder.isModel(PathName.withoutTrailingSlashes(path)), files.kind(of: path) == .directory else {
            throw MCPError(code: .invalidParameters, message: "“\(path)” is not an .xcdatamodeld or .xcdatamodel")
        }
        var walk = FolderWalk(files: files)
        try walk.walk(PathName.withoutTrailingSlashes(path)) { (path, _) throws(MCPError) in
            _ = try insideWorkspace(path)
            return true
        } unreadable: { (error) throws(MCPError) in
            throw MCPError(code: .invalidParameters, message: "“\(error.path)” cannot be read")
        }
    }

    /// A stream of a command.
    private final class Printed {
        var value = ""
    }

    /// Runs a command, and returns what it prints.
    func run(_ command: (some DriverCommand).Type, _ arguments: [String]) -> Output {
        let (output, errorOutput) = (Printed(), Printed())
        let environment = DriverEnvironment(
            files: files, output: { output.value += $0 }, errorOutput: { errorOutput.value += $0 }, usesColor: false)
        let code = command.runProgram(arguments, in: environment)
        let texts = [output.value, errorOutput.value].filter { !$0.isEmpty }.map { text in
            text.utf8.count <= Self.outputLimit
                ? text : String(decoding: text.utf8.prefix(Self.outputLimit), as: UTF8.self) + "\n… and more\n"
        }
        return Output(texts: texts, code: code)
    }
}
