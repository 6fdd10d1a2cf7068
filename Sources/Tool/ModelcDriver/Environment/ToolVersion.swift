internal import Diagnostics

/// The version of the tool, for reports and `--version`.
package enum ToolVersion {
    /// The semantic version.
    package static let number = "0.2.0"

    /// The commit that a release was built from; `nil` in other builds. `Scripts/release.sh` replaces this line in its
    /// copy.
    package static let commit: String? = nil

    /// Returns what a program prints for `--version`, alone or with `--json` in either order, or `nil` for other
    /// arguments.
    package static func answer(to arguments: [String], of program: String) -> String? {
        switch arguments {
        case ["--version"]: text(of: program)
        case ["--version", "--json"], ["--json", "--version"]: json(of: program)
        default: nil
        }
    }

    /// Returns the version, the commit of a release, and the compiler.
    private static func text(of program: String) -> String {
        let build = [commit, "Swift \(compiler)"].compactMap { $0 }.joined(separator: ", ")
        return "\(program) \(number) (\(build))"
    }

    /// Returns the same as a JSON object on one line.
    private static func json(of program: String) -> String {
        JSONValue.object([
            ("name", .string(program)), ("version", .string(number)),
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
