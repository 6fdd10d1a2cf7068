package import ArgumentParser

/// The help of a command, in which the lines that do not fit keep their indentation.
///
/// ArgumentParser continues the lines of a discussion at the left margin, and does not wrap the usage.
package enum HelpPage {
    /// The widths of a page that is not shown on a terminal, and of one on a narrow terminal.
    private static let usualWidth = 80
    private static let leastWidth = 60
    private static let usageMark = "USAGE: "

    /// Returns the help that ArgumentParser has written, laid out again; other strings are returned as they are.
    ///
    /// - Parameters:
    ///   - root: The program that was asked.
    ///   - width: The number of columns of the terminal.
    package static func laidOut(_ text: String, of root: any ParsableCommand.Type, width: Int?) -> String {
        guard text.hasPrefix("OVERVIEW: "), let command = command(of: text, root: root) else { return text }
        let width = max(leastWidth, width ?? usualWidth)
        let page = root.helpMessage(for: command, columns: width)
        guard let usage = page.firstRange(of: "\n" + usageMark),
            let end = page[usage.upperBound...].firstRange(of: "\n\n")
        else { return text }
        let configuration = command.configuration
        let overview = ["OVERVIEW: " + configuration.abstract, configuration.discussion].filter { !$0.isEmpty }
            .joined(separator: "\n\n")
        let lines = overview.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard isCommand(line) else { return WrappedText.wrap(String(line), width: width) }
            // What is copied from two lines is still one command.
            return WrappedText.join(units(of: line), limit: width, indent: "      ", continuation: " \\")
        }
        let synopsis = units(of: page[page.index(after: usage.lowerBound)..<end.lowerBound])
        let indent = String(repeating: " ", count: usageMark.count)
        return lines.joined(separator: "\n") + "\n\n" + WrappedText.join(synopsis, limit: width, indent: indent)
            + page[end.lowerBound...]
    }

    /// Returns the command that a page is about, which its usage names.
    private static func command(
        of text: String, root: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        guard let usage = text.firstRange(of: "\n" + usageMark) else { return nil }
        var command = root
        for word in text[usage.upperBound...].prefix(while: { $0 != "\n" }).split(separator: " ").dropFirst() {
            let next = command.configuration.subcommands.first { $0.configuration.commandName == String(word) }
            guard let next else { break }
            command = next
        }
        return command
    }

    /// Returns whether a line of a discussion is an example.
    private static func isCommand(_ line: Substring) -> Bool {
        guard line.hasPrefix("  "), let program = line.split(separator: " ").first else { return false }
        return program.hasPrefix("modelc") || program == "git"
    }

    /// Returns the words of a command line, in which quoted strings, optional parts and options with their values are
    /// one word.
    private static func units(of line: Substring) -> [String] {
        var result: [String] = []
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            if let last = result.last, isOpen(last) || word == "..." || (last.hasPrefix("-") && !last.contains(" ")) {
                result[result.count - 1] = last + " " + word
            } else {
                result.append(String(word))
            }
        }
        return result
    }

    private static func isOpen(_ text: String) -> Bool {
        func count(_ character: Character) -> Int { text.count { $0 == character } }
        return count("[") > count("]") || count("\"") % 2 == 1
    }
}
