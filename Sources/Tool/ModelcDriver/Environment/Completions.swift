package import ArgumentParser
internal import Diagnostics
internal import ModelLint
internal import ModelSchema

extension CompletionKind {
    /// Completes the names of the configurable rules.
    static let lintRules = CompletionKind.list(RuleRegistry.configurableDescriptions.map(\.id.rawValue))

    /// Completes the names of all rules.
    static var rules: CompletionKind { .list(RuleRegistry.descriptions.map(\.id.rawValue)) }

    /// Completes the names of reporters.
    package static var reporters: CompletionKind { .list(ReporterKind.allCases.map(\.rawValue)) }

    /// Completes the entities of the model that the command line names.
    static var entities: CompletionKind {
        .custom { words, _, prefix in ModelCompletion(words).entityNames.filter { $0.hasPrefix(prefix) } }
    }

    /// Completes the versions of the model that the command line names.
    static var versions: CompletionKind {
        .custom { words, _, prefix in ModelCompletion(words).versionNames.filter { $0.hasPrefix(prefix) } }
    }
}

/// The model on the command line that is being completed.
struct ModelCompletion {
    private let models: ModelSet?

    /// Reads the first model that the words name. An unreadable model has no completions: a shell cannot show errors
    /// here.
    ///
    /// - Parameter words: The words of the command line as they were typed, with quotes and backslashes.
    init(_ words: [String], files: any FileSystem = POSIXFileSystem()) {
        let path = words.lazy.map(Self.unquoted).first { word in
            Self.extensions.contains(where: PathName.withoutTrailingSlashes(word).hasSuffix)
                && files.kind(of: word) != nil
        }
        models = path.flatMap { try? ModelSetReader(files: files).read($0) }
    }

    var versionNames: [String] { models?.versions.map(\.name) ?? [] }

    /// The names of the entities of the current version, or of the only one.
    var entityNames: [String] {
        let version = models?.versions.first { $0.name == models?.currentName } ?? models?.versions.first
        return version?.model?.entities.map(\.name) ?? []
    }

    private static let extensions = [".xcdatamodeld", ".xcdatamodel", ".momd", ".mom"]

    /// Returns a word as the shell expands it, without quotes and backslashes.
    private static func unquoted(_ word: String) -> String {
        var result = ""
        var quote: Character?
        var isEscaped = false
        for character in word {
            if isEscaped {
                result.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                result.append(character)
            }
        }
        return result
    }
}
