/// Parses the tokens of a template into nodes, and inlines included templates.
struct MustacheParser {
    /// The maximum nesting of sections and included templates; handwritten templates never reach it.
    private static let depthLimit = 64

    /// The sources of all templates, by name.
    let sources: [String: [UInt8]]
    /// Returns the problem with a name inside sections, or `nil`.
    let checkName: (_ path: MustachePath, _ sections: [MustachePath]) -> String?

    /// Parses a template with everything that it includes.
    func parse(_ name: String) throws(MustacheProblem) -> [MustacheNode] {
        try parse(sources[name] ?? [], including: [name], sections: [])
    }

    private func parse(
        _ bytes: [UInt8], including: [String], sections: [MustachePath]
    ) throws(MustacheProblem) -> [MustacheNode] {
        let tokens = try MustacheLexer.tokens(of: bytes)
        var position = 0
        let nodes = try parse(
            bytes, tokens: tokens, position: &position, including: including, sections: sections, opened: nil)
        return nodes
    }

    /// Parses up to the end of the section that `opened` opened, or to the end of the template.
    private func parse(
        _ bytes: [UInt8], tokens: [MustacheLexer.Token], position: inout Int, including: [String],
        sections: [MustachePath], opened: (name: String, range: Range<Int>)?
    ) throws(MustacheProblem) -> [MustacheNode] {
        guard sections.count + including.count <= Self.depthLimit else {
            throw MustacheProblem(
                message: "sections are nested deeper than \(Self.depthLimit)", range: opened?.range ?? 0..<0)
        }
        var nodes: [MustacheNode] = []
        while position < tokens.count {
            let token = tokens[position]
            position += 1
            switch token {
            case .text(let range):
                nodes.append(.text(String(decoding: bytes[range], as: UTF8.self)))
            case .tag(.variable, let name, let range, _):
                nodes.append(.variable(try path(name, range: range, sections: sections)))
            case .tag(.partial, let name, let range, let indentation):
                nodes.append(
                    .partial(
                        try partial(
                            name, range: range, indentation: bytes[indentation], including: including,
                            sections: sections)))
            case .tag(.end, let name, let range, _):
                if name == opened?.name { return nodes }
                throw MustacheProblem(
                    message: opened.map { "this tag ends “\(name)”, but “\($0.name)” is open" }
                        ?? "this tag ends “\(name)”, which is not open",
                    range: range)
            case .tag(let kind, let name, let range, _):
                let path = try path(name, range: range, sections: sections)
                let inner = try parse(
                    bytes, tokens: tokens, position: &position, including: including, sections: sections + [path],
                    opened: (name, range))
                nodes.append(.section(path, isInverted: kind == .invertedSection, inner))
            }
        }
        if let opened {
            throw MustacheProblem(message: "the section “\(opened.name)” is never closed", range: opened.range)
        }
        return nodes
    }

    private func path(
        _ name: String, range: Range<Int>, sections: [MustachePath]
    ) throws(MustacheProblem) -> MustachePath {
        let path = MustachePath(name)
        if let message = checkName(path, sections) {
            throw MustacheProblem(
                message: message, range: range,
                help: "`modelc templates context MODEL` prints every name that a template can use.")
        }
        return path
    }

    private func partial(
        _ name: String, range: Range<Int>, indentation: ArraySlice<UInt8>, including: [String],
        sections: [MustachePath]
    ) throws(MustacheProblem) -> [MustacheNode] {
        guard let source = sources[name] else {
            throw MustacheProblem(
                message: "there is no template “\(name)” to include", range: range,
                help: "There are \(sources.keys.sorted().joined(separator: ", ")).")
        }
        guard !including.contains(name) else {
            throw MustacheProblem(
                message: "the template “\(name)” includes itself", range: range,
                help: "Rendering it would never end; use a section to repeat something.", includedTemplate: name)
        }
        do throws(MustacheProblem) {
            return try parse(
                Self.indented(source, by: indentation), including: including + [name], sections: sections)
        } catch {
            var problem = error
            problem.range = range
            problem.includedTemplate = error.includedTemplate ?? name
            throw problem
        }
    }

    private static func indented(_ bytes: [UInt8], by indentation: ArraySlice<UInt8>) -> [UInt8] {
        guard !indentation.isEmpty else { return bytes }
        var result: [UInt8] = []
        var isLineStart = true
        for byte in bytes {
            if isLineStart { result += indentation }
            result.append(byte)
            isLineStart = byte == 0x0A
        }
        return result
    }
}
