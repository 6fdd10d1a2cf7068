import Testing

/// An argument of a command that names something to be written. `WritingOption.all` has every one of them; a test compares it with
/// the program's own description of its arguments.
struct WritingOption: CustomTestStringConvertible, Sendable {
    /// What is written.
    enum Shape {
        /// One file.
        case file
        /// A file that is read and replaced.
        case rewritten
        /// Files in a folder; the name of one of them, and whether one with other bytes is replaced.
        case folder(member: String, replacesMember: Bool)
        /// A folder that is replaced as a whole.
        case bundle(replacesFolder: Bool)
    }

    /// The names of the command and, if there is one, its subcommand.
    var command: String
    /// The name of the argument, as the program describes it.
    var argument: String
    /// What else is needed, to tell uses of the same argument apart.
    var variant = ""
    var shape: Shape
    /// The name that the target must have, within the scratch folder.
    var target: String
    /// The whole command line for a path; it may be another than the target's own.
    var line: @Sendable (String) -> [String]

    var testDescription: String { "\(command) \(argument) \(variant)" }

    static let all: [WritingOption] = [
        WritingOption(
            command: "generate", argument: "output",
            shape: .folder(member: "Order+CoreDataClass.swift", replacesMember: true), target: "Out"
        ) { ["generate", "Shop.xcdatamodeld", "--output", $0] },
        WritingOption(
            command: "generate", argument: "output", variant: "manual",
            shape: .folder(member: "Order+CoreDataProperties.swift", replacesMember: true), target: "Out"
        ) { ["generate", "Shop.xcdatamodeld", "--mode", "manual", "--entity", "Order", "--output", $0] },
        WritingOption(
            command: "compile", argument: "output", variant: "bundle", shape: .bundle(replacesFolder: true),
            target: "Out.momd"
        ) { ["compile", "Shop.xcdatamodeld", $0] },
        WritingOption(
            command: "compile", argument: "output", variant: "model", shape: .file, target: "Out.mom"
        ) { ["compile", "Shop.xcdatamodeld/Shop.xcdatamodel", $0] },
        WritingOption(command: "lint", argument: "reporter", variant: "json", shape: .file, target: "report") {
            ["lint", "Shop.xcdatamodeld", "--reporter", "json=\($0)"]
        },
        WritingOption(command: "lint", argument: "reporter", variant: "sarif", shape: .file, target: "report") {
            ["lint", "Shop.xcdatamodeld", "--reporter", "sarif=\($0)", "--reporter", "text"]
        },
        WritingOption(command: "lint", argument: "write-baseline", shape: .file, target: ".modelc-baseline") {
            ["lint", "Shop.xcdatamodeld", "--write-baseline", $0]
        },
        WritingOption(command: "lint", argument: "fix", shape: .rewritten, target: "Bad.xcdatamodel/contents") { _ in
            ["lint", "Bad.xcdatamodel", "--fix"]
        },
        WritingOption(
            command: "lint", argument: "unsafe-fixes", shape: .rewritten, target: "Bad.xcdatamodel/contents"
        ) { _ in ["lint", "Bad.xcdatamodel", "--unsafe-fixes"] },
        WritingOption(command: "format", argument: "paths", shape: .rewritten, target: "Bad.xcdatamodel/contents") {
            _ in
            ["format", "Bad.xcdatamodel"]
        },
        WritingOption(
            command: "format", argument: "paths", variant: "file", shape: .rewritten, target: "Bad.xcdatamodel/contents"
        ) { ["format", $0] },
        WritingOption(command: "graph", argument: "output", shape: .file, target: "picture.svg") {
            ["graph", "Shop.xcdatamodeld", "--output", $0]
        },
        WritingOption(
            command: "decompile", argument: "output", variant: "bundle", shape: .bundle(replacesFolder: false),
            target: "Out.xcdatamodeld"
        ) { ["decompile", "Compiled.momd", $0] },
        WritingOption(
            command: "decompile", argument: "output", variant: "model", shape: .bundle(replacesFolder: false),
            target: "Out.xcdatamodel"
        ) { ["decompile", "Compiled.momd/Shop.mom", $0] },
        WritingOption(
            command: "momc", argument: "arguments", variant: "compile", shape: .bundle(replacesFolder: true),
            target: "Out.momd"
        ) { ["momc", "Shop.xcdatamodeld", $0] },
        WritingOption(
            command: "momc", argument: "arguments", variant: "compile model", shape: .file, target: "Out.mom"
        ) { ["momc", "Shop.xcdatamodeld/Shop.xcdatamodel", $0] },
        WritingOption(
            command: "momc", argument: "arguments", variant: "generate",
            shape: .folder(member: "Order+CoreDataClass.swift", replacesMember: true), target: "Out"
        ) { ["momc", "--action", "generate", "Shop.xcdatamodeld", $0] },
        WritingOption(
            command: "templates eject", argument: "directory",
            shape: .folder(member: "Header.mustache", replacesMember: false), target: "Out"
        ) { ["templates", "eject", $0] },
        WritingOption(command: "merge-driver", argument: "ours", shape: .rewritten, target: "ours") {
            ["merge-driver", "base", $0, "theirs"]
        },
        WritingOption(
            command: "build-target", argument: "output",
            shape: .folder(member: "Shop+CoreDataModel.swift", replacesMember: true), target: "Out"
        ) { ["build-target", "--module", "App", "--model", "Shop.xcdatamodeld", "--output", $0] },
        WritingOption(
            command: "build-target", argument: "output", variant: "compiled model",
            shape: .bundle(replacesFolder: true), target: "Out/Shop.momd"
        ) { _ in ["build-target", "--module", "App", "--model", "Shop.xcdatamodeld", "--output", "Out"] },
    ]

    /// The arguments that name nothing to be written, by command.
    static let harmless: [String: Set<String>] = [
        "": ["help"],
        "generate": [
            "model", "flavour", "style", "access", "version", "mode", "entity", "templates", "check", "dry-run",
            "list-outputs", "quiet", "help",
        ],
        "compile": ["model", "module", "list-outputs", "quiet", "help"],
        "lint": [
            "paths", "config", "only", "enable", "disable", "profile", "all-versions", "current", "strict",
            "fail-level", "baseline", "sources", "dry-run", "help",
        ],
        "explain": ["rule", "help"], "rules": ["format", "help"], "format": ["check", "diff", "help"],
        "hash": ["model", "version", "format", "help"], "inspect": ["model", "version", "format", "help"],
        "graph": ["model", "version", "format", "entity", "no-attributes", "help"], "decompile": ["model", "help"],
        "momc": ["help"], "templates": ["help"], "templates eject": ["help"],
        "templates context": ["model", "flavour", "style", "access", "version", "help"], "textconv": ["file", "help"],
        "merge-driver": ["base", "theirs", "path", "marker-size", "ours-label", "theirs-label", "help"],
        "build-target": ["module", "model", "shared-model", "source", "excluded-source", "config", "help"],
        "help": ["subcommands", "help"],
    ]
}
