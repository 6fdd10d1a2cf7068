package import Diagnostics

/// An `.xccurrentversion` file: a property list that names the current version (Documentation/Formats/ModelSource.md,
/// 5).
package struct CurrentVersionFile: Sendable {
    /// The path that diagnostics name.
    package let path: String
    /// The current version without extension, or `nil` if the file names none.
    package private(set) var versionName: String?
    /// The range of the name, or of the dictionary if there is no name.
    package let range: SourceRange
    /// The problems of the file.
    package private(set) var problems: [Diagnostic]
    /// The lines of the file, for excerpts.
    package let lines: LineIndex
    let source: SourceText
    /// Whether the file contains only the name.
    private let holdsOnlyName: Bool
    /// Whether the file holds an empty dictionary.
    private let isEmpty: Bool

    /// Reads the file. An empty dictionary is valid in a bundle with a single version.
    package init(bytes: [UInt8], path: String) {
        self.path = path
        source = SourceText(bytes)
        let tree = XMLTreeParser.parse(source)
        let lines = LineIndex(tree.bytes)
        self.lines = lines
        var problems = tree.problems.map { $0.diagnostic(path: path, lines: lines) }
        var name: String?
        var range = SourceRange.fileStart
        if let dictionary = XMLPropertyList.dictionary(in: tree) {
            range = lines.range(of: tree.elements[dictionary].tag)
            if let value = XMLPropertyList.value(forKey: "_XCCurrentVersionName", in: tree) {
                let element = tree.elements[value]
                range = lines.range(of: element.tag)
                if element.name == "string", !element.text.isEmpty { name = Self.withoutExtension(element.text) }
            }
        } else if !problems.hasErrors {
            problems.append(
                Diagnostic(
                    .error, rule: .malformedCurrentVersion, "the file is not a property list with a dictionary",
                    file: path, range: range,
                    help: "Choose the current version in Xcode again (File inspector ▸ Model Version ▸ Current)."))
        }
        versionName = name
        holdsOnlyName = tree.elements.count == 4 && tree.remarks.isEmpty
        isEmpty = tree.elements.count == 2 && tree.remarks.isEmpty
        self.range = range
        self.problems = problems
    }

    /// Returns the file as one that names no version and has other problems, for a file whose text must not be shown.
    package func withheld(_ problems: [Diagnostic]) -> CurrentVersionFile {
        var result = self
        result.versionName = nil
        result.problems = problems
        return result
    }

    /// Returns the file as Xcode writes it, in its own encoding; `nil` if it contains anything other than the name of a
    /// version, which would be lost.
    package func formatted() -> [UInt8]? {
        guard problems.isEmpty, holdsOnlyName, let versionName else { return nil }
        return try? source.encode(Self.contents(naming: versionName, encodingName: source.encoding.name))
    }

    /// Returns the file with another current version, in its own encoding; `nil` if it contains anything other than the
    /// name of a version, which would be lost.
    package func naming(_ name: String) -> [UInt8]? {
        guard !problems.hasErrors, holdsOnlyName || (versionName == nil && isEmpty) else { return nil }
        return try? source.encode(Self.contents(naming: name, encodingName: source.encoding.name))
    }

    /// Returns the name of a version without `.xcdatamodel`.
    static func withoutExtension(_ name: String) -> String {
        name.hasSuffix(".xcdatamodel") ? String(name.dropLast(".xcdatamodel".count)) : name
    }
}
