internal import Diagnostics

/// Builds a package again and again without the sources that do not compile.
struct LaneBuild {
    /// Runs a program.
    typealias Runner = (_ arguments: [String]) throws(ChildProcess.Failure) -> ChildProcess.Result

    let package: LanePackage
    /// The build folder.
    let scratch: String
    let environment: DriverEnvironment
    let run: Runner

    private var files: any FileSystem { environment.files }

    /// The maximum number of builds. Each leaves out at least one source, and dependencies are rarely that long.
    static let maximumRounds = 50

    /// Builds the package in a working copy, and leaves out sources until it compiles.
    ///
    /// - Parameters:
    ///   - selection: The sources of the package.
    ///   - name: The name of the package's folder.
    /// - Returns: The number of builds.
    func reduce(_ selection: inout LaneSelection, name: String) throws(InputFailure) -> Int {
        // A name that no folder of the user has: what is in it is removed.
        let parent = PathName.joined(scratch, ".modelc-lane")
        let copy = PathName.joined(parent, name)
        let lock = try InputFailure.wrapping { () throws(FileSystemError) in
            try files.createDirectory(parent)
            guard files.linkTarget(of: parent) == nil else {
                throw OutputDestination.rejection(parent, "it is a symbolic link, which may lead to files of yours")
            }
            return try files.lock(folder: parent)
        }
        defer {
            files.removeTree(copy)
            // The folder stays: another run may wait for its lock.
            withExtendedLifetime(lock) {}
        }
        files.removeTree(copy)
        var written: [String: [UInt8]] = [:]
        for round in 1...Self.maximumRounds {
            let contents = try package.files(selection, findsAllErrors: true)
            try replace(&written, with: contents, in: copy)
            prepareForOtherPackage()
            guard let root = files.canonicalPath(copy) else {
                throw failure("the working copy “\(copy)” has disappeared", output: "")
            }
            let count = selection.included.count
            let more = round == 1 ? "; the first one also builds modelc, if it is not in the build folder" : ""
            environment.errorLine("modelc: build \(round), with \(counted(count, "source"))\(more)")
            let (code, output) = try swift("build", ["--build-tests"], root)
            if code == 0 { return round }
            let left = selection.omit(CompilerError.errors(in: output), inPackage: root)
            guard left > 0 else {
                throw failure("the package does not build, for a reason other than its sources", output: output)
            }
        }
        throw failure("the package does not build after \(Self.maximumRounds) rounds", output: "")
    }

    /// Runs the tests of the written package.
    func test(_ folder: String) throws(InputFailure) -> LaneTestResult {
        let root = files.canonicalPath(folder) ?? folder
        environment.errorLine("modelc: running the tests")
        prepareForOtherPackage()
        let (buildCode, buildOutput) = try swift("build", ["--build-tests"], root)
        guard buildCode == 0 else {
            throw failure(
                "the package does not build in its folder, as it did in the working copy", output: buildOutput)
        }
        let (code, output) = try swift("test", ["--skip-build"], root)
        return LaneTestResult(exitCode: code, output: output)
    }

    /// SwiftPM uses the plan of the last build in a folder for any package, and programs find the models of
    /// all bundles beside them.
    private func prepareForOtherPackage() {
        // Only in a folder that SwiftPM has used: the name may be that of a file of the user.
        guard files.kind(of: PathName.joined(scratch, "workspace-state.json")) != nil else { return }
        try? files.remove(PathName.joined(scratch, "debug.yaml"))
    }

    /// Writes what has changed of the package, so that unchanged files keep their dates.
    private func replace(
        _ written: inout [String: [UInt8]], with contents: [String: [UInt8]], in copy: String
    ) throws(InputFailure) {
        let old = written
        try InputFailure.wrapping { () throws(FileSystemError) in
            for (name, bytes) in old where contents[name] != bytes {
                try files.remove(PathName.joined(copy, name))
            }
            for (name, bytes) in contents where old[name] != bytes {
                let path = PathName.joined(copy, name)
                try files.createDirectory(PathName.parent(of: path))
                try files.create(path, bytes, like: nil)
            }
        }
        written = contents
    }

    private func swift(
        _ command: String, _ options: [String], _ root: String
    ) throws(InputFailure) -> (code: Int32, output: String) {
        let scratch = files.canonicalPath(scratch) ?? scratch
        do throws(ChildProcess.Failure) {
            let result = try run(
                ["swift", command, "--package-path", root, "--scratch-path", scratch] + options)
            return (result.exitCode, String(decoding: result.output, as: UTF8.self) + "\n" + result.errorOutput)
        } catch {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .missingTool,
                        error.isMissing ? "“swift” was not found" : "“swift” cannot be run: \(error.reason)",
                        why: "`modelc lane` builds the package to find out which sources compile.",
                        help: "Install a Swift toolchain, or write the package without building it, with --no-build.")
                ],
                exitCode: .couldNotRun)
        }
    }

    /// The number of lines of output that a failure shows.
    private static let shownLines = 30

    private func failure(_ message: String, output: String) -> InputFailure {
        let lines = output.split(whereSeparator: \.isNewline)
        let errors = lines.filter { $0.contains("error:") }
        let shown = (errors.isEmpty ? lines.suffix(Self.shownLines) : errors.prefix(Self.shownLines)).map(String.init)
        for line in shown { environment.errorLine(line) }
        return InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .packageSetup, message,
                    help: shown.isEmpty
                        ? "Exclude sources manually, with a separate target."
                        : "Correct what the build reports above.")
            ],
            exitCode: .couldNotRun)
    }
}
