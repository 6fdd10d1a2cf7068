package import Diagnostics
package import ModelSchema

/// An XML file other than a model, read as far as possible: its elements with their locations.
///
/// Reading is as safe as that of models: no entity is expanded, no other file is read, and an error in a file does not
/// affect the elements before and after it.
package struct XMLFile: Sendable {
    /// The lines of the file, for excerpts.
    package let lines: LineIndex
    /// The path that diagnostics name.
    package let path: String
    private let tree: XMLTree

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - path: The path that diagnostics name.
    package init(bytes: [UInt8], path: String) {
        tree = XMLTreeParser.parse(bytes)
        lines = LineIndex(tree.bytes)
        self.path = path
    }

    /// The problems of the text: everything that is malformed or not allowed.
    package var diagnostics: [Diagnostic] {
        tree.problems.map { $0.diagnostic(path: path, lines: lines) }
    }

    /// Whether elements may be missing because a part of the file could not be read.
    package var isIncomplete: Bool { tree.isIncomplete }

    /// The root element; `nil` if the file has no element.
    package var root: ElementOrigin? { tree.elements.isEmpty ? nil : ElementOrigin(index: 0) }

    package func name(of element: ElementOrigin) -> String { tree.elements[element.index].name }

    /// Returns the text directly inside an element.
    package func text(of element: ElementOrigin) -> String { tree.elements[element.index].text }

    /// Returns the elements inside an element, in the order of the file.
    package func children(of element: ElementOrigin) -> [ElementOrigin] {
        tree.elements[element.index].children.map { ElementOrigin(index: $0) }
    }

    /// Returns the value of an XML attribute; `nil` if the element does not have it.
    package func attribute(_ name: String, of element: ElementOrigin) -> String? {
        tree.elements[element.index].attributes.first { $0.name == name }?.value
    }

    /// Returns the range of an element's start tag.
    package func range(of element: ElementOrigin) -> SourceRange {
        lines.range(of: tree.elements[element.index].tag)
    }

    /// Returns a finding as a diagnostic with its location in the file.
    package func diagnostic(for finding: ModelFinding) -> Diagnostic {
        let location = finding.origin.flatMap { tree.elements.indices.contains($0.index) ? range(of: $0) : nil }
        return Diagnostic(
            finding.severity, rule: finding.rule, finding.message, file: path, range: location ?? .fileStart,
            why: finding.why, help: finding.help)
    }
}
