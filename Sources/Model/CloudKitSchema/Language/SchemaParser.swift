internal import Diagnostics

/// Parses a schema. Continues after every problem, and keeps unrecognized parts
/// (Documentation/Formats/CloudKitSchema.md, 1.2).
struct SchemaParser {
    private var tokens: [SchemaToken]
    private var position = 0
    private(set) var findings: [CloudKitSchemaFinding]
    private(set) var schema = Schema()

    /// The maximum number of findings. A file with more is not a schema.
    private static let findingLimit = 100

    /// Parses UTF-8 text.
    init(_ bytes: [UInt8]) {
        let lexer = SchemaLexer(bytes)
        tokens = lexer.tokens
        findings = Array(lexer.findings.prefix(Self.findingLimit))
        guard readHeader() else { return }
        while token.kind != .end, findings.count < Self.findingLimit { readStatement() }
    }

    // MARK: Tokens

    var token: SchemaToken { tokens[position] }

    var following: SchemaToken { tokens[min(position + 1, tokens.count - 1)] }

    /// The end of the token before the current one.
    var previousEnd: Int { position > 0 ? tokens[position - 1].offsets.upperBound : 0 }

    mutating func advance() {
        if position < tokens.count - 1 { position += 1 }
    }

    mutating func take(symbol: String) -> Bool {
        guard token.isSymbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func take(keyword: String) -> Bool {
        guard token.isKeyword(keyword) else { return false }
        advance()
        return true
    }

    /// Reads a name. Reports a finding and returns `nil` if the next token is something else.
    mutating func takeName(of kind: String) -> SchemaToken? {
        guard token.kind == .word || token.kind == .quoted else {
            reportUnexpected("the name of \(kind)")
            return nil
        }
        let name = token
        advance()
        if token.isSymbol("."), token.offsets.lowerBound == name.offsets.upperBound, following.kind == .word {
            report(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitSyntax, message: "“\(name.text).\(following.text)” needs quotes",
                    offsets: name.offsets.lowerBound..<following.offsets.upperBound,
                    why: "The server rejects an unquoted dot: it expects “(”.",
                    help: "Write \"\(name.text).\(following.text)\"."))
            advance()
            advance()
        }
        return name
    }

    // MARK: Findings

    mutating func report(_ finding: CloudKitSchemaFinding) { findings.append(finding) }

    /// Reports that the current token is not what was expected.
    mutating func reportUnexpected(_ expected: String, in location: String? = nil) {
        let suffix = location.map { " in \($0)" } ?? ""
        // Further errors at the same token are consequences of the first.
        guard findings.last?.offsets != token.offsets || findings.last?.severity != .error else { return }
        if token.kind == .end {
            report(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitSyntax, message: "the schema ends before \(expected)\(suffix)",
                    offsets: token.offsets,
                    why: "The file is truncated.", help: "Export it again with “cktool export-schema”."))
        } else {
            report(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitSyntax,
                    message: "expected \(expected)\(suffix), found “\(token.text)”", offsets: token.offsets,
                    help: "Correct the schema, or export it again with “cktool export-schema”."))
        }
    }

    // MARK: Statements

    private mutating func readHeader() -> Bool {
        guard token.isKeyword("DEFINE"), following.isKeyword("SCHEMA") else {
            let found = token.kind == .end ? "is empty" : "begins with “\(token.source)”"
            report(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitSyntax, message: "this is not a CloudKit schema: it \(found)",
                    offsets: token.offsets,
                    why: "A schema begins with DEFINE SCHEMA.",
                    help: "Specify a file written by “cktool export-schema” or “modelc cloudkit export”."))
            return false
        }
        advance()
        advance()
        return true
    }

    private mutating func readStatement() {
        let statement: String
        if token.isKeyword("CREATE"), following.isKeyword("ROLE") {
            advance()
            advance()
            guard let name = takeName(of: "a role") else { return skip(to: [";"]) }
            schema.roles.append(Role(name: name.text, location: SchemaLocation(name.offsets)))
            statement = "the role “\(name.text)”"
        } else if token.isKeyword("RECORD"), following.isKeyword("TYPE") {
            advance()
            advance()
            guard let name = takeName(of: "a record type") else { return skip(to: [";"]) }
            readRecordType(name)
            statement = "the record type “\(name.text)”"
        } else if token.kind == .word, !token.isKeyword("DEFINE") {
            readUnknownStatement()
            statement = "the statement"
        } else {
            reportUnexpected("CREATE ROLE or RECORD TYPE")
            return skip(to: [";"])
        }
        guard !take(symbol: ";") else { return }
        reportUnexpected("“;” after \(statement)")
        if !token.isKeyword("RECORD"), !token.isKeyword("CREATE") { skip(to: [";"]) }
    }

    private mutating func readUnknownStatement() {
        let start = token
        var words: [String] = []
        while token.kind != .end, !token.isSymbol(";") {
            words.append(token.source)
            advance()
        }
        schema.unrecognized.append(words.joined(separator: " "))
        report(
            CloudKitSchemaFinding(
                severity: .warning, rule: .cloudkitUnknownElement, message: "unknown statement “\(start.text)”",
                offsets: start.offsets,
                why: "It is kept unchanged and otherwise ignored.",
                help: "Check the spelling: statements are CREATE ROLE and RECORD TYPE."))
    }

    private mutating func readRecordType(_ name: SchemaToken) {
        var type = RecordType(name: name.text, location: SchemaLocation(name.offsets))
        let location = "the record type “\(name.text)”"
        defer { schema.recordTypes.append(type) }
        guard take(symbol: "(") else {
            reportUnexpected("“(”", in: location)
            return skip(to: [";"], isTaken: false)
        }
        if take(symbol: ")") { return }
        while findings.count < Self.findingLimit {
            readMember(of: &type)
            if take(symbol: ")") { return }
            if take(symbol: ",") {
                guard token.isSymbol(")") else { continue }
                reportUnexpected("a field or grant after the comma", in: location)
                return advance()
            }
            reportUnexpected("“,” or “)”", in: location)
            // A missing comma: continue with the next member.
            if token.kind == .word || token.kind == .quoted { continue }
            skip(to: [",", ")", ";"], isTaken: false)
            if take(symbol: ",") { continue }
            _ = take(symbol: ")")
            return
        }
    }

    /// Skips to one of the given symbols outside inner parentheses, and past it if `isTaken`.
    mutating func skip(to symbols: Set<String>, isTaken: Bool = true) {
        var depth = 0
        while token.kind != .end {
            if depth == 0, token.kind == .symbol, symbols.contains(token.text) {
                if isTaken { advance() }
                return
            }
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")"), depth > 0 { depth -= 1 }
            advance()
        }
    }
}
