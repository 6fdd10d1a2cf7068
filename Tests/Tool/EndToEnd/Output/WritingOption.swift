import Testing

/// An argument of a command that names something to be written. `WritingOption.all` has every one of them; a test
/// compares it with the program's own description of its arguments.
struct WritingOption: CustomTestStringConvertible, Sendable {
    /// The kind of output.
    enum Shape {
        /// One file.
        case file
        /// A file that is read and replaced.
        case rewritten(followsLinks: Bool)
        /// A file that is read and replaced, or created.
        case updated
        /// Files in a folder, with the name of one of them and whether it is replaced if the command wrote it earlier.
        case folder(member: String, replacesMember: Bool)
        /// A folder that is replaced as a whole.
        case bundle(replacesFolder: Bool)
        /// One file that must not exist yet.
        case created
    }

    /// The names of the command and, if there is one, its subcommand.
    var command: String
    /// The name of the argument, as described by the program.
    var argument: String
    /// A description that distinguishes uses of the same argument.
    var variant = ""
    var shape: Shape
    /// The required name of the target in the scratch folder.
    var target: String
    /// The contents of a file of the kind that the command replaces.
    var existing = "old"
    /// Returns the whole command line for a path, which may differ from the target's own.
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
            command: "generate", argument: "output", variant: "swiftdata",
            shape: .folder(member: "Shop+SchemaV1.swift", replacesMember: true), target: "Out"
        ) { ["generate", "Shop.xcdatamodeld", "--language", "swiftdata", "--output", $0] },
        WritingOption(
            command: "compile", argument: "output", variant: "bundle", shape: .bundle(replacesFolder: true),
            target: "Out.momd"
        ) { ["compile", "Shop.xcdatamodeld", $0] },
        WritingOption(
            command: "compile", argument: "output", variant: "model", shape: .file, target: "Out.mom"
        ) { ["compile", "Shop.xcdatamodeld/Shop.xcdatamodel", $0] },
        WritingOption(
            command: "compile", argument: "output", variant: "option", shape: .bundle(replacesFolder: true),
            target: "Out.momd"
        ) { ["compile", "Shop.xcdatamodeld", "--output", $0] },
        WritingOption(
            command: "templates eject", argument: "output",
            shape: .folder(member: "Header.mustache", replacesMember: false), target: "Out"
        ) { ["templates", "eject", "-o", $0] },
        WritingOption(
            command: "compile", argument: "output", variant: "mapping model", shape: .file, target: "Out.cdm"
        ) { ["compile", "Mapping.xcmappingmodel", $0] },
        WritingOption(command: "lint", argument: "reporter", variant: "json", shape: .file, target: "report") {
            ["lint", "Shop.xcdatamodeld", "--reporter", "json=\($0)"]
        },
        WritingOption(command: "lint", argument: "reporter", variant: "sarif", shape: .file, target: "report") {
            ["lint", "Shop.xcdatamodeld", "--reporter", "sarif=\($0)", "--reporter", "text"]
        },
        WritingOption(
            command: "lint", argument: "write-baseline", shape: .file, target: ".modelc-baseline", existing: baseline
        ) {
            ["lint", "Shop.xcdatamodeld", "--write-baseline", $0]
        },
        WritingOption(command: "check", argument: "reporter", variant: "json", shape: .file, target: "report") {
            ["check", "Shop.xcdatamodeld", "--without", "breaking", "--without", "lock", "--reporter", "json=\($0)"]
        },
        WritingOption(
            command: "check", argument: "write-baseline", shape: .file, target: ".modelc-baseline", existing: baseline
        ) {
            ["check", "Shop.xcdatamodeld", "--without", "breaking", "--without", "lock", "--write-baseline", $0]
        },
        WritingOption(
            command: "lint", argument: "fix", shape: .rewritten(followsLinks: true), target: "Bad.xcdatamodel/contents"
        ) { _ in
            ["lint", "Bad.xcdatamodel", "--fix"]
        },
        WritingOption(
            command: "lint", argument: "unsafe-fixes", shape: .rewritten(followsLinks: true),
            target: "Bad.xcdatamodel/contents"
        ) { _ in ["lint", "Bad.xcdatamodel", "--unsafe-fixes"] },
        WritingOption(
            command: "format", argument: "paths", shape: .rewritten(followsLinks: true),
            target: "Bad.xcdatamodel/contents"
        ) {
            _ in
            ["format", "Bad.xcdatamodel"]
        },
        WritingOption(
            command: "format", argument: "paths", variant: "file", shape: .rewritten(followsLinks: true),
            target: "Bad.xcdatamodel/contents"
        ) { ["format", $0] },
        WritingOption(command: "graph", argument: "output", shape: .file, target: "picture.svg", existing: "<svg />") {
            ["graph", "Shop.xcdatamodeld", "--output", $0]
        },
        WritingOption(
            command: "decompile", argument: "output", variant: "bundle", shape: .bundle(replacesFolder: false),
            target: "Out.xcdatamodeld"
        ) { ["decompile", "Compiled.momd", $0] },
        WritingOption(
            command: "decompile", argument: "output", variant: "option", shape: .bundle(replacesFolder: false),
            target: "Out.xcdatamodeld"
        ) { ["decompile", "Compiled.momd", "--output", $0] },
        WritingOption(
            command: "decompile", argument: "output", variant: "model", shape: .bundle(replacesFolder: false),
            target: "Out.xcdatamodel"
        ) { ["decompile", "Compiled.momd/Shop.mom", $0] },
        WritingOption(
            command: "decompile", argument: "output", variant: "mapping model", shape: .bundle(replacesFolder: false),
            target: "Out.xcmappingmodel"
        ) { ["decompile", "Mapping.cdm", $0] },
        WritingOption(command: "mapc", argument: "arguments", shape: .file, target: "Out.cdm") {
            ["mapc", "Mapping.xcmappingmodel", $0]
        },
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
        WritingOption(command: "merge-driver", argument: "ours", shape: .rewritten(followsLinks: true), target: "ours")
        {
            ["merge-driver", "base", $0, "theirs"]
        },
        WritingOption(command: "swiftdata plan", argument: "output", shape: .created, target: "Plan.swift") {
            ["swiftdata", "plan", "--sources", "Versions.swift", "--output", $0]
        },
        WritingOption(command: "swiftdata freeze", argument: "output", shape: .created, target: "Frozen.swift") {
            ["swiftdata", "freeze", "SchemaV1", "--sources", "Models.swift", "--output", $0]
        },
        WritingOption(
            command: "build-target", argument: "output",
            shape: .folder(member: "Shop+CoreDataModel.swift", replacesMember: true), target: "Out"
        ) { ["build-target", "--module", "App", "--model", "Shop.xcdatamodeld", "--output", $0] },
        WritingOption(
            command: "build-target", argument: "output", variant: "compiled model",
            shape: .bundle(replacesFolder: true), target: "Out/Shop.momd"
        ) { _ in ["build-target", "--module", "App", "--model", "Shop.xcdatamodeld", "--output", "Out"] },
        WritingOption(
            command: "prepare-for-linux", argument: "package", shape: .rewritten(followsLinks: false),
            target: "Package/Package.swift"
        ) {
            _ in
            ["prepare-for-linux", "Package", "--modelc", "../modelc"]
        },
        WritingOption(
            command: "init", argument: "package", shape: .rewritten(followsLinks: false),
            target: "Package/Package.swift"
        ) { _ in
            ["init", "Package", "--target", "App", "--modelc", "../modelc"]
        },
        WritingOption(
            command: "build-target", argument: "output", variant: "mapping model",
            shape: .folder(member: "Mapping.cdm", replacesMember: true), target: "Out"
        ) { ["build-target", "--module", "App", "--mapping", "Mapping.xcmappingmodel", "--output", $0] },
        WritingOption(command: "breaking", argument: "reporter", shape: .file, target: "report") {
            ["breaking", "Shop.xcdatamodeld", "--against", "Compiled.momd", "--reporter", "json=\($0)"]
        },
        WritingOption(
            command: "breaking", argument: "write-baseline", shape: .file, target: "known", existing: baseline
        ) {
            ["breaking", "Shop.xcdatamodeld", "--against", "Compiled.momd", "--write-baseline", $0]
        },
        WritingOption(
            command: "migrate scaffold", argument: "output", variant: "mapping model",
            shape: .bundle(replacesFolder: false), target: "Out.xcmappingmodel"
        ) { ["migrate", "scaffold", "Versions.xcdatamodeld", "V1", "V2", "--output", $0] },
        WritingOption(
            command: "migrate scaffold", argument: "output", variant: "Swift", shape: .created, target: "Out.swift"
        ) { ["migrate", "scaffold", "Versions.xcdatamodeld", "V1", "V2", "--form", "staged", "--output", $0] },
        WritingOption(command: "lock update", argument: "lock", shape: .updated, target: "modelc.lock") {
            ["lock", "update", "Shop.xcdatamodeld", "--lock", $0]
        },
        WritingOption(command: "lock rebase", argument: "lock", shape: .updated, target: "modelc.lock") {
            ["lock", "rebase", "Shop.xcdatamodeld", "--lock", $0]
        },
        WritingOption(
            command: "cloudkit export", argument: "output", shape: .file, target: "schema.ckdb",
            existing: "DEFINE SCHEMA old"
        ) {
            ["cloudkit", "export", "Mirrored.xcdatamodel", "--output", $0]
        },
        WritingOption(command: "cloudkit check", argument: "reporter", shape: .file, target: "report") {
            ["cloudkit", "check", "Mirrored.xcdatamodel", "--against", "old.ckdb", "--reporter", "json=\($0)"]
        },
        WritingOption(
            command: "cloudkit check", argument: "write-baseline", shape: .file, target: "known", existing: baseline
        ) {
            ["cloudkit", "check", "Mirrored.xcdatamodel", "--against", "old.ckdb", "--write-baseline", $0]
        },
    ]

    private static let baseline = "# modelc baseline 1\n# An old one.\n"

    /// The arguments that do not name an output, by command.
    static let harmless: [String: Set<String>] = [
        "": ["help"],
        "generate": [
            "model", "flavor", "style", "access", "version", "mode", "entity", "templates", "check", "dry-run",
            "list-outputs", "quiet", "help", "with", "imports", "isolation", "keys-style", "source", "config",
            "language", "objc-style", "force",
        ],
        "compile": ["model", "module", "list-outputs", "quiet", "define", "exclude", "with", "target", "help"],
        "check": [
            "paths", "against", "changed", "without", "production", "format", "config", "strict", "fail-level",
            "baseline", "define", "exclude", "help",
        ],
        "lint": [
            "paths", "config", "only", "enable", "disable", "profile", "all-versions", "current", "strict",
            "fail-level", "baseline", "sources", "dry-run", "define", "exclude", "help",
        ],
        "config": ["help"], "config schema": ["help"], "config reference": ["help"],
        "explain": ["rule", "format", "help"], "rules": ["format", "help"], "format": ["check", "diff", "help"],
        "hash": ["model", "version", "format", "define", "exclude", "with", "target", "sources", "help"],
        "inspect": ["model", "version", "format", "define", "exclude", "with", "target", "sources", "help"],
        "graph": [
            "model", "version", "format", "theme", "entity", "diff", "no-attributes", "define", "exclude", "with",
            "target", "help",
        ],
        "decompile": ["model", "source-model", "destination-model", "define", "exclude", "with", "target", "help"],
        "init": ["target", "model", "modelc", "agents", "dry-run", "help"], "mcp": ["help"],
        "doctor": ["package", "help"],
        // The output of modelc-store is tested in StoreToolsTests/StoreMakeTests.
        "momc": ["help"], "mapc": ["help"], "store": ["arguments", "help"], "sql": ["arguments", "help"],
        "templates": ["help"],
        // The output of modelc-studio is tested in ModelEditorTests.
        "studio": ["arguments", "help"],
        "templates eject": ["help"],
        "templates context": [
            "model", "flavor", "style", "access", "version", "with", "imports", "isolation", "keys-style", "help",
        ], "textconv": ["file", "help"],
        "merge-driver": ["base", "theirs", "path", "marker-size", "ours-label", "theirs-label", "help"],
        "build-target": [
            "module", "model", "mapping", "shared-model", "source", "excluded-source", "model-folder-source",
            "available-module",
            "target-directory", "lock", "config", "help",
        ],
        // A folder with other files is rejected: LaneBuildTests. The build folder is SwiftPM's.
        "lane": ["output", "project", "target", "modelc", "scratch-path", "no-build", "no-test", "format", "help"],
        "port": ["directory", "format", "help"], "prepare-for-linux": ["dry-run", "modelc", "target", "help"],
        "help": ["subcommands", "help"],
        "diff": ["old", "new", "from", "to", "format", "exit-code", "define", "exclude", "with", "target", "help"],
        "breaking": [
            "all",
            "paths", "against", "level", "stores", "lock", "config", "strict", "fail-level", "baseline", "define",
            "exclude",
            "help",
        ],
        "cloudkit": ["help"],
        "cloudkit export": [
            "model", "version", "configuration", "database", "no-receipts", "sharing", "merge", "define", "exclude",
            "with", "target", "help",
        ],
        "cloudkit check": [
            "model", "against", "version", "configuration", "database", "no-receipts", "sharing", "strict-indexes",
            "config", "strict", "fail-level", "baseline", "define", "exclude", "with", "target", "help",
        ],
        "cloudkit diff": ["old", "new", "format", "exit-code", "help"],
        "lock": ["help"],
        "lock update": ["paths", "define", "exclude", "release", "draft", "release-all", "force", "help"],
        "lock check": ["paths", "lock", "define", "exclude", "help"],
        "lock rebase": ["paths", "define", "exclude", "help"],
        "migrate": ["help"],
        "migrate check": [
            "model", "from", "to", "format", "steps", "mappings", "define", "exclude", "with", "target", "sources",
            "help",
        ],
        "migrate scaffold": ["model", "from", "to", "form", "help"],
        "swiftdata": ["help"],
        "swiftdata doctor": ["store", "sources", "format", "define", "exclude", "with", "target", "help"],
        "swiftdata plan": ["sources", "name", "define", "exclude", "with", "target", "help"],
        "swiftdata freeze": [
            "version", "check", "lock", "sources", "identifier", "define", "exclude", "with", "target", "help",
        ],
        // The output depends on the model and the project, and is tested in NewVersionTests.
        "new-version": ["model", "name", "from", "no-current", "project", "no-project", "dry-run", "help"],
    ]
}
