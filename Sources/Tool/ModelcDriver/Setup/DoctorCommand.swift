internal import Diagnostics
internal import ModelSchema

extension DoctorCommand {
    /// Runs the command, which writes nothing.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let path = PathName.joined(root.packagePath, PackageFolder.manifestName)
            let manifest = PackageManifest(try PackageManifest.bytes(path, environment.files))
            let targets = try InputFailure.wrapping { () throws(FileSystemError) in
                try SetupTarget.all(of: manifest, in: root.packagePath, environment.files)
            }
            var check = SetupCheck(manifest: manifest, path: path)
            check.checkPackage(targets)
            for target in targets { check.check(target) }
            check.checkToolchain(SwiftToolchain.installed)
            check.checkLibraries(environment.files)
            printer.print(check.findings)
            if check.findings.isEmpty { environment.outputLine("no problems found in \(path)") }
            return check.findings.hasErrors ? .findings : .success
        }
    }
}

/// A target of a package and the files in its folder.
struct SetupTarget {
    var declaration: PackageManifest.Target
    var group: SourceGroup

    /// Returns the targets whose folders exist.
    static func all(
        of manifest: PackageManifest, in package: String, _ files: any FileSystem
    ) throws(FileSystemError) -> [SetupTarget] {
        let folder = PackageFolder(files: files)
        let targetFolders = folder.folders(of: manifest, in: package)
        return try folder.groups(targetFolders.map { ($0.name, $1) }).compactMap { group in
            manifest.target(named: group.name).map { SetupTarget(declaration: $0, group: group) }
        }
    }
}

/// The Swift toolchain of the machine.
struct SwiftToolchain {
    /// The major and minor version; `nil` if the output of `swift --version` is not recognized.
    var version: (major: Int, minor: Int)?

    /// The oldest version whose package manager builds modelc.
    static let oldest = (major: 6, minor: 2)

    /// The toolchain in `PATH`; `nil` if there is none.
    static var installed: SwiftToolchain? {
        guard let result = try? ChildProcess.run(["swift", "--version"]), result.exitCode == 0 else { return nil }
        return SwiftToolchain(output: String(decoding: result.output, as: UTF8.self))
    }

    /// Parses the output of `swift --version`.
    init(output: String) {
        let marker = "Swift version "
        guard let start = output.firstRange(of: marker)?.upperBound else { return }
        let numbers = output[start...].prefix { $0.isNumber || $0 == "." }.split(separator: ".").compactMap { Int($0) }
        if numbers.count > 1 { version = (numbers[0], numbers[1]) }
    }
}

/// Checks the setup of a package.
struct SetupCheck {
    let manifest: PackageManifest
    let path: String
    private(set) var findings: [Diagnostic] = []

    init(manifest: PackageManifest, path: String) {
        self.manifest = manifest
        self.path = path
    }

    private mutating func report(_ severity: Severity, _ message: String, why: String? = nil, help: String) {
        findings.append(Diagnostic(severity, rule: .packageSetup, message, file: path, why: why, help: help))
    }

    // MARK: The package

    mutating func checkPackage(_ targets: [SetupTarget]) {
        // Such manifests can add to their targets in the block that prepare-for-linux wrote, or in code.
        if manifest.hasComputedTargets || targets.isEmpty {
            report(
                .warning, "the manifest computes its targets, which doctor cannot check",
                help: "Compare each target with Documentation/Guides/Plugin.md.")
        }
        let usesModels = targets.contains { !$0.group.models.isEmpty }
        if usesModels, !manifest.dependsOnModelc, manifest.block == nil {
            report(
                .error, "the package does not depend on modelc",
                why: "SwiftPM does not compile models on Linux; the plugin does.",
                help: "Run “modelc init --modelc LOCATION”, or “modelc prepare-for-linux” for an iOS package.")
        }
        if let version = manifest.toolsVersion, version < (5, 9) {
            report(
                .warning, "the tools version is \(version.major).\(version.minor)",
                why: "Build plugins need tools version 5.9 or later to work reliably.",
                help: "Begin the manifest with “// swift-tools-version: 5.9”.")
        }
    }

    // MARK: A target

    mutating func check(_ target: SetupTarget) {
        let (declared, group) = (target.declaration, target.group)
        // What prepare-for-linux has added for the target, which may have gained a model since.
        let block = manifest.blockCase(of: declared.name)
        for model in group.models {
            if let resource = declared.resources.first(where: { ExcludeList.covers([$0], model) }) {
                report(
                    block.map { LinuxBlock.removes(resource, in: $0) } == true ? .warning : .error,
                    "the target “\(declared.name)” declares the model “\(model)” as a resource (“\(resource)”)",
                    why:
                        "SwiftPM does not compile models on Linux: the app would find a source where it looks for a .momd.",
                    help: "Remove the resource, and exclude the model: exclude: [\"\(model)\"].")
            } else if let excluded = declared.excluded,
                !ExcludeList.covers(excluded, model), block.map({ Self.excludes(model, $0) }) != true
            {
                report(
                    .error, "the target “\(declared.name)” does not exclude the model “\(model)”",
                    why: block == nil
                        ? "Xcode would compile it a second time, and SwiftPM on Linux treats it as an unhandled file."
                        : "SwiftPM on Linux treats it as an unhandled file.",
                    help: block == nil
                        ? "Add it to the target: exclude: [\"\(model)\"]." : "Run “modelc prepare-for-linux” again.")
            }
        }
        func isAdded(_ name: String) -> Bool { block?.contains("name: \"\(name)\"") ?? false }
        if !group.models.isEmpty, !declared.usesPlugin, !isAdded(LinuxBlock.pluginName), !manifest.sharesModelc {
            report(
                .error, "the target “\(declared.name)” has a model and does not use \(LinuxBlock.pluginName)",
                why: "Nothing compiles the model.",
                help: "Add to the target: plugins: [\(ManifestEdit.Addition.plugin)].")
        }
        if !group.models.isEmpty, !declared.dependsOnCoreData, !isAdded("CoreData"), !manifest.sharesModelc {
            report(
                .error, "the target “\(declared.name)” has a model and does not depend on CoreData",
                why: "On Linux, “import CoreData” needs modelc's library.",
                help: "Add to the target: dependencies: [\(ManifestEdit.Addition.product)].")
        }
        if declared.usesPlugin, group.models.isEmpty, group.sources.isEmpty {
            report(
                .warning,
                "the target “\(declared.name)” uses \(LinuxBlock.pluginName) and has neither models nor sources",
                help: "Remove the plugin from the target.")
        }
    }

    /// Returns whether lines of the block exclude a file or a folder around it.
    private static func excludes(_ path: String, _ lines: String) -> Bool {
        var path = path
        while !path.isEmpty, path != "." {
            if lines.contains("    \(SwiftIdentifier.stringLiteral(path)),") { return true }
            path = PathName.parent(of: path)
        }
        return false
    }

    // MARK: The machine

    mutating func checkToolchain(_ toolchain: SwiftToolchain?) {
        guard let toolchain else {
            report(
                .error, "there is no Swift toolchain in PATH", why: "SwiftPM runs the plugin.",
                help: "Install Swift 6.2 or later from swift.org.")
            return
        }
        guard let version = toolchain.version, version < SwiftToolchain.oldest else { return }
        report(
            .error, "the Swift toolchain is version \(version.major).\(version.minor); modelc needs 6.2 or later",
            help: "Install a newer toolchain from swift.org.")
    }

    private static let libraries = [
        (header: "libxml2/libxml/parser.h", package: "libxml2-dev"), (header: "sqlite3.h", package: "libsqlite3-dev"),
        (header: "zlib.h", package: "zlib1g-dev"),
    ]

    mutating func checkLibraries(_ files: any FileSystem) {
        #if os(Linux)
        let missing = Self.libraries.filter { library in
            !["/usr/include", "/usr/local/include"].contains { files.kind(of: "\($0)/\(library.header)") != nil }
        }
        guard !missing.isEmpty else { return }
        let packages = missing.map(\.package).joined(separator: " ")
        report(
            .error, "system libraries that modelc is built with are missing: \(packages)",
            help: "Install them: apt-get install \(packages).")
        #endif
    }
}
