/// Reads the variables, tags, filters and macros of a Stencil template.
struct StencilReader {
    private let bytes: [UInt8]
    private(set) var uses: [TemplateUse] = []
    private(set) var problems: [(message: String, range: Range<Int>)] = []
    /// The macros and blocks that the template declares, and whether they have parameters.
    private(set) var macros: [String: Bool] = [:]
    /// The variables that loops, `set` and macros declare, with the expression that they stand for.
    private var variables: [String: String] = [:]
    private var open: [(name: String, range: Range<Int>)] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func run() {
        var index = 0
        while index + 1 < bytes.count {
            guard bytes[index] == UInt8(ascii: "{"), let end = Self.ends[bytes[index + 1]] else {
                index += 1
                continue
            }
            let start = index
            index += 2
            guard let close = position(of: end, from: index) else {
                problems.append(("the tag is not closed", start..<start + 2))
                return
            }
            // A dash at either end trims whitespace.
            var content = index..<close
            if content.first.map({ bytes[$0] == UInt8(ascii: "-") }) ?? false { content = content.dropFirst() }
            if content.last.map({ bytes[$0] == UInt8(ascii: "-") }) ?? false { content = content.dropLast() }
            switch bytes[start + 1] {
            case UInt8(ascii: "{"): readExpression(TagTokens.tokens(bytes, content)[...])
            case UInt8(ascii: "%"): readTag(TagTokens.tokens(bytes, content)[...])
            default: break
            }
            index = close + 2
        }
        for (name, range) in open { problems.append(("“\(name)” has no “\(Self.closing(name))”", range)) }
    }

    private static let ends: [UInt8: UInt8] = [
        UInt8(ascii: "{"): UInt8(ascii: "}"), UInt8(ascii: "%"): UInt8(ascii: "%"),
        UInt8(ascii: "#"): UInt8(ascii: "#"),
    ]

    private func position(of end: UInt8, from start: Int) -> Int? {
        (start..<max(start, bytes.count - 1)).first { bytes[$0] == end && bytes[$0 + 1] == UInt8(ascii: "}") }
    }

    // MARK: Tags

    private static let blocks: Set = ["for", "if", "ifnot", "block", "macro", "filter", "map", "set"]

    private static func closing(_ name: String) -> String { name == "ifnot" ? "endif" : "end" + name }

    private mutating func readTag(_ tokens: ArraySlice<TagTokens.Token>) {
        guard let tag = tokens.first, tag.kind == .name else { return }
        let rest = tokens.dropFirst()
        if tag.text.hasPrefix("end") {
            guard let last = open.popLast(), Self.closing(last.name) == tag.text else {
                problems.append(("“\(tag.text)” closes nothing that is open", tag.range))
                return
            }
            return
        }
        add(.tag, tag)
        switch tag.text {
        case "for": readLoop(rest)
        case "if", "ifnot", "elif": readExpression(rest)
        case "set": if let name = rest.first { variables[name.text] = "" }
        case "macro", "block":
            if let name = rest.first { macros[name.text] = rest.count > 1 }
            for parameter in rest.dropFirst() { variables[parameter.text] = "" }
        case "call":
            if let name = rest.first { add(.macro, name) }
            readExpression(rest.dropFirst())
        case "map": readLoop(rest)
        case "filter": for token in rest where token.kind == .name { add(.filter, token) }
        default: break
        }
        // `{% set x y %}` has no end tag; `{% set x %}` has one.
        if Self.blocks.contains(tag.text), tag.text != "set" || rest.count == 1 {
            open.append((tag.text, tag.range))
        }
    }

    /// Reads a loop: `entity in model.entities`, `name, entity in model.entities`, `x into y using z`.
    private mutating func readLoop(_ tokens: ArraySlice<TagTokens.Token>) {
        if let place = tokens.firstIndex(where: { $0.text == "in" }) {
            let collection = tokens[(place + 1)...].first?.text ?? ""
            let names = tokens[..<place].filter { $0.kind == .name }.map(\.text)
            if let first = tokens[(place + 1)...].first { variable(first) }
            for name in names {
                variables[name] = names.count > 1 && name == names.first ? "" : resolved(collection) + "[]"
            }
            // A condition after the list: `where attribute.isOptional`.
            readExpression(tokens[(place + 1)...].dropFirst())
        } else {
            let names = tokens.filter { $0.kind == .name && !["into", "using"].contains($0.text) }
            if let first = names.first { variable(first) }
            for name in names.dropFirst() { variables[name.text] = "" }
        }
    }

    // MARK: Expressions

    private static let operators: Set = [
        "and", "or", "not", "in", "where", "true", "false", "if", "else", "using", "into",
    ]

    private mutating func readExpression(_ tokens: ArraySlice<TagTokens.Token>) {
        var isFilter = false
        for token in tokens {
            switch token.kind {
            case .sign where token.text == "|": isFilter = true
            case .sign where ["==", "!=", "<", ">", "<=", ">="].contains(token.text):
                add(.tag, token)
            case .name where isFilter:
                add(.filter, token)
                isFilter = false
            case .name where Self.operators.contains(token.text):
                if token.text == "and" || token.text == "or" { add(.tag, token) }
            case .name: variable(token)
            default: break
            }
        }
    }

    /// Adds a variable under the name that it has in SwiftGen's context.
    private mutating func variable(_ token: TagTokens.Token) {
        let path = resolved(token.text)
        // A macro's parameter can have any value.
        guard !path.isEmpty else { return }
        uses.append(TemplateUse(kind: .variable, name: token.text, range: token.range, path: path))
    }

    /// Returns a path with loop variables replaced; empty for a value that the template itself computes.
    private func resolved(_ path: String) -> String {
        var parts = path.split(separator: ".", omittingEmptySubsequences: true).map(String.init)
        guard let first = parts.first, let known = variables[first] else { return path }
        parts.removeFirst()
        if known.isEmpty || known == "[]" {
            // The kind of value is unknown, so the member is looked up by its name alone.
            return parts.isEmpty ? "" : "?." + parts.joined(separator: ".")
        }
        return ([known] + parts).joined(separator: ".")
    }

    private mutating func add(_ kind: TemplateUse.Kind, _ token: TagTokens.Token) {
        uses.append(TemplateUse(kind: kind, name: token.text, range: token.range))
    }
}
