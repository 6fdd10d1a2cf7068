internal import SwiftSources

/// A scanner of the types in a Swift file.
///
/// It descends into types and skips the bodies of functions and accessors. Code that does not compile is reported, so that a
/// model is never built from part of a class.
struct TypeScanner {
    let file: Int
    let tokens: [SwiftToken]
    let environment: ConditionalCode.Environment
    var index = 0
    var result = FileDeclarations()
    /// The open `#if` blocks.
    private var conditions: [Condition] = []
    private var depth = 0

    private struct Condition {
        /// Whether an earlier branch is compiled.
        var isDone = false
        /// The text of the condition if it could not be decided.
        var undecided: String?
        /// The `#if` token.
        var opening: SwiftToken
    }

    /// Returns the declarations of a file.
    static func declarations(
        in bytes: [UInt8], file: Int, environment: ConditionalCode.Environment
    ) -> FileDeclarations {
        let (tokens, unclosed) = SwiftLexer.read(bytes)
        var scanner = TypeScanner(file: file, tokens: tokens, environment: environment)
        scanner.scanTopLevel()
        scanner.result.modelLists = ModelListScanner.lists(
            in: ConditionalCode.compiled(tokens, in: environment), file: file)
        if let unclosed {
            scanner.result.problems.append(
                SourceProblem(
                    message: "a comment or string is not closed", span: SourceSpan(file: file, range: unclosed),
                    help: "fix the file so that it compiles"))
        }
        return scanner.result
    }

    private init(file: Int, tokens: [SwiftToken], environment: ConditionalCode.Environment) {
        self.file = file
        self.tokens = tokens
        self.environment = environment
    }

    // MARK: Tokens

    var token: SwiftToken? { index < tokens.count ? tokens[index] : nil }

    func token(at span: Int) -> SwiftToken? { tokens.indices.contains(span) ? tokens[span] : nil }

    func isSign(_ text: String) -> Bool { token?.is(text) ?? false }

    var rest: ArraySlice<SwiftToken> { tokens[min(index, tokens.count)...] }

    func span(_ token: SwiftToken) -> SourceSpan { SourceSpan(file: file, range: token.range) }

    /// Returns whether a token can be the name of a declaration.
    static func isName(_ token: SwiftToken?) -> Bool { token?.kind == .word || token?.kind == .quotedName }

    /// Moves past a pair of brackets and returns the tokens between them.
    mutating func skipBrackets() -> ArraySlice<SwiftToken> {
        let start = index
        var open = 0
        while let token {
            open += token.nesting
            index += 1
            if open == 0 { return tokens[min(start + 1, index - 1)..<index - 1] }
        }
        report("a bracket is not closed", tokens[start], help: "fix the file so that it compiles")
        return tokens[min(start + 1, tokens.count)...]
    }

    mutating func report(_ message: String, _ token: SwiftToken, help: String? = nil) {
        result.problems.append(SourceProblem(message: message, span: span(token), help: help))
    }

    // MARK: Conditions

    /// The undecided conditions around the current token.
    var undecided: [String] { conditions.compactMap(\.undecided) }

    /// Handles a directive of conditional compilation, and returns whether the current token was one.
    mutating func directive() -> Bool {
        guard let token, token.kind == .pound else { return false }
        switch token.text {
        case "if": conditions.append(Condition(opening: token))
        case "elseif", "else": break
        case "endif":
            index += 1
            _ = conditions.popLast()
            return true
        default: return false
        }
        index += 1
        let start = index
        if token.text != "else" {
            while let next = self.token, !next.isFirstOnLine { index += 1 }
        }
        guard var condition = conditions.popLast() else { return true }
        let text = tokens[start..<index].reduce(into: "") { text, token in
            text += text.isEmpty || token.isAdjacent ? token.text : " " + token.text
        }
        let truth = token.text == "else" ? true : ConditionalCode.evaluate(tokens[start..<index], in: environment)
        let isCompiled = condition.isDone ? false : truth
        if isCompiled == true { condition.isDone = true }
        if isCompiled == nil { condition.undecided = text }
        conditions.append(condition)
        if isCompiled == false { skipBranch() }
        return true
    }

    /// Moves to the directive that ends a branch that is not compiled.
    private mutating func skipBranch() {
        var open = 0
        while let token {
            if token.kind == .pound {
                switch token.text {
                case "if": open += 1
                case "endif" where open == 0, "elseif" where open == 0, "else" where open == 0: return
                case "endif": open -= 1
                default: break
                }
            }
            index += 1
        }
    }

    // MARK: Bodies

    private mutating func scanTopLevel() {
        while let token {
            if directive() { continue }
            if token.is("}") {
                report("a closing brace has no opening brace", token, help: "fix the file so that it compiles")
                index += 1
                continue
            }
            var type: TypeSource?
            declaration(in: &type)
        }
        if let condition = conditions.first {
            report("an “#if” has no “#endif”", condition.opening, help: "fix the file so that it compiles")
        }
    }

    /// Scans the body of a type up to its closing brace.
    private mutating func scanBody(of type: TypeSource, keyword: Int, opening: SwiftToken) {
        var type: TypeSource? = type
        let slot = result.types.count
        if let type { result.types.append(type) }
        guard depth < Self.maximumDepth else {
            report("types nest too deeply", opening, help: "nest at most \(Self.maximumDepth) types")
            _ = skipBrackets()
            return
        }
        index += 1
        depth += 1
        defer { depth -= 1 }
        while let token {
            if directive() { continue }
            if token.is("}") {
                index += 1
                type?.declaration = tokens[keyword..<index]
                type?.body = opening.range.lowerBound..<token.range.upperBound
                if let type { result.types[slot] = type }
                return
            }
            declaration(in: &type)
        }
        report(
            "the body of “\(type?.name ?? "")” is not closed", opening, help: "fix the file so that it compiles")
    }

    /// Scans a declaration, or skips a token that does not begin one.
    private mutating func declaration(in type: inout TypeSource?) {
        var prefix = Prefix()
        while let token {
            if token.is("@") {
                if let attribute = attribute() { prefix.add(attribute, undecided: undecided) }
            } else if token.kind == .word, Prefix.modifiers.contains(token.text), isModifier(token) {
                prefix.modifiers.insert(token.text)
                index += 1
                if isSign("("), ["set", "safe", "unsafe"].contains(self.token(at: index + 1)?.text) {
                    _ = skipBrackets()
                }
            } else if prefix.attributes.isEmpty == false, directive() {
                continue
            } else {
                break
            }
        }
        guard let token else { return }
        switch (token.kind, token.text) {
        case (.word, "class"), (.word, "struct"), (.word, "enum"), (.word, "protocol"), (.word, "actor"),
            (.word, "extension"):
            type?.declaresTypes = true
            scanType(token, prefix, outer: type)
        case (.word, "import"): skipImport()
        case (.word, "var"), (.word, "let"): properties(prefix, in: &type)
        case (.word, "case") where type?.kind == .enum: cases(in: &type)
        case (.word, "func"), (.word, "init"), (.word, "deinit"), (.word, "subscript"):
            function(prefix, in: &type)
        case (.word, "typealias"):
            type?.declaresTypes = true
            alias(prefix, outer: type)
        case (.pound, _): macro(in: &type)
        default: skip(token, prefix)
        }
    }

    /// Skips a token that does not begin a declaration.
    private mutating func skip(_ token: SwiftToken, _ prefix: Prefix) {
        if let attribute = prefix.attributes.first(where: { Prefix.ofSwiftData.contains($0.name) }) {
            result.problems.append(
                SourceProblem(
                    message: "“@\(attribute.name)” is not followed by a declaration", span: attribute.span,
                    help: "fix the file so that it compiles"))
        }
        switch (token.kind, token.text) {
        case (.sign, "{"), (.sign, "("), (.sign, "["): _ = skipBrackets()
        default: index += 1
        }
    }

    /// Returns whether a word is a modifier: `class` is one only before a member.
    private func isModifier(_ word: SwiftToken) -> Bool {
        guard word.text == "class" else { return true }
        return ["func", "var", "let", "subscript", "override", "final"].contains(token(at: index + 1)?.text ?? "")
    }

    /// Moves past `import Foundation` and `import struct Foundation.URL`.
    private mutating func skipImport() {
        let start = index + 1
        repeat { index += 1 } while token.map { !$0.isFirstOnLine && !$0.is(";") } ?? false
        let kinds: Set = ["struct", "class", "enum", "protocol", "func", "typealias", "var", "let", "actor"]
        guard let module = tokens[min(start, index)..<index].first(where: { !kinds.contains($0.text) }) else { return }
        result.imports.append(ImportSource(module: module.text, isConditional: !undecided.isEmpty))
    }

    /// Returns where a name of this declaration is declared.
    func site(_ name: SwiftToken, _ prefix: Prefix, outer: TypeSource?) -> DeclarationSite {
        DeclarationSite(
            path: (outer?.path ?? []) + [name.text], extended: outer?.site.extended ?? [],
            extendedCount: outer?.site.extendedCount ?? 0, span: span(name),
            isPrivate: outer?.site.isPrivate == true
                || !prefix.modifiers.isDisjoint(with: ["private", "fileprivate"]),
            undecided: undecided + prefix.undecided)
    }

    private mutating func scanType(_ keyword: SwiftToken, _ prefix: Prefix, outer: TypeSource?) {
        let start = index
        index += 1
        guard let name = token, Self.isName(name), let kind = TypeSource.Kind(rawValue: keyword.text) else { return }
        var site = site(name, prefix, outer: outer)
        var isGeneric = false
        if kind == .extension {
            var parser = SwiftTypeParser(rest)
            guard case .named(let components)? = parser.type() else { return }
            index = parser.index
            site.path = components.map(\.name)
            site.extended = site.path
            site.extendedCount = site.path.count
        } else {
            index += 1
            isGeneric = isSign("<")
        }
        let nameCount = index - start - 1
        let inherited = inheritedTypes()
        while let token, !token.is("{") {
            let isNext = token.isFirstOnLine && Self.beginsType.contains(token.text)
            guard !token.is("}"), !token.is(";"), !isNext else {
                return report("“\(name.text)” has no body", name, help: "fix the file so that it compiles")
            }
            index += 1
        }
        guard let opening = token else { return report("“\(name.text)” has no body", name) }
        var type = TypeSource(
            kind: kind, site: site, attributes: prefix.attributes, inherited: inherited, isGeneric: isGeneric)
        type.modifiers = prefix.modifiers
        type.extendedTokenCount = nameCount
        scanBody(of: type, keyword: start, opening: opening)
    }

    /// The number of types that may be nested in each other, which bounds the stack and the length of paths.
    private static let maximumDepth = 200
    private static let beginsType: Set = ["class", "struct", "enum", "protocol", "actor", "extension", "@"]

    private mutating func inheritedTypes() -> [SwiftTypeText] {
        if isSign("<") { skipGenericParameters() }
        var parser = SwiftTypeParser(rest)
        defer { index = max(parser.index, index) }
        return parser.inheritedTypes()
    }

    private mutating func skipGenericParameters() {
        var open = 0
        while let token {
            if token.is("<") { open += 1 }
            if token.is(">") { open -= 1 }
            index += 1
            if open == 0 { return }
        }
    }
}

/// The attributes and modifiers before a declaration.
struct Prefix {
    var attributes: [AttributeSource] = []
    var modifiers: Set<String> = []
    /// The undecided `#if` conditions that surround only attributes.
    private(set) var undecided: [String] = []

    /// Adds an attribute.
    ///
    /// - Parameter undecided: The undecided conditions around it.
    mutating func add(_ attribute: AttributeSource, undecided: [String]) {
        attributes.append(attribute)
        self.undecided += undecided.filter { !self.undecided.contains($0) }
    }

    /// The attributes that change what SwiftData stores.
    static let ofSwiftData: Set<String> = ["Attribute", "Model", "Relationship", "Transient"]

    static let modifiers: Set<String> = [
        "open", "public", "package", "internal", "fileprivate", "private", "static", "class", "final", "lazy", "weak",
        "unowned", "override", "dynamic", "nonisolated", "required", "convenience", "indirect", "mutating", "isolated",
        "borrowing", "consuming",
    ]
}
