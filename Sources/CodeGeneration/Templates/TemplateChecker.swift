internal import Diagnostics

/// Looks through the tags of templates for what swift-mustache renders as nothing, without a word: names that the
/// context does not have, partials that do not exist, and partials that include themselves.
struct TemplateChecker {
    let sources: [String: TemplateSet.Source]

    /// The largest template, and the deepest nesting of sections; a template is written by a person.
    private static let sizeLimit = 1 << 20
    private static let depthLimit = 64

    private struct Tag {
        var kind: UInt8
        var content: String
        var range: Range<Int>
    }

    func check() -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var partials: [String: [(name: String, range: SourceRange)]] = [:]
        for source in sources.values.sorted(by: { $0.name < $1.name }) {
            guard source.bytes.count <= Self.sizeLimit else {
                diagnostics.append(
                    Diagnostic(
                        .error, rule: "broken-template", "the template is larger than 1 MiB", file: source.path,
                        range: .fileStart))
                continue
            }
            diagnostics += check(source, &partials)
        }
        for name in partials.keys.sorted() {
            guard let source = sources[name], let range = cycle(from: name, partials) else { continue }
            diagnostics.append(
                Diagnostic(
                    .error, rule: "broken-template", "the template includes itself", file: source.path, range: range,
                    help: "Rendering it would never end; use a section to repeat something."))
        }
        return diagnostics
    }

    private func check(
        _ source: TemplateSet.Source, _ partials: inout [String: [(name: String, range: SourceRange)]]
    ) -> [Diagnostic] {
        let lines = LineIndex(source.bytes)
        var diagnostics: [Diagnostic] = []
        var sections: [String] = []
        func report(_ message: String, _ tag: Tag, help: String? = nil) {
            diagnostics.append(
                Diagnostic(
                    .error, rule: "broken-template", message, file: source.path, range: lines.range(of: tag.range),
                    help: help))
        }
        for tag in tags(of: source.bytes) {
            let name = Self.innermostName(tag.content)
            switch tag.kind {
            case UInt8(ascii: "="): return diagnostics  // Other delimiters: what follows cannot be read here.
            case UInt8(ascii: ">"), UInt8(ascii: "<"):
                guard !name.hasPrefix("*") else { continue }
                partials[source.name, default: []].append((name, lines.range(of: tag.range)))
                if sources[name] == nil {
                    let names = sources.keys.sorted().joined(separator: ", ")
                    report("there is no template “\(name)” to include", tag, help: "There are \(names).")
                }
            case UInt8(ascii: "#"), UInt8(ascii: "^"):
                if let message = unknownName(name, sections) { report(message, tag, help: Self.nameHelp) }
                sections.append(name)
                guard sections.count <= Self.depthLimit else {
                    report("sections are nested deeper than \(Self.depthLimit)", tag)
                    return diagnostics
                }
            case UInt8(ascii: "/"): _ = sections.popLast()
            case UInt8(ascii: "!"), UInt8(ascii: "%"), UInt8(ascii: "$"): break
            default: if let message = unknownName(name, sections) { report(message, tag, help: Self.nameHelp) }
            }
        }
        return diagnostics
    }

    private static let nameHelp = "`modelc templates context MODEL` prints every name that a template can use."

    private func unknownName(_ name: String, _ sections: [String]) -> String? {
        let head = String(name.prefix { $0 != "." })
        // What stands inside `info` are the keys of the model's own userInfo.
        guard !head.isEmpty, !RenderContext.vocabulary.contains(head), !sections.contains("info") else { return nil }
        return "the name “\(head)” is unknown"
    }

    /// The name inside a tag, without the transforms around it: `name` in `lowercased(name)`.
    private static func innermostName(_ content: String) -> String {
        guard let open = content.lastIndex(of: "(") else { return content }
        return String(content[content.index(after: open)...].prefix { $0 != ")" })
    }

    private func tags(of bytes: [UInt8]) -> [Tag] {
        let brace = UInt8(ascii: "{")
        let close = UInt8(ascii: "}")
        var tags: [Tag] = []
        var index = 0
        while index + 1 < bytes.count {
            guard bytes[index] == brace, bytes[index + 1] == brace else {
                index += 1
                continue
            }
            let start = index
            index += 2
            guard index < bytes.count else { break }
            let kind = bytes[index]
            let hasKind = "#^/><!%$=&{".utf8.contains(kind)
            if hasKind { index += 1 }
            let contentStart = index
            while index + 1 < bytes.count, bytes[index] != close || bytes[index + 1] != close { index += 1 }
            let contentEnd = min(index, bytes.count)
            index = min(index + 2, bytes.count)
            let content = String(decoding: bytes[contentStart..<contentEnd], as: UTF8.self)
            tags.append(
                Tag(
                    kind: hasKind ? kind : 0, content: content.filter { !$0.isWhitespace },
                    range: start..<index))
        }
        return tags
    }

    /// The tag in a template that leads back to it, or nil.
    private func cycle(
        from start: String, _ partials: [String: [(name: String, range: SourceRange)]]
    ) -> SourceRange? {
        for (first, range) in partials[start] ?? [] {
            var seen: Set<String> = []
            var waiting = [first]
            while let next = waiting.popLast() {
                if next == start { return range }
                if seen.insert(next).inserted { waiting += (partials[next] ?? []).map(\.name) }
            }
        }
        return nil
    }
}
