/// Members that override others or that Objective-C code would look up by name, and initializers.
extension DeclarationScanner {
    /// Records a property that overrides another or whose name has a meaning.
    mutating func namedProperty(_ modifiers: Modifiers, _ context: SwiftFile.Context) {
        guard let name = token(), name.isName else { return }
        let start = modifiers.start ?? max(index - 1, 0)
        let introducer = rangeOfToken(start).lowerBound..<name.range.lowerBound
        index += 1
        if let (_, key) = Self.key(of: name.text), modifiers.isStatic, name.text.hasPrefix(Self.dependencyPrefix) {
            recordKeyMethod(.dependency, key: key, name: name, modifiers: modifiers, context: context, isProperty: true)
        }
        let isExposed =
            modifiers.managed == nil ? modifiers.isObjectiveC : name.text.hasPrefix("primitive") && name.text.count > 9
        if isExposed, modifiers.override == nil, !modifiers.isStatic, modifiers.globalActor == nil {
            recordKeyMethod(
                .exposed, key: modifiers.objectiveCName ?? name.text, name: name, modifiers: modifiers,
                context: context, isProperty: true)
        }
        guard let overrideRange = modifiers.override else { return }
        var member = SwiftFile.Override(
            kind: .other, name: name.text, nameRange: name.range, modifierRange: overrideRange, introducer: introducer,
            signature: name.range.upperBound..<name.range.upperBound, context: context, access: modifiers.access)
        if isSign(":") {
            index += 1
            var parser = SwiftTypeParser(cursor.rest)
            if parser.type() != nil {
                index = max(parser.index, index)
                member.signature = name.range.upperBound..<previousEnd
                if isSign("{"), let hasSetter = hasSetter() {
                    member.kind = .property
                    member.hasSetter = hasSetter
                }
            }
        }
        file.overrides.append(member)
    }

    /// Returns whether the accessors in the braces that open at the current token include a setter, or `nil` for
    /// observers.
    private mutating func hasSetter() -> Bool? {
        var depth = 0
        var hasSetter = false
        while let token = token() {
            if token.is("{") { depth += 1 }
            if token.is("}") { depth -= 1 }
            if depth == 0 { break }
            if depth == 1, token.kind == .word, isSign("{", at: 1) || isSign("(", at: 1) {
                if token.text == "willSet" || token.text == "didSet" { return nil }
                if token.text == "set" { hasSetter = true }
            }
            index += 1
        }
        return hasSetter
    }

    /// Records a function that overrides another or whose name has a meaning.
    mutating func namedFunction(_ modifiers: Modifiers, _ context: SwiftFile.Context) {
        guard let name = token(), name.isName else { return }
        let key = Self.key(of: name.text) ?? modifiers.objectiveCName.flatMap(Self.key)
        let isExposed = modifiers.isObjectiveC && modifiers.override == nil
        let isTest = Self.isTest(name.text, modifiers)
        guard modifiers.override != nil || modifiers.optional != nil || key != nil || isExposed || isTest else {
            return
        }
        let start = max(index - 1, 0)
        let introducer = rangeOfToken(modifiers.start ?? start).lowerBound..<name.range.lowerBound
        index += 1
        let isGeneric = isSign("<")
        if isGeneric { cursor.skipBalanced("<", ">") }
        guard isSign("(") else { return }
        let signature = signature(isGeneric: isGeneric)
        if let range = modifiers.optional {
            let keyword = rangeOfToken(start).lowerBound
            file.optionalRequirements.append(
                SwiftFile.OptionalRequirement(
                    range: range, method: name.text, declaration: keyword..<max(keyword, previousEnd),
                    isVoid: signature.isVoid, context: context))
        }
        if let (kind, key) = key, !signature.isUnusual {
            recordKeyMethod(
                kind, key: key, name: name, modifiers: modifiers, context: context, parameters: signature.parameters,
                effects: signature.effects)
        }
        if isExposed, !signature.isUnusual {
            recordKeyMethod(
                .exposed, key: modifiers.objectiveCName ?? "", name: name, modifiers: modifiers, context: context,
                parameters: signature.parameters, effects: signature.effects)
        }
        if isTest, !signature.isUnusual, signature.parameters.isEmpty, !signature.effects.contains("async"),
            signature.isVoid
        {
            recordTest(
                name, modifiers: modifiers, keyword: start, throws: signature.effects.contains("throws"),
                errorType: signature.errorType, context: context)
        }
        guard let overrideRange = modifiers.override else { return }
        file.overrides.append(
            SwiftFile.Override(
                kind: isSign("{") ? .function : .other, name: name.text, nameRange: name.range,
                modifierRange: overrideRange, introducer: introducer, signature: name.range.upperBound..<previousEnd,
                parameters: signature.parameters, isUnusual: signature.isUnusual, effects: signature.effects,
                context: context, access: modifiers.access))
    }

    /// What follows the name and the generic parameters of a function.
    private struct Signature {
        /// Whether the function has parts that a rewritten declaration could not repeat.
        var isUnusual: Bool
        var parameters: [SwiftFile.ManagedFunction.Parameter] = []
        /// The keywords `async`, `throws` and `rethrows`.
        var effects: Set<String> = []
        /// The tokens of the result type; `nil` for a function without one.
        var result: [String]?
        /// The byte range of `(E)` in `throws(E)`.
        var errorType: Range<Int>?

        var isVoid: Bool { result.map { $0 == ["Void"] || $0 == ["(", ")"] } ?? true }
    }

    /// Reads a signature, which begins at the current token.
    private mutating func signature(isGeneric: Bool) -> Signature {
        var signature = Signature(isUnusual: isGeneric)
        signature.parameters = parameters(&signature.isUnusual)
        while let token = token(), !token.is("{"), !token.is("}"), !token.is("@"), !token.is(";"), token.kind != .pound,
            !(token.isFirstOnLine && Self.beginsDeclaration(token))
        {
            if ["async", "throws", "rethrows"].contains(where: token.is) { signature.effects.insert(token.text) }
            if token.is("throws"), isSign("(", at: 1) { signature.errorType = rangeOfErrorType() }
            if token.is("where") { signature.isUnusual = true }
            if token.is(">"), isSign("-", at: -1), signature.result == nil {
                signature.result = []
            } else {
                signature.result?.append(token.text)
            }
            index += 1
        }
        return signature
    }

    /// Returns the byte range of `(E)` in `throws(E)`, which begins at the current token.
    private mutating func rangeOfErrorType() -> Range<Int>? {
        lookingAhead { scanner in
            scanner.index += 1
            guard let start = scanner.token()?.range.lowerBound else { return nil }
            scanner.cursor.skipBalanced("(", ")")
            return scanner.previousEnd > start ? start..<scanner.previousEnd : nil
        }
    }

    /// Returns whether XCTest calls a method without parameters by its name.
    private static func isTest(_ name: String, _ modifiers: Modifiers) -> Bool {
        guard !modifiers.isStatic, !modifiers.isNonisolated else { return false }
        if modifiers.override != nil {
            return ["setUp", "setUpWithError", "tearDown", "tearDownWithError"].contains(name) || name.hasPrefix("test")
        }
        return name.hasPrefix("test") && !["private", "fileprivate"].contains(modifiers.access)
    }

    /// Records a method whose body opens at the current token.
    private mutating func recordTest(
        _ name: SwiftToken, modifiers: Modifiers, keyword: Int, throws: Bool, errorType: Range<Int>?,
        context: SwiftFile.Context
    ) {
        guard let open = token(), open.is("{") else { return }
        let end = lookingAhead { scanner in
            scanner.cursor.skipBalanced("{", "}")
            return scanner.previousEnd
        }
        guard end > open.range.upperBound else { return }
        file.testMethods.append(
            SwiftFile.TestMethod(
                name: name.text, nameRange: name.range, keyword: rangeOfToken(keyword).lowerBound,
                isolation: modifiers.globalActorRange, globalActor: modifiers.globalActor,
                isOverride: modifiers.override != nil, canThrow: `throws`, errorType: errorType,
                body: open.range.upperBound..<end - 1, context: context))
    }

    private static func beginsDeclaration(_ token: SwiftToken) -> Bool {
        [
            "func", "var", "let", "class", "struct", "enum", "override", "public", "private", "optional", "static",
            "init",
            "mutating", "associatedtype", "subscript", "internal", "fileprivate", "open", "package", "final",
            "nonisolated",
        ].contains(where: token.is)
    }

    /// Records a subscript that overrides another.
    mutating func subscriptMember() {
        let modifiers = modifiers
        self.modifiers = Modifiers()
        guard let context, let overrideRange = modifiers.override else { return }
        file.overrides.append(
            SwiftFile.Override(
                kind: .other, name: "subscript", nameRange: rangeOfToken(index - 1), modifierRange: overrideRange,
                introducer: overrideRange, signature: overrideRange, context: context, access: modifiers.access))
    }

    /// Records an initializer.
    mutating func initializer(_ word: SwiftToken) {
        let modifiers = modifiers
        self.modifiers = Modifiers()
        guard let context else { return }
        lookingAhead { scanner in
            while let token = scanner.token(), token.is("?") || token.is("!") { scanner.index += 1 }
            if scanner.isSign("<") { scanner.cursor.skipBalanced("<", ">") }
            guard scanner.isSign("(") else { return }
            var isUnusual = false
            scanner.file.initializers.append(
                SwiftFile.Initializer(
                    range: word.range, overrideRange: modifiers.override, accessRange: modifiers.accessRange,
                    isRequired: modifiers.isRequired,
                    isConvenience: modifiers.isConvenience, parameters: scanner.parameters(&isUnusual),
                    context: context))
        }
    }

    // MARK: Members by name

    private static let dependencyPrefix = "keyPathsForValuesAffecting"

    /// Returns the key in a name with a meaning: `Title` for `validateTitle` and `validateTitle:error:`.
    private static func key(of name: String) -> (SwiftFile.KeyMethod.Kind, String)? {
        let name = String(name.prefix { $0 != ":" })
        for (prefix, kind) in [("validate", SwiftFile.KeyMethod.Kind.validation), (dependencyPrefix, .dependency)] {
            let key = String(name.dropFirst(prefix.count))
            guard name.hasPrefix(prefix), let first = key.first, !first.isLowercase else { continue }
            return (kind, key)
        }
        return nil
    }

    private mutating func recordKeyMethod(
        _ kind: SwiftFile.KeyMethod.Kind, key: String, name: SwiftToken, modifiers: Modifiers,
        context: SwiftFile.Context, isProperty: Bool = false,
        parameters: [SwiftFile.ManagedFunction.Parameter] = [], effects: Set<String> = []
    ) {
        file.keyMethods.append(
            SwiftFile.KeyMethod(
                kind: kind, name: name.text, nameRange: name.range, key: key, isProperty: isProperty,
                parameters: parameters, effects: effects, isStatic: modifiers.isStatic,
                isOverride: modifiers.override != nil, isObjectiveC: modifiers.isObjectiveC,
                access: modifiers.access ?? context.extensionAccess, context: context, isUncertain: isUncertain))
    }
}
