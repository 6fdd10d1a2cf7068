internal import Diagnostics

/// A file that is not a model source, recognized by its first bytes.
enum ForeignFile {
    /// An empty file.
    case empty
    /// A binary property list: a compiled model, or a model of Xcode 3.
    case binaryPropertyList
    case sqliteStore
    /// A file that is not XML.
    case notXML
    /// XML with another root element.
    case otherXML(root: String)

    /// Returns the kind of a file that can be recognized without parsing it; `nil` for other files.
    static func recognize(_ bytes: [UInt8]) -> ForeignFile? {
        if bytes.isEmpty { return .empty }
        if bytes.starts(with: Array("bplist".utf8)) { return .binaryPropertyList }
        if bytes.starts(with: Array("SQLite format 3\u{0}".utf8)) { return .sqliteStore }
        return nil
    }

    private var isEmpty: Bool { if case .empty = self { true } else { false } }

    /// Returns the error for the file.
    func diagnostic(path: String, range: SourceRange = .fileStart) -> Diagnostic {
        let (message, help): (String, String) =
            switch self {
            case .empty where path.hasSuffix(".mom"), .notXML where path.hasSuffix(".mom"):
                (
                    "the file is not a compiled model: it \(isEmpty ? "is empty" : "does not begin as one")",
                    "Compile it again from its source, with Xcode or “modelc compile”, or copy it again from the app."
                )
            case .empty:
                ("the file is empty", "Restore it from version control.")
            case .binaryPropertyList:
                (
                    "the file is a binary property list: a compiled model, or a model of Xcode 3",
                    "Specify the .xcdatamodeld that it was made from. A model of Xcode 3 has to be opened and saved with "
                        + "an Xcode from 4 to 13 first."
                )
            case .sqliteStore:
                ("the file is a SQLite store, not a model", "Specify the .xcdatamodeld of the app that wrote it.")
            case .notXML:
                (
                    "the file is not a Core Data model: it has no XML element",
                    "Specify an .xcdatamodeld or .xcdatamodel."
                )
            case .otherXML(let root):
                (
                    "the file is not a Core Data model: its root element is <\(root)>, not <model>",
                    "Specify an .xcdatamodeld or .xcdatamodel."
                )
            }
        return Diagnostic(.error, rule: .notAModel, message, file: path, range: range, help: help)
    }
}
