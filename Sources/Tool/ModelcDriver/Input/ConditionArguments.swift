internal import ArgumentParser
internal import ProjectConfiguration

/// How Swift sources are read: the arguments of commands that find SwiftData models.
struct ConditionArguments: ParsableArguments {
    @Option(name: .customLong("define"), parsing: .singleValue, help: .definitions)
    var definitions: [String] = []

    @Option(name: .customLong("exclude"), parsing: .singleValue, help: .excludedPatterns)
    var excluded: [String] = []

    /// The arguments, for a reader.
    var reading: SwiftReading {
        SwiftReading(definitions: definitions, excluded: excluded.map(PathPattern.init))
    }
}

extension ArgumentHelp {
    fileprivate static let definitions = ArgumentHelp(
        "Set a condition of #if in Swift sources, such as DEBUG or os(iOS); =false clears it.", valueName: "name")

    fileprivate static let excludedPatterns = ArgumentHelp(
        "Leave out files and folders that match a pattern, such as Tests or \"**/Old*.swift\". Can be given several times.",
        valueName: "pattern")
}

/// Which Swift files are read together: the arguments of commands that read one SwiftData model.
///
/// It has the arguments of ``ConditionArguments`` itself: in debug builds, ArgumentParser checks a group five times for
/// each level that it is nested in.
struct SwiftFileArguments: ParsableArguments {
    @Option(
        name: .customLong("with"), parsing: .singleValue,
        help: ArgumentHelp(
            "Another Swift file, or a folder of Swift files, that is compiled with the model's. Can be given several "
                + "times.", valueName: "path"), completion: .file())
    var otherPaths: [String] = []

    @Option(
        name: .customLong("target"),
        help: ArgumentHelp(
            "Read the Swift files of this target, if the model is the folder of a package, an .xcodeproj or a "
                + "project.pbxproj.", valueName: "name"))
    var target: String?

    @Option(name: .customLong("define"), parsing: .singleValue, help: .definitions)
    var definitions: [String] = []

    @Option(name: .customLong("exclude"), parsing: .singleValue, help: .excludedPatterns)
    var excluded: [String] = []

    /// The arguments, for a reader.
    var reading: SwiftReading { reading(with: []) }

    /// Returns the arguments, for a reader.
    ///
    /// - Parameter paths: More paths.
    func reading(with paths: [String]) -> SwiftReading {
        SwiftReading(
            definitions: definitions, excluded: excluded.map(PathPattern.init), otherPaths: paths + otherPaths,
            target: target)
    }
}

/// How Swift sources are read.
package struct SwiftReading: Sendable {
    /// Conditions of `#if` that hold, besides those in `.modelc.yml`.
    var definitions: [String] = []
    /// The files and folders that are left out.
    var excluded: [PathPattern] = []
    /// Files and folders that are compiled together with the model's.
    var otherPaths: [String] = []
    /// The target of a package or Xcode project whose files are read.
    var target: String?

    /// Returns whether a file or folder is read.
    ///
    /// - Parameter folder: The folder that is searched.
    func isIncluded(_ path: String, below folder: String = ".") -> Bool {
        guard !excluded.isEmpty else { return true }
        let plain = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        let inner = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : plain
        return !excluded.contains { $0.matches(plain) || $0.matches(inner) }
    }
}
