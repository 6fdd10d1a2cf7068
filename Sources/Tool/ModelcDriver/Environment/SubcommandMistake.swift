internal import ArgumentParser
internal import Diagnostics
internal import ModelSchema

/// An unknown subcommand among the arguments of a program. ArgumentParser calls it an unexpected argument, and its
/// `help` prints the help of the program.
struct SubcommandMistake {
    /// The unknown word.
    let word: String
    /// The names of the program and of the subcommands before the word.
    let path: [String]
    /// The name that was probably meant.
    let suggestion: String?

    /// Returns the first unknown subcommand; `nil` if there is none.
    ///
    /// - Parameter root: The command that the arguments are for.
    static func find(in arguments: [String], of root: any ParsableCommand.Type) -> SubcommandMistake? {
        var words = arguments[...]
        if words.first == "help" { words = words.dropFirst() }
        var configuration = root.configuration
        var path = [name(of: configuration)]
        // A command without subcommands takes the rest of the words.
        while !configuration.subcommands.isEmpty, let word = words.popFirst(), !word.hasPrefix("-") {
            let subcommands = configuration.subcommands.map { $0.configuration }
            guard let next = subcommands.first(where: { name(of: $0) == word }) else {
                let names = subcommands.filter(\.shouldDisplay).map(name) + (path.count == 1 ? ["help"] : [])
                let suggestion = EditDistance.closest(to: word, among: names)
                // It may be an argument of the command that runs if none is named.
                if configuration.defaultSubcommand != nil, suggestion == nil { return nil }
                return SubcommandMistake(word: word, path: path, suggestion: suggestion)
            }
            configuration = next
            path.append(name(of: next))
        }
        return nil
    }

    /// The message for the error stream, in the form of ArgumentParser's messages.
    var text: String {
        let shown = word.count > 60 ? String(word.prefix(60)) + "…" : word
        let program = path.joined(separator: " ")
        let question = suggestion.map { " Did you mean '\($0)'?" } ?? ""
        return """
            modelc: error: Unknown subcommand '\(shown)'.\(question)
            Usage: \(program) <subcommand>
              See '\(program) --help' for more information.

            """
    }

    private static func name(of configuration: CommandConfiguration) -> String { configuration.commandName ?? "" }
}
