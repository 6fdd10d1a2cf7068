internal import Diagnostics
internal import ModelEvolution

/// Reads and writes `modelc.lock`.
struct LockFile {
    static let defaultName = "modelc.lock"

    let files: any FileSystem
    let path: String

    /// The maximum size of a lock file, in bytes: enough for 100 000 lines.
    private static let sizeLimit = 64 << 20

    /// Returns the lock, or `nil` if there is no such file.
    func read() throws(InputFailure) -> ModelLock? {
        guard let bytes = try bytes() else { return nil }
        return try lock(bytes)
    }

    /// Parses the bytes of the file.
    func lock(_ bytes: [UInt8]) throws(InputFailure) -> ModelLock {
        do throws(ModelLock.Malformed) {
            return try ModelLock(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw failure(error)
        }
    }

    /// Parses both sides of a lock with git conflicts; the same lock twice if there are no conflicts.
    func sides(_ bytes: [UInt8]) throws(InputFailure) -> (ours: ModelLock, theirs: ModelLock) {
        do throws(ModelLock.Malformed) {
            return try ModelLock.sides(ofText: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw failure(error)
        }
    }

    /// Returns the bytes of the file, or `nil` if there is no such file.
    func bytes() throws(InputFailure) -> [UInt8]? {
        guard let kind = files.kind(of: path) else { return nil }
        guard case .file(let size) = kind else {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .fileSystem, "this is not a regular file", file: path, range: .fileStart,
                        help: "Specify a file for the lock.")
                ],
                exitCode: .couldNotRun)
        }
        if size > Self.sizeLimit {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .fileTooLarge, "the lock is too large: \(size >> 20) MiB", file: path,
                        range: .fileStart,
                        help: "Specify a file written by “modelc lock update”.")
                ],
                exitCode: .couldNotRun)
        }
        return try files.readInput(path)
    }

    private func failure(_ error: ModelLock.Malformed) -> InputFailure {
        let position = SourcePosition(line: error.line, column: 1)
        return InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .malformedLock, error.message, file: path,
                    range: SourceRange(start: position, end: position),
                    help: error.isConflict
                        ? "Run “modelc lock rebase”."
                        : "Restore the line from version control. To begin again, remove the file and run “modelc lock update”."
                )
            ],
            exitCode: .couldNotRun)
    }
}
