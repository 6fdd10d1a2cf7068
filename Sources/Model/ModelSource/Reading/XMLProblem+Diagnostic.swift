internal import Diagnostics

extension XMLProblem {
    /// Returns the problem as a diagnostic in a file.
    func diagnostic(path: String, lines: LineIndex) -> Diagnostic {
        let range = lines.range(of: range)
        switch kind {
        case .notWellFormed(let message):
            return Diagnostic(
                .error, rule: .notWellFormed, "not well-formed XML: \(message)", file: path, range: range,
                help: "Xcode cannot open the file either. Restore it from version control, or repair it manually.")
        case .truncated(let names):
            let inner = names.last.map { ", inside <\($0)>" } ?? ""
            return Diagnostic(
                .error, rule: .truncated, "the file ends before the model does\(inner)", file: path, range: range,
                why: "Everything after this point is lost; only the part before it was read.",
                help: "Restore the file from version control.")
        case .conflictMarker(let text):
            return Diagnostic(
                .error, rule: .conflictMarkers, "unresolved merge conflict: “\(text)”", file: path, range: range,
                why: "Xcode cannot open a model with conflict markers.",
                help: "Keep one side or combine both, and remove the lines with <<<<<<<, ======= and >>>>>>>.")
        case .entityDeclaration(let name):
            return Diagnostic(
                .error, rule: .entityDeclaration, "the file declares the XML entity “\(name)”", file: path,
                range: range, why: "Models need no XML entities, and expanding them is a known attack.",
                help: "Remove the document type declaration and write the text itself.")
        case .documentType:
            return Diagnostic(
                .note, rule: .unknownXML, "a model must not have a document type declaration", file: path, range: range,
                help: "Remove the line; Xcode never writes one.")
        case .tooDeep:
            return Diagnostic(
                .error, rule: .tooDeep, "elements are nested too deeply for a model", file: path, range: range,
                why: "Models nest at most six elements deep; no model editor wrote this file.")
        case .tooManyAttributes:
            return Diagnostic(
                .error, rule: .tooManyAttributes, "the tag has too many attributes for a model",
                file: path, range: range, why: "Nothing was read; no model editor wrote this file.")
        case .notUTF8:
            return Diagnostic(
                .error, rule: .notUTF8, "the bytes from here on are not UTF-8 text", file: path, range: range,
                why: "Xcode writes models in UTF-8 and reads nothing else.",
                help: "Save the file as UTF-8, or restore it from version control.")
        case .notInDeclaredEncoding(let name, let isSupported):
            return Diagnostic(
                .error, rule: .unsupportedEncoding,
                isSupported
                    ? "the bytes from here on are not valid \(name)" : "unsupported character encoding “\(name)”",
                file: path, range: range,
                why: "The text cannot be read without guessing; Xcode writes models in UTF-8.",
                help: "Convert the file to UTF-8 and change its XML declaration, or restore it from version control.")
        }
    }
}
