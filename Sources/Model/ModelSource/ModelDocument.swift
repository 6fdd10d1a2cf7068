package import Diagnostics
package import ModelSchema

/// A `contents` file that was read: the model, the locations of its elements, and the findings.
package struct ModelDocument: Sendable {
    /// The reason why bytes are not a model at all.
    package struct NotAModel: Error, Sendable {
        /// The error, with the file's actual type.
        package var diagnostic: Diagnostic
        /// The lines of the file, for excerpts; `nil` if it is not text.
        package var lines: LineIndex?
    }

    /// The model, or as much of it as could be read.
    package let model: Model
    /// The path that diagnostics name.
    package let path: String
    /// The findings from reading, in the order of the file. The model may have other errors: see `diagnostics(at:)`.
    package private(set) var diagnostics: [Diagnostic]
    /// The lines of the file, for excerpts.
    package let lines: LineIndex
    let tree: XMLTree

    /// Reads a `contents` file.
    ///
    /// Reading continues after every problem; it fails only if the bytes do not contain a model at all.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - path: The path that diagnostics name.
    ///   - name: The name of the model version.
    /// - Throws: `NotAModel` if the bytes are not a model.
    package init(bytes: [UInt8], path: String, name: String) throws(NotAModel) {
        if let problem = ForeignFile.recognize(bytes) {
            throw NotAModel(diagnostic: problem.diagnostic(path: path), lines: nil)
        }
        tree = XMLTreeParser.parse(bytes)
        self.path = path
        let lines = LineIndex(tree.bytes)
        self.lines = lines
        guard let root = tree.elements.first else {
            let crowded = tree.problems.first { $0.kind == .tooManyAttributes }
            throw NotAModel(
                diagnostic: crowded?.diagnostic(path: path, lines: lines)
                    ?? ForeignFile.notXML.diagnostic(path: path), lines: lines)
        }
        guard root.name == "model" else {
            throw NotAModel(
                diagnostic: ForeignFile.otherXML(root: root.name)
                    .diagnostic(path: path, range: lines.range(of: root.tag)), lines: lines)
        }
        var reader = ModelReader(tree: tree)
        model = reader.readModel(name: name)
        let problems = tree.problems.map { $0.diagnostic(path: path, lines: lines) }
        diagnostics = []
        diagnostics = (problems + reader.findings.map { diagnostic(for: $0) }).sortedByLocation()
    }

    /// The text of the file, which the offsets of edits refer to.
    package var source: SourceText { tree.source }

    /// Returns the range of an element's start tag, from `<` up to the `>` or `/>` that ends it; `nil` for a part
    /// without origin.
    package func range(of origin: ElementOrigin?) -> SourceRange? {
        guard let origin, tree.elements.indices.contains(origin.index) else { return nil }
        return lines.range(of: tree.elements[origin.index].tag)
    }

    /// Returns the range of an XML attribute of an element, `name="value"`; `nil` if the element does not have it.
    package func range(of origin: ElementOrigin?, attribute: String) -> SourceRange? {
        guard let origin else { return nil }
        return tree.range(ofAttribute: attribute, in: origin.index).map { lines.range(of: $0) }
    }

    /// Returns the range of the value of an XML attribute, without its quotes; `nil` if the element does not have it.
    package func range(of origin: ElementOrigin?, valueOf attribute: String) -> SourceRange? {
        guard let origin else { return nil }
        return tree.range(ofValueOf: attribute, in: origin.index).map { lines.range(of: $0) }
    }

    /// Returns the byte range of an element's start tag, up to the `>` or `/>` that ends it.
    func byteRange(of origin: ElementOrigin) -> Range<Int>? {
        tree.elements.indices.contains(origin.index) ? tree.elements[origin.index].tag : nil
    }

    /// Returns the byte range of an XML attribute with its value.
    func byteRange(of origin: ElementOrigin, attribute: String) -> Range<Int>? {
        tree.range(ofAttribute: attribute, in: origin.index)
    }

    /// Returns the byte range of the value of an XML attribute, without its quotes.
    func byteRange(of origin: ElementOrigin, valueOf attribute: String) -> Range<Int>? {
        tree.range(ofValueOf: attribute, in: origin.index)
    }

    /// Returns the offset at which Xcode would write an XML attribute that an element does not have: after the last one
    /// that precedes it.
    func byteOffset(forNew attribute: String, of origin: ElementOrigin) -> Int? {
        guard tree.elements.indices.contains(origin.index) else { return nil }
        let element = tree.elements[origin.index]
        let isOld = CanonicalOrder.wasSavedByXcode7OrEarlier(toolsVersion: model.settings.lastSavedToolsVersion)
        let ranks = CanonicalOrder.attributeRanks(of: element.name, isOld: isOld)
        let written = tree.attributeRanges(ofElementAt: origin.index)
        let before = written.last { ranks[$0.name, default: -1] < ranks[attribute, default: .max] }
        return before?.whole.upperBound ?? element.tag.lowerBound + 1 + element.name.utf8.count
    }

    /// Returns the best range for a finding: that of the XML attribute if the element has it, or else of the element's
    /// start tag.
    package func bestRange(of origin: ElementOrigin?, attribute: String?) -> SourceRange? {
        attribute.flatMap { range(of: origin, attribute: $0) } ?? range(of: origin)
    }

    /// Whether a part of the file could not be read, so that existing elements may seem to be missing.
    package var isIncomplete: Bool { tree.isIncomplete }

    /// Returns what is wrong with the model up to a level (`Model.findings(at:)`), in addition to `diagnostics`.
    ///
    /// If the file could not be read completely, findings about missing elements and those of the compiler are left
    /// out: the elements may be in the unreadable part.
    package func findings(at level: ModelLevel) -> [ModelFinding] {
        guard tree.isIncomplete else { return model.findings(at: level) }
        let consequences: Set<RuleID> = [
            .missingName, .missingDestination, .unknownDestination, .unknownParent, .unknownComposite,
        ]
        return model.findings(at: min(level, .loadable)).filter { !consequences.contains($0.rule) }
    }

    /// Returns the findings of the reader and of the check at a level, with their locations.
    package func diagnostics(at level: ModelLevel) -> [Diagnostic] {
        diagnostics + findings(at: level).map { diagnostic(for: $0) }
    }

    /// Returns a finding as a diagnostic with its location in this document.
    package func diagnostic(for finding: ModelFinding) -> Diagnostic {
        Diagnostic(
            finding.severity, rule: finding.rule, finding.message, file: path,
            range: bestRange(of: finding.origin, attribute: finding.attribute), why: finding.why, help: finding.help)
    }
}
