internal import SwiftSources

/// A scanner of the types in a Swift file.
///
/// It descends into types and skips the bodies of functions and accessors. Code that does not compile is reported, so
/// that a model is never built from part of a class.
struct TypeScanner {
    let file: Int
    var cursor: TokenCursor
    var result = FileDeclarations()
    private var depth = 0

    static func declarations(
        in bytes: [UInt8], file: Int, environment: ConditionalCode.Environment
    ) -> FileDeclarations {
        let (tokens, unclosed) = SwiftLexer.read(bytes)
        var scanner = TypeScanner(file: file, cursor: TokenCursor(tokens, environment: environment))
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

    private init(file: Int, cursor: TokenCursor) {
        self.file = file
        self.cursor = cursor
    }

    // MARK: Tokens

    var tokens: [SwiftToken] { cursor.tokens }
    var token: SwiftToken? { cursor.token }
    var index: Int {
        get { cursor.index }
        set { cursor.index = newValue }
    }
    func token(at index: Int) -> SwiftToken? { cursor.token(at: index) }
    func isSign(_ text: String) -> Bool { cursor.isSign(text) }

    func span(_ token: SwiftToken) -> SourceSpan { SourceSpan(file: file, range: token.range) }

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

    // MARK: Bodies

    private mutating func scanTopLevel() {
        while let token {
            if cursor.directive() { continue }
            if token.is("}") {
                report("a closing brace has no opening brace", token, help: "fix the file so that it compiles")
                index += 1
                continue
            }
            var type: TypeSource?
            declaration(in: &type)
        }
        if let opening = cursor.openCondition {
            report("an “#if” has no “#endif”", opening, help: "fix the file so that it compiles")
        }
    }

    /// Scans the body of a type up to its closing brace.
    private mutating func scanBody(of type: TypeSource, keyword: Int, opening: SwiftToken) {
        var type: TypeSource? = type
        let slot = result.types.count
        if let type { result.types.append(type) }
        guard depth < Self.maximumDepth else {
            report("types are nested too deeply", opening, help: "nest at most \(Self.maximumDepth) types")
            _ = skipBrackets()
            return
        }
        index += 1
        depth += 1
        defer { depth -= 1 }
        while let token {
            if cursor.directive() { continue }
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
                if let attribute = attribute() { prefix.add(attribute, undecided: cursor.undecided) }
            } else if token.kind == .word, Prefix.modifiers.contains(token.text), isModifier(token) {
                prefix.modifiers.insert(token.text)
                index += 1
                if isSign("("), ["set", "safe", "unsafe"].contains(self.token(at: index + 1)?.text) {
                    _ = skipBrackets()
                }
            } else if prefix.attributes.isEmpty == false, cursor.directive() {
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
        result.imports.append(ImportSource(module: module.text, isConditional: cursor.isUncertain))
    }

    /// Returns where a name of this declaration is declared.
    func site(_ name: SwiftToken, _ prefix: Prefix, outer: TypeSource?) -> DeclarationSite {
        DeclarationSite(
            path: (outer?.path ?? []) + [name.text], extended: outer?.site.extended ?? [],
            extendedCount: outer?.site.extendedCount ?? 0, span: span(name),
            isPrivate: outer?.site.isPrivate == true
                || !prefix.modifiers.isDisjoint(with: ["private", "fileprivate"]),
            undecided: cursor.undecided + prefix.undecided)
    }

    private mutating func scanType(_ keyword: SwiftToken, _ prefix: Prefix, outer: TypeSource?) {
        let start = index
        index += 1
        guard let name = token, name.isName, let kind = TypeSource.Kind(rawValue: keyword.text) else { return }
        var site = site(name, prefix, outer: outer)
        var isGeneric = false
        if kind == .extension {
            var parser = SwiftTypeParser(cursor.rest)
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
        let inherited = cursor.inheritedTypes()
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
