internal import Diagnostics

/// Everything that a command may touch: files, the two output streams and what it is told of the terminal.
///
/// Commands are functions of their options and this, so that tests run them without a process. Not for use from several
/// threads at once.
///
/// What is printed goes through the methods here, which keep names from models, folders and arguments from driving the terminal
/// or a CI system.
package struct DriverEnvironment {
    /// The files.
    package var files: any FileSystem
    /// Whether findings on the stream for people are printed in colors.
    package var usesColor: Bool
    /// Whether what goes to the output stream for people to read is printed in colors.
    package var outputUsesColor: Bool
    /// Whether the output stream is shown to people, as on a terminal or in a CI log, even if it is meant for programs.
    package var outputIsDisplayed: Bool
    /// Whether the stream for people is a terminal, on which a line can be replaced.
    package var errorOutputIsTerminal: Bool
    /// The number of columns of the output stream's terminal; `nil` if the stream is not a terminal.
    package var outputWidth: Int?
    private let writeOutput: (String) -> Void
    private let writeErrorOutput: (String) -> Void

    /// Creates an environment.
    ///
    /// - Parameters:
    ///   - output: Takes what a command prints for machines and pipes.
    ///   - errorOutput: Takes what a command prints for people: findings and summaries.
    package init(
        files: any FileSystem, output: @escaping (String) -> Void, errorOutput: @escaping (String) -> Void,
        usesColor: Bool, outputUsesColor: Bool = false, outputIsDisplayed: Bool = false,
        errorOutputIsTerminal: Bool = false, outputWidth: Int? = nil
    ) {
        self.files = files
        writeOutput = output
        writeErrorOutput = errorOutput
        self.usesColor = usesColor
        self.outputUsesColor = outputUsesColor
        self.outputIsDisplayed = outputIsDisplayed
        self.errorOutputIsTerminal = errorOutputIsTerminal
        self.outputWidth = outputWidth
    }

    /// Prints text with lines and tabs to the output stream.
    ///
    /// - Parameter isStyled: Whether it holds the colors of `TextReporter`, and names in it are escaped already.
    package func output(_ text: String, isStyled: Bool = false) {
        writeOutput(DisplayText.lines(text, keepsStyles: isStyled))
    }

    /// Prints one line to the output stream, whatever names in it hold.
    package func outputLine(_ line: String) {
        output(DisplayText.line(line) + "\n")
    }

    /// Prints to the output stream what a program reads that does not expect escapes, such as a patch: byte for byte, unless it
    /// is shown to people.
    package func outputData(_ text: String) {
        writeOutput(outputIsDisplayed ? DisplayText.lines(text) : text)
    }

    /// Prints commands for a CI system to the output stream. Names in it must be escaped already.
    func outputCommands(_ text: String) {
        writeOutput(text)
    }

    /// Prints text with lines and tabs to the error stream.
    ///
    /// - Parameter isStyled: Whether it holds the colors of `TextReporter`, and names in it are escaped already.
    package func errorOutput(_ text: String, isStyled: Bool = false) {
        writeErrorOutput(DisplayText.lines(text, keepsStyles: isStyled))
    }

    /// Prints one line to the error stream, whatever names in it hold.
    package func errorLine(_ line: String) {
        errorOutput(DisplayText.line(line) + "\n")
    }

    /// Replaces the last line of the error stream's terminal, or removes it if there is no text. A no-op for other streams.
    package func replaceErrorLine(_ line: String) {
        guard errorOutputIsTerminal else { return }
        writeErrorOutput("\r\u{1B}[K" + DisplayText.line(line))
    }
}
