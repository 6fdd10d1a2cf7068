/// A scanner of the tokens of a file that records the declarations relevant to Core Data.
///
/// Declarations are expected at the top level and inside types; the scanner skips everything else by matching braces.
struct DeclarationScanner {
    private let bytes: [UInt8]
    var cursor: TokenCursor
    var file = SwiftFile()
    private(set) var scopes: [Scope] = []
    /// The number of types in `scopes`.
    private(set) var typeCount = 0
    /// The number of generic types in `scopes`.
    private(set) var genericTypeCount = 0
    /// The tokens that were searched for the start of a body, up to the one that ended the search.
    var bodySearch = -1...(-1)
    var modifiers = Modifiers()
    /// The types and extensions whose bodies are open: the number of scopes inside the body, and the indices in the
    /// file's lists.
    var openBodies: [(depth: Int, body: Int, type: Int?)] = []
    private var countedBytes = 0
    private var lineCount = 0

    /// The content of a pair of braces.
    enum Scope {
        case type(SwiftFile.Context, isGeneric: Bool)
        case other
    }

    /// The attributes and modifiers before a declaration.
    struct Modifiers {
        /// The first token of the attributes and modifiers.
        var start: Int?
        var override: Range<Int>?
        var isRequired = false
        var isConvenience = false
        var isObjectiveC = false
        /// The text in the parentheses of `@objc(…)`.
        var objectiveCName: String?
        var access: String?
        var accessRange: Range<Int>?
        var optional: Range<Int>?
        var setterAccess: String?
        var isStatic = false
        /// The name of the global actor in an attribute such as `@MainActor`.
        var globalActor: String?
        /// That attribute.
        var globalActorRange: Range<Int>?
        var isNonisolated = false
        /// The attribute `@NSManaged`.
        var managed: Range<Int>?
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        cursor = TokenCursor(SwiftLexer.tokens(in: bytes), environment: .linux)
    }

    mutating func scan() -> SwiftFile {
        while index < tokens.count { step() }
        let compiled = ConditionalCode.compiled(tokens, in: .linux)
        ExpressionScanner.scan(compiled, of: bytes, into: &file)
        if file.importSites.contains(where: { LinuxModules.isAvailable($0.module) == false }) {
            file.words = Set(compiled.lazy.filter { $0.kind == .word }.map(\.text))
        }
        return file
    }

    /// Returns the result of a function that advances, without advancing.
    mutating func lookingAhead<Result>(_ body: (inout Self) -> Result) -> Result {
        let start = index
        defer { index = start }
        return body(&self)
    }

    var tokens: [SwiftToken] { cursor.tokens }
    var index: Int {
        get { cursor.index }
        set { cursor.index = newValue }
    }
    func token(_ offset: Int = 0) -> SwiftToken? { cursor.token(at: cursor.index + offset) }
    func isSign(_ sign: String, at offset: Int = 0) -> Bool { cursor.isSign(sign, at: offset) }

    var previousEnd: Int {
        index > 0 ? tokens[..<min(index, tokens.count)].last?.range.upperBound ?? 0 : 0
    }

    /// Returns the byte range from a token up to the current one.
    func range(from start: Int) -> Range<Int> {
        let end = previousEnd
        return min(start < tokens.count ? tokens[start].range.lowerBound : end, end)..<end
    }

    func rangeOfToken(_ position: Int) -> Range<Int> {
        tokens.indices.contains(position) ? tokens[position].range : 0..<0
    }

    /// Returns the line of a token. Calls must be in file order, so that each line is counted only once.
    mutating func line(of token: SwiftToken) -> Int {
        for byte in bytes[countedBytes..<token.range.lowerBound] where byte == UInt8(ascii: "\n") { lineCount += 1 }
        countedBytes = token.range.lowerBound
        return lineCount + 1
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Whether members and types can be declared at the current token.
    private var isInDeclarations: Bool {
        if case .other? = scopes.last { return false }
        return true
    }

    private mutating func step() {
        guard let token = token() else { return }
        switch token.kind {
        case .pound: pound(token)
        case .sign: sign(token)
        case .word: word(token)
        case .quotedName, .number, .literal:
            modifiers = Modifiers()
            index += 1
        }
    }

    private mutating func sign(_ token: SwiftToken) {
        switch token.text {
        case "@": return attribute(token)
        case "{": push(.other)
        case "}":
            if let open = openBodies.last, open.depth >= scopes.count {
                if open.depth == scopes.count {
                    let start = file.bodies[open.body].range.lowerBound
                    file.bodies[open.body].range = start..<max(start, token.range.lowerBound)
                    if let type = open.type { file.types[type].bodyEnd = token.range.lowerBound }
                }
                openBodies.removeLast()
            }
            popScope()
        default: break
        }
        modifiers = Modifiers()
        index += 1
    }

    mutating func push(_ scope: Scope) {
        scopes.append(scope)
        count(scope, 1)
    }

    private mutating func popScope() {
        if let scope = scopes.popLast() { count(scope, -1) }
    }

    private mutating func count(_ scope: Scope, _ change: Int) {
        guard case .type(_, let isGeneric) = scope else { return }
        typeCount += change
        if isGeneric { genericTypeCount += change }
    }

    // MARK: Conditions

    private mutating func pound(_ token: SwiftToken) {
        if cursor.directive() { return }
        index += 1
        switch token.text {
        // `ExpressionScanner` handles these.
        case "keyPath", "selector": if isSign("(") { cursor.skipBalanced("(", ")") }
        default: modifiers = Modifiers()
        }
    }

    var isUncertain: Bool { cursor.isUncertain }

    // MARK: Attributes and modifiers

    private mutating func attribute(_ sign: SwiftToken) {
        modifiers.start = modifiers.start ?? index
        index += 1
        guard let name = token(), name.kind == .word else { return }
        index += 1
        while isSign("."), token(1)?.kind == .word { index += 2 }
        var end = previousEnd
        let isPlain = end == name.range.upperBound
        var argument: String?
        if let open = token(), open.is("("), open.isAdjacent || name.text == "objc" {
            cursor.skipBalanced("(", ")")
            end = previousEnd
            argument = text(open.range.upperBound..<max(end - 1, open.range.upperBound))
        }
        let range = sign.range.lowerBound..<end
        guard isPlain else { return }
        switch name.text {
        case "NSManaged": modifiers.managed = range
        case "objc":
            modifiers.isObjectiveC = true
            modifiers.objectiveCName = argument
            file.objectiveCAttributes.append(range)
        case _ where name.text.hasSuffix("Actor"):
            modifiers.globalActor = name.text
            modifiers.globalActorRange = range
        case _ where Self.objectiveCAttributes.contains(name.text): file.objectiveCAttributes.append(range)
        default: break
        }
    }

    /// The attributes available only on Apple's platforms. Swift accepts and ignores `@nonobjc` everywhere.
    private static let objectiveCAttributes: Set<String> = [
        "GKInspectable", "IBAction", "IBDesignable", "IBInspectable", "IBOutlet", "IBSegueAction", "NSCopying",
        "objcMembers",
    ]

    private static let accessLevels: Set<String> = ["open", "public", "package", "internal", "fileprivate", "private"]
    private static let otherModifiers: Set<String> = [
        "final", "override", "dynamic", "lazy", "weak", "unowned", "nonisolated", "required", "convenience", "optional",
        "indirect", "mutating", "nonmutating", "isolated", "consuming", "borrowing", "distributed", "async",
    ]

    private mutating func word(_ word: SwiftToken) {
        // A name like `.protocol` declares nothing.
        guard isInDeclarations, !isSign(".", at: -1) else {
            // A class inside a function has braces too, but nothing that Core Data could find.
            localType(word)
            modifiers = Modifiers()
            index += 1
            return
        }
        if Self.accessLevels.contains(word.text) { return access(word) }
        let position = index
        index += 1
        switch word.text {
        case "class" where Self.memberWords.contains(token()?.text ?? ""),
            "class" where Self.accessLevels.contains(token()?.text ?? ""), "static":
            modifiers.start = modifiers.start ?? position
            modifiers.isStatic = true
        case "class", "struct", "enum", "protocol", "actor": type(word)
        case "extension": typeExtension()
        case "var", "let": property()
        case "func": function()
        case "init" where isSign("(") || isSign("?") || isSign("!") || isSign("<"): initializer(word)
        case "subscript": subscriptMember()
        case "typealias": alias()
        case "import" where scopes.isEmpty && token()?.kind == .word: importModule(word)
        case _ where Self.otherModifiers.contains(word.text):
            modifiers.start = modifiers.start ?? position
            record(modifier: word)
            if isSign("("), token()?.isAdjacent == true { cursor.skipBalanced("(", ")") }
        default: modifiers = Modifiers()
        }
    }

    /// The tokens that may follow the modifier `class`.
    private static let memberWords: Set<String> = ["func", "var", "let", "subscript", "final", "override", "dynamic"]

    private mutating func record(modifier word: SwiftToken) {
        switch word.text {
        case "override": modifiers.override = word.range
        case "required": modifiers.isRequired = true
        case "convenience": modifiers.isConvenience = true
        case "nonisolated": modifiers.isNonisolated = true
        case "optional" where modifiers.isObjectiveC: modifiers.optional = word.range
        default: break
        }
    }

    private mutating func access(_ word: SwiftToken) {
        modifiers.start = modifiers.start ?? index
        index += 1
        if isSign("("), token(1)?.text == "set", isSign(")", at: 2) {
            modifiers.setterAccess = word.text
            index += 3
        } else {
            modifiers.access = word.text
            modifiers.accessRange = word.range
        }
    }

    // MARK: Imports and other names

    private mutating func importModule(_ word: SwiftToken) {
        defer { modifiers = Modifiers() }
        // The attributes of an import are on its line; to be safe, take the whole line.
        var lineStart = word.range.lowerBound
        while lineStart > 0, bytes[lineStart - 1] != UInt8(ascii: "\n"), bytes[lineStart - 1] != UInt8(ascii: ";") {
            lineStart -= 1
        }
        while bytes[lineStart] == UInt8(ascii: " ") || bytes[lineStart] == UInt8(ascii: "\t") { lineStart += 1 }
        var names: [SwiftToken] = []
        let isScoped = token().map { Self.importKinds.contains($0.text) } ?? false
        while let token = token(), !token.isFirstOnLine, !token.is(";") {
            names.append(token)
            index += 1
        }
        guard let last = names.last,
            let module = names.first(where: { $0.kind == .word && !Self.importKinds.contains($0.text) })
        else { return }
        let moduleEnd = module.range.upperBound
        file.importSites.append(
            SwiftFile.ImportSite(
                module: module.text, moduleRange: module.range,
                submoduleRange: moduleEnd..<(isScoped ? moduleEnd : max(moduleEnd, last.range.upperBound)),
                isScoped: isScoped, isUncertain: isUncertain, start: lineStart))
        let trimmed = text(lineStart..<last.range.upperBound)
        let found = SwiftFile.Import(module: module.text, text: trimmed)
        if !file.imports.contains(found) { file.imports.append(found) }
    }

    private static let importKinds: Set<String> = [
        "class", "struct", "enum", "protocol", "func", "var", "let", "typealias",
    ]

    private mutating func alias() {
        defer { modifiers = Modifiers() }
        guard let name = token(), isSign("=", at: 1) else { return }
        index += 2
        var parser = SwiftTypeParser(cursor.rest)
        guard let type = parser.type() else { return }
        index = parser.index
        if scopes.isEmpty {
            file.aliases[name.text] = type
        } else if !outerPath.isEmpty {
            file.memberAliases[outerPath + [name.text]] = type
        }
    }
}
