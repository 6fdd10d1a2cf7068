import Foundation
import TestSupport
import Testing

/// Comments and documents cite only documents that a reader of this repository can open.
@Suite struct CitationTests {
    private static let formats = "Documentation/Formats/"

    /// A citation of a document on a format, with its sections as written: `2.3`, `2.3 and 6`, `2 to 4`.
    private struct Citation {
        let document: String
        let sections: String

        var numbers: [String] { sections.matches(of: #/\d+(?:\.\d+)*/#).map { String($0.output) } }
    }

    // MARK: Files

    private static let suffixes = [".swift", ".h", ".c", ".md", ".py", ".sh"]

    /// The paths of sources and documents, relative to the root. Test data and this file may contain anything.
    private static let paths: [String] = {
        let folders = ["Documentation", "Plugins", "Samples", "Scripts", "Sources", "Tests"]
        let guides = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"]
        return guides + folders.flatMap { filePaths(below: $0) }
    }()

    private static func filePaths(below folder: String) -> [String] {
        let url = Checkout.root.appendingPathComponent(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.sorted().flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            guard name != "CitationTests.swift", name != "Fixtures", path != "Tests/Tool/EndToEnd/Cases" else {
                return []
            }
            if suffixes.contains(where: { name.hasSuffix($0) }) { return [path] }
            return name.contains(".") ? [] : filePaths(below: path)
        }
    }

    /// The files that mention a document.
    private static let texts: [(path: String, text: String)] = paths.compactMap { path in
        guard let data = FileManager.default.contents(atPath: Checkout.root.appendingPathComponent(path).path),
            data.range(of: Data(".md".utf8)) != nil
        else { return nil }
        return (path: path, text: String(decoding: data, as: UTF8.self))
    }

    private static let documents = paths.filter { $0.hasSuffix(".md") }

    /// The names of all documents in the repository, without folders.
    /// Files that modelc writes in the folders of users.
    private static let documentsOfUsers: Set = ["AGENTS.md", "CLAUDE.md"]
    private static let documentNames = Set(documents.compactMap { $0.split(separator: "/").last.map(String.init) })

    /// Returns the comments of a source file or the paragraphs of a document, each joined into one line, since a
    /// citation may be wrapped.
    private static func passages(of text: String, at path: String) -> [String] {
        var passages: [String] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.drop { $0 == " " || $0 == "\t" }
            let isContinued = path.hasSuffix(".md") ? !words.isEmpty : words.hasPrefix("//") || words.hasPrefix("#")
            let content = path.hasSuffix(".md") ? words : words.drop { $0 == "/" || $0 == "#" || $0 == " " }
            if isContinued, isInside, let last = passages.indices.last {
                passages[last] += " \(content)"
            } else {
                passages.append(String(isContinued ? content : line))
            }
            isInside = isContinued
        }
        return passages.filter { $0.contains(".md") }
    }

    // MARK: Sections

    /// The section numbers of each document on formats, in order.
    private static let sections: [String: [String]] = {
        var result: [String: [String]] = [:]
        for path in documents where path.hasPrefix(formats) {
            let matches = headings(of: path).compactMap { $0.firstMatch(of: #/^#{2,3} (\d+(?:\.\d+)?)\.? /#) }
            result[String(path.dropFirst(formats.count))] = matches.map { String($0.output.1) }
        }
        return result
    }()

    /// Returns the headings of a document below its title, outside code blocks.
    private static func headings(of path: String) -> [Substring] {
        let text = (try? String(contentsOf: Checkout.root.appendingPathComponent(path), encoding: .utf8)) ?? ""
        var isCode = false
        return text.split(separator: "\n").filter { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return !isCode && line.hasPrefix("##")
        }
    }

    private static func expectToResolve(_ citation: Citation, in path: String) {
        guard let known = sections[citation.document] else {
            Issue.record("\(path) cites \(citation.document), which is not in \(formats)")
            return
        }
        for number in citation.numbers where !known.contains(number) {
            Issue.record("\(path) cites section \(number) of \(citation.document), which does not exist")
        }
    }

    // MARK: Tests

    @Test func sourcesAndDocumentsAreFound() {
        #expect(Self.sections.count > 10)
        #expect(Self.sections["CompiledModel.md"]?.contains("2.8") == true)
        #expect(Self.texts.count > 100)
    }

    /// Sections are numbered from 1, and so are subsections within each section.
    @Test func sectionsAreNumberedInOrder() {
        for (document, numbers) in Self.sections {
            var (section, subsection) = (0, 0)
            for number in numbers {
                let isSection = !number.contains(".")
                (section, subsection) = isSection ? (section + 1, 0) : (section, subsection + 1)
                #expect(number == (isSection ? "\(section)" : "\(section).\(subsection)"), "\(document)")
            }
        }
    }

    @Test func everyHeadingOfADocumentOnFormatsHasANumber() {
        for path in Self.documents where path.hasPrefix(Self.formats) {
            let numbers = Self.sections[String(path.dropFirst(Self.formats.count))] ?? []
            #expect(Self.headings(of: path).count == numbers.count, "\(path)")
        }
    }

    @Test func citationsOfFormatsLeadToSections() {
        let form = #/Documentation/Formats/([A-Za-z]+\.md)(?:, (\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*))?/#
        var count = 0
        for (path, text) in Self.texts {
            for match in Self.passages(of: text, at: path).flatMap({ $0.matches(of: form) }) {
                count += 1
                let sections = String(match.output.2 ?? "")
                Self.expectToResolve(Citation(document: String(match.output.1), sections: sections), in: path)
            }
        }
        // Far fewer would mean that the search is broken.
        #expect(count > 100)
    }

    /// Links between documents refer to existing files, and sections cited after a link exist.
    @Test func linksBetweenDocumentsResolve() {
        let form = #/\]\(([A-Za-z./]+\.md)(?:\#[^)]*)?\)(?:, (\d+(?:\.\d+)*))?/#
        for (path, text) in Self.texts where path.hasSuffix(".md") {
            let folder = Checkout.root.appendingPathComponent(path).deletingLastPathComponent()
            for match in Self.passages(of: text, at: path).flatMap({ $0.matches(of: form) }) {
                let target = folder.appendingPathComponent(String(match.output.1)).standardizedFileURL
                #expect(FileManager.default.fileExists(atPath: target.path), "\(path): \(match.output.1)")
                guard let sections = match.output.2, target.path.contains("/" + Self.formats) else { continue }
                let citation = Citation(document: target.lastPathComponent, sections: String(sections))
                Self.expectToResolve(citation, in: path)
            }
        }
    }

    /// Comments mention only documents in the repository.
    @Test func commentsCiteDocumentsOfThisRepository() {
        let name = #/[A-Za-z0-9_./-]*[A-Za-z0-9_-]\.md(?![A-Za-z0-9_])/#
        for (path, text) in Self.texts where !path.hasSuffix(".md") {
            for comment in Self.comments(in: text, at: path) {
                for match in comment.matches(of: name) {
                    let document = String(match.output)
                    if Self.documentsOfUsers.contains(document) { continue }
                    let url = Checkout.root.appendingPathComponent(document)
                    let exists =
                        document.contains("/")
                        ? FileManager.default.fileExists(atPath: url.path) : Self.documentNames.contains(document)
                    #expect(exists, "\(path): \(document)")
                }
            }
        }
    }

    /// Returns the parts of lines that may be comments: whole lines in scripts, whose documentation is in strings.
    private static func comments(in text: String, at path: String) -> [Substring] {
        let isScript = path.hasSuffix(".py") || path.hasSuffix(".sh")
        return text.split(separator: "\n").filter { $0.contains(".md") }.compactMap { line in
            isScript ? line : line.firstRange(of: "//").map { line[$0.lowerBound...] }
        }
    }

    @Test func nothingCitesFoldersOutsideOfTheRepository() {
        for path in Self.paths {
            let data = FileManager.default.contents(atPath: Checkout.root.appendingPathComponent(path).path) ?? Data()
            #expect(data.range(of: Data("shared/specs".utf8)) == nil, "\(path)")
        }
    }
}
