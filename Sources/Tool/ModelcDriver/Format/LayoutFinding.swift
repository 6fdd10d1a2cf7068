internal import Diagnostics
internal import ModelSource

/// The finding about a file that is not laid out as Xcode saves it. Line ends do not count: git may change them.
enum LayoutFinding {
    /// Returns the finding at the first line that differs.
    static func finding(
        of path: String, _ bytes: [UInt8], formatted: [UInt8], _ severity: Severity = .error
    ) -> Diagnostic {
        let (old, new) = (SourceText(bytes).utf8, SourceText(formatted).utf8)
        let same = zip(old, new).prefix { $0 == $1 }.count
        let line = old[..<min(same, old.count)].count { $0 == UInt8(ascii: "\n") } + 1
        let location = SourcePosition(line: line, column: 1)
        return Diagnostic(
            severity, rule: .format, "the file is not laid out as Xcode saves it", file: path,
            range: SourceRange(start: location, end: location),
            why: "Xcode will rewrite it with the next change, which causes unintended differences.",
            help: "Run “modelc format”; --diff shows what changes.")
    }

    /// Returns a note about a version of a model that was read whole; `nil` if it is laid out as it should be.
    ///
    /// - Parameter model: The path of the model.
    static func note(about document: ModelDocument, of model: String) -> Diagnostic? {
        let bytes = document.source.bytes
        // Other problems of the file come first.
        guard !document.diagnostics.hasErrors,
            let formatted = try? ModelFormatter.format(bytes, path: document.path),
            !TextLines.areEqual(formatted, bytes)
        else { return nil }
        var note = finding(of: document.path, bytes, formatted: formatted, .note)
        note.command = "modelc format \(ShellWord.quoted(model))"
        return note
    }
}
