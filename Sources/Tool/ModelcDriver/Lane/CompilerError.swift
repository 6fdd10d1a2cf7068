/// An error in the output of `swift build`.
struct CompilerError: Hashable, Comparable, Sendable {
    /// The path of the file, as printed.
    var path: String
    var line: Int
    var column: Int
    var message: String

    /// Whether the code uses something that does not exist, so that no other change of the sources can make it compile
    /// than adding that.
    var namesMissingSymbol: Bool {
        let starts = [
            "cannot find ", "no such module ", "could not find module ", "no type named ", "unable to find module ",
        ]
        let parts = [
            " has no member ", " is not a member type of ", " has no dynamic member ", "cannot be found in scope",
            " is unavailable",
        ]
        return starts.contains(where: message.hasPrefix) || parts.contains { message.contains($0) }
    }

    /// The names in the message, which are in single quotes, without generic arguments and module names.
    var names: [String] {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.flatMap { index in
            parts[index].split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        }
    }

    static func < (first: CompilerError, second: CompilerError) -> Bool {
        (first.path, first.line, first.column, first.message) < (
            second.path, second.line, second.column, second.message
        )
    }

    /// Returns the errors in the output of a build, each once, in the order of files and lines.
    ///
    /// A crash of the compiler is an error where its stack dump says that it was.
    static func errors(in output: String) -> [CompilerError] {
        var result: Set<CompilerError> = []
        for line in output.split(whereSeparator: \.isNewline) {
            if let error = diagnostic(line) ?? crash(line) { result.insert(error) }
        }
        return result.sorted()
    }

    /// Reads `path:line:column: error: message`.
    private static func diagnostic(_ line: Substring) -> CompilerError? {
        guard line.hasPrefix("/"), let mark = line.firstRange(of: ": error: ") else { return nil }
        return CompilerError(location: line[..<mark.lowerBound], message: String(line[mark.upperBound...]))
    }

    /// Reads a line such as `4. While type-checking 'f' (at /path:line:column)` or `[/path:line:column - …]`.
    private static func crash(_ line: Substring) -> CompilerError? {
        guard line.first?.isNumber == true, let mark = line.firstRange(of: "While ") else { return nil }
        for start in ["[/", "at /"] {
            guard let range = line[mark.upperBound...].firstRange(of: start) else { continue }
            let rest = line[line.index(before: range.upperBound)...]
            let end = rest.firstIndex { $0 == " " || $0 == "]" || $0 == ")" } ?? rest.endIndex
            let location = rest[..<end]
            if let error = CompilerError(location: location, message: "the compiler crashed") { return error }
        }
        return nil
    }

    init(path: String, line: Int, column: Int, message: String) {
        self.path = path
        self.line = line
        self.column = column
        self.message = message
    }

    private init?(location: Substring, message: String) {
        let parts = location.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, let line = Int(parts[parts.count - 2]), let column = Int(parts[parts.count - 1]) else {
            return nil
        }
        self.init(
            path: parts.dropLast(2).joined(separator: ":"), line: line, column: column, message: message)
    }
}
