internal import Diagnostics

/// The version of the tool, for reports and `--version`.
package enum ToolVersion {
    /// The semantic version.
    package static let number = "0.2.0"

    /// The commit that a release was built from; `nil` in other builds. `Scripts/release.sh` replaces this line in its
    /// copy.
    package static let commit: String? = nil

    /// What `--version` prints: the version, the commit of a release, and the compiler.
    package static var text: String {
        let build = [commit, "Swift \(compiler)"].compactMap { $0 }.joined(separator: ", ")
        return "modelc \(number) (\(build))"
    }

    /// What `--version --json` prints: the same as a JSON object on one line.
    package static var json: String {
        JSONValue.object([
            ("name", .string("modelc")), ("version", .string(number)),
            ("commit", commit.map(JSONValue.string) ?? .null),
            ("swift", .string(compiler)), ("system", .string(system)), ("architecture", .string(architecture)),
        ]).line
    }

    private static var system: String {
        #if os(macOS)
        "macos"
        #elseif os(Linux)
        "linux"
        #else
        "unknown"
        #endif
    }

    private static var architecture: String {
        #if arch(x86_64)
        "x86_64"
        #elseif arch(arm64)
        "arm64"
        #else
        "unknown"
        #endif
    }

    /// The version of the compiler that built the tool, as far as conditions can tell.
    private static var compiler: String {
        #if compiler(>=6.5)
        "6.5 or later"
        #elseif compiler(>=6.4)
        "6.4"
        #elseif compiler(>=6.3)
        "6.3"
        #elseif compiler(>=6.2)
        "6.2"
        #else
        "6.1"
        #endif
    }
}
