internal import Diagnostics

/// Merges files line by line, with `git merge-file`, which is available wherever a merge driver runs.
struct LineMerge {
    let files: any FileSystem

    struct Result {
        /// The merged text, with conflict markers.
        var bytes: [UInt8]
        var conflictCount: Int
    }

    /// Merges three versions of a file.
    ///
    /// - Parameters:
    ///   - path: A file in whose folder temporary files may be written.
    ///   - markers: The size of conflict markers and the names of both sides.
    func merge(
        base: [UInt8], ours: [UInt8], theirs: [UInt8], beside path: String,
        markers: (size: Int, ours: String, theirs: String)
    ) throws(InputFailure) -> Result {
        var names = TemporaryNames()
        var paths: [String] = []
        defer { for path in paths { files.removeTree(path) } }
        for bytes in [ours, base, theirs] {
            let path = names.next(beside: path)
            try InputFailure.wrapping { () throws(FileSystemError) in
                try files.create(path, bytes, like: nil)
            }
            paths.append(path)
        }
        let arguments =
            [
                "merge-file", "-p", "-q", "--marker-size=\(markers.size)", "-L", markers.ours, "-L", "base",
                "-L",
                markers.theirs,
            ] + paths.map(files.systemPath)
        let result: ChildProcess.Result
        do throws(ChildProcess.Failure) {
            result = try ChildProcess.git(arguments)
        } catch {
            throw failure(path, error.isMissing ? "git is not installed" : "git cannot run: \(error.reason)")
        }
        // The exit code is the number of conflicts, at most 127; anything above is an error.
        guard result.exitCode <= 127 else {
            throw failure(path, "git merge-file: \(result.errorOutput.split(separator: "\n").first ?? "it failed")")
        }
        return Result(bytes: result.output, conflictCount: Int(result.exitCode))
    }

    private func failure(_ path: String, _ message: String) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(.error, rule: .gitRevision, message, file: path, help: "Merge the file by hand.")
            ],
            exitCode: .couldNotRun)
    }
}
