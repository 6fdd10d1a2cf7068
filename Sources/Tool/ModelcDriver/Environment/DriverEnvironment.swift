internal import Diagnostics

/// Everything that a command may access: files, the two output streams and the properties of the terminal.
///
/// Commands depend on their options and on this only, so tests run them without a process. Not thread-safe.
///
/// All output goes through the methods here, which escape names from models, folders and arguments, so that they cannot
/// control the terminal or a CI system.
package struct DriverEnvironment {
    package var files: any FileSystem
    /// Whether findings on the error stream are printed in color.
    package var usesColor: Bool
    /// Whether human-readable text on the output stream is printed in color.
    package var outputUsesColor: Bool
    /// Whether the output stream is displayed, as on a terminal or in a CI log, even if its content is meant for
    /// programs.
    package var outputIsDisplayed: Bool
    /// Whether the error stream is a terminal, on which a line can be replaced.
    package var errorOutputIsTerminal: Bool
    /// The number of columns of the output stream's terminal; `nil` if the stream is not a terminal.
    package var outputWidth: Int?
    /// Returns the next line of the input stream without its line feed, or `nil` at the end. Only servers read it.
    package var nextInputLine: () -> [UInt8]? = { nil }
    /// Returns whether the output stream could not be written, so that further output is lost: its reader has closed
    /// the pipe, or the disk is full.
    package var outputHasFailed: () -> Bool = { false }
    /// The names of other programs that this executable contains: it acts as one of them if it is called by that name.
    package var containedPrograms: Set<String> = []
    private let writeOutput: (String) -> Void
    private let writeErrorOutput: (String) -> Void

    /// Creates an environment.
    ///
    /// - Parameters:
    ///   - output: Receives what a command prints for programs and pipes.
    ///   - errorOutput: Receives what a command prints for people: findings and summaries.
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

    /// Prints one line to the output stream. Line breaks and control characters in it are escaped.
    package func outputLine(_ line: String) {
        output(DisplayText.line(line) + "\n")
    }

    /// Prints data for a program that does not expect escapes, such as a patch, to the output stream: byte for byte,
    /// unless the stream is displayed.
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

    /// Prints one line to the error stream. Line breaks and control characters in it are escaped.
    package func errorLine(_ line: String) {
        errorOutput(DisplayText.line(line) + "\n")
    }

    /// Replaces the last line of the error stream's terminal, or removes it if there is no text. A no-op for other
    /// streams.
    package func replaceErrorLine(_ line: String) {
        guard errorOutputIsTerminal else { return }
        writeErrorOutput("\r\u{1B}[K" + DisplayText.line(line))
    }
}
