/// Reads the variables, commands and procedures of a MiscMerge template.
struct MiscMergeReader {
    private let bytes: [UInt8]
    private(set) var uses: [TemplateUse] = []
    private(set) var problems: [(message: String, range: Range<Int>)] = []
    private var open: [(name: String, range: Range<Int>)] = []
    /// The variables that loops, `set` and procedures declare.
    private var variables: Set<String> = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func run() {
        var index = 0
        while index + 1 < bytes.count {
            guard bytes[index] == UInt8(ascii: "<"), bytes[index + 1] == UInt8(ascii: "$") else {
                index += 1
                continue
            }
            let start = index + 2
            guard
                let end = (start..<max(start, bytes.count - 1)).first(where: {
                    bytes[$0] == UInt8(ascii: "$") && bytes[$0 + 1] == UInt8(ascii: ">")
                })
            else {
                problems.append(("the tag is not closed", index..<start))
                return
            }
            read(TagTokens.tokens(bytes, start..<end)[...])
            index = end + 2
        }
        for (name, range) in open { problems.append(("“\(name)” has no “end\(name)”", range)) }
    }

    private static let blocks: Set = ["if", "foreach", "while", "procedure", "loop"]
    private static let commands: Set = [
        "if", "elseif", "else", "foreach", "while", "procedure", "loop", "call", "set", "include", "comment", "debug",
        "break",
        "continue", "exit", "field", "identify", "omit", "delimiters", "next",
    ]

    private mutating func read(_ tokens: ArraySlice<TagTokens.Token>) {
        guard let first = tokens.first else { return }
        let word = first.text.lowercased()
        if word.hasPrefix("end"), Self.blocks.contains(String(word.dropFirst(3))) {
            guard let last = open.popLast(), "end" + last.name == word else {
                problems.append(("“\(first.text)” closes nothing that is open", first.range))
                return
            }
            return
        }
        guard first.kind == .name, Self.commands.contains(word) else { return expression(tokens) }
        uses.append(TemplateUse(kind: .tag, name: word, range: first.range))
        let rest = tokens.dropFirst()
        switch word {
        case "comment": break
        // `foreach Attribute noninheritedAttributes do`: its members are read as `Attribute.name`.
        case "foreach": expression(rest.dropFirst().filter { $0.text != "do" && $0.text != rest.first?.text }[...])
        case "procedure": for token in rest.dropFirst() { variables.insert(token.text) }
        case "call":
            if let name = rest.first { uses.append(TemplateUse(kind: .macro, name: name.text, range: name.range)) }
            expression(rest.dropFirst())
        case "set":
            if let name = rest.first { variables.insert(name.text) }
            expression(rest.dropFirst())
        case "include", "delimiters": break
        default: expression(rest)
        }
        if Self.blocks.contains(word) { open.append((word, first.range)) }
    }

    private mutating func expression(_ tokens: ArraySlice<TagTokens.Token>) {
        for token in tokens {
            switch token.kind {
            case .name where ["and", "or", "not"].contains(token.text.lowercased()): break
            case .name where token.text.lowercased() == "yes" || token.text.lowercased() == "no": break
            case .name:
                guard !variables.contains(token.text.split(separator: ".").first.map(String.init) ?? "") else { break }
                uses.append(TemplateUse(kind: .variable, name: token.text, range: token.range))
            case .sign where ["==", "!=", "<", ">", "<=", ">=", "&&", "||"].contains(token.text):
                uses.append(TemplateUse(kind: .tag, name: token.text, range: token.range))
            default: break
            }
        }
    }
}
