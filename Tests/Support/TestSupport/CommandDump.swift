import Foundation

/// A command with its options and subcommands, as ArgumentParser's `--experimental-dump-help` writes them.
public struct CommandDump: Decodable {
    private struct Document: Decodable {
        let command: CommandDump
    }

    private struct Argument: Decodable {
        let kind: String
        let isOptional: Bool
        let abstract: String?
        let valueName: String?
    }

    private let commandName: String
    private let subcommands: [CommandDump]?
    private let arguments: [Argument]?

    /// Returns the program's root command.
    public static func root(in text: String) throws -> CommandDump {
        try JSONDecoder().decode(Document.self, from: Data(text.utf8)).command
    }

    /// The paths of the subcommands on all levels, as they are written on the command line; the command's own is empty.
    public var paths: [[String]] {
        [[]]
            + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap { next in
                next.paths.map { [next.commandName] + $0 }
            }
    }

    /// The options without which a command cannot run and whose help does not say so.
    public var unmarkedOptions: [String] {
        let unmarked = (arguments ?? []).filter {
            $0.kind == "option" && !$0.isOptional && $0.abstract?.hasSuffix("(required)") != true
        }
        return unmarked.map { "\(commandName): \($0.valueName ?? "")" }
            + (subcommands ?? []).flatMap(\.unmarkedOptions)
    }
}
