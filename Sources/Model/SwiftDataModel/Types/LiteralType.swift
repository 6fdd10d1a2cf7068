internal import SwiftSources

/// Infers the type of a variable without annotation from its initial value.
struct LiteralType {
    let table: TypeTable
    let scope: Scope

    /// Returns the annotated type of a variable, or else that of its initial value; `nil` if neither is known.
    static func type(of property: PropertySource, in scope: Scope, _ table: TypeTable) -> SwiftTypeText? {
        property.type ?? LiteralType(table: table, scope: scope).type(of: property.initializer)
    }

    /// Returns the type of an expression, or `nil` if it cannot be determined without compiling.
    func type(of tokens: ArraySlice<SwiftToken>) -> SwiftTypeText? {
        guard let first = tokens.first else { return nil }
        // A cast at the end determines the type.
        if let cast = tokens.lastIndex(where: { $0.is("as") }), isTopLevel(cast, in: tokens) {
            return wholeType(tokens[(cast + 1)...])
        }
        switch first.kind {
        case .literal: return tokens.count == 1 ? Self.named("String") : nil
        case .number: return number(tokens)
        case .sign where first.is("-"): return number(tokens.dropFirst())
        case .sign where first.is("["): return array(tokens)
        case .word where first.is("true") || first.is("false"): return tokens.count == 1 ? Self.named("Bool") : nil
        case .word, .quotedName: return call(tokens)
        default: return nil
        }
    }

    private static func named(_ name: String) -> SwiftTypeText { .named([SwiftTypeText.Component(name: name)]) }

    private func isTopLevel(_ index: Int, in tokens: ArraySlice<SwiftToken>) -> Bool {
        tokens[..<index].reduce(0) { $0 + $1.nesting } == 0
    }

    private func wholeType(_ tokens: ArraySlice<SwiftToken>) -> SwiftTypeText? {
        var parser = SwiftTypeParser(tokens)
        guard let type = parser.type(), parser.index == tokens.endIndex else { return nil }
        return type
    }

    private func number(_ tokens: ArraySlice<SwiftToken>) -> SwiftTypeText? {
        guard let first = tokens.first, first.kind == .number else { return nil }
        let isHexadecimal = first.text.hasPrefix("0x")
        let hasExponent = first.text.contains { isHexadecimal ? "pP".contains($0) : "eE".contains($0) }
        if tokens.count == 1 { return Self.named(hasExponent ? "Double" : "Int") }
        let rest = tokens.dropFirst()
        if rest.count == 2, rest.first?.is(".") == true, rest.last?.kind == .number { return Self.named("Double") }
        // An exponent with a sign: 1.5e-3.
        let hasSignedExponent = tokens.contains {
            let exponents = $0.text.hasPrefix("0x") ? "pP" : "eE"
            return $0.kind == .number && $0.text.last.map(exponents.contains) == true
        }
        let isNumber = tokens.allSatisfy { $0.kind == .number || $0.is(".") || $0.is("-") || $0.is("+") }
        return hasSignedExponent && isNumber ? Self.named("Double") : nil
    }

    /// Returns the type of `[T]()`, `[K: V]()` or `[1, 2]`.
    private func array(_ tokens: ArraySlice<SwiftToken>) -> SwiftTypeText? {
        var parser = SwiftTypeParser(tokens)
        if let type = parser.type(), isCall(tokens[parser.index...]) { return type }
        guard tokens.last?.is("]") == true else { return nil }
        let elements = tokens.dropFirst().dropLast().split { $0.is(",") }
        let types = elements.map { element in element.count == 1 ? self.type(of: element) : nil }
        guard let first = types.first ?? nil, types.allSatisfy({ $0 == first }) else { return nil }
        return .array(first)
    }

    /// Returns whether the tokens are exactly one pair of parentheses with its content.
    private func isCall(_ tokens: ArraySlice<SwiftToken>) -> Bool {
        guard tokens.first?.is("(") == true else { return false }
        var open = 0
        for (index, token) in zip(tokens.indices, tokens) where token.kind == .sign {
            open += token.nesting
            if open == 0 { return index + 1 == tokens.endIndex }
        }
        return false
    }

    /// Returns the type of `UUID()`, `Name.init()`, `Status.active`, `Date.now` or `UUID().uuidString`.
    private func call(_ tokens: ArraySlice<SwiftToken>) -> SwiftTypeText? {
        var parser = SwiftTypeParser(tokens)
        guard let type = parser.type() else { return nil }
        let rest = tokens[parser.index...]
        guard case .named(let components) = type else {
            // `Optional<Int>()` and `Array<Int>()`.
            return isCall(rest) ? type : nil
        }
        if rest.isEmpty { return member(components) }
        guard isCall(rest) else { return knownMember(components, rest) }
        let isInit = components.count > 1 && components.last?.name == "init"
        return created(
            isInit ? .named(Array(components.dropLast())) : type, MacroArguments(rest.dropFirst().dropLast()))
    }

    /// Returns the type of a call if it creates a value of a type.
    ///
    /// The call may also be that of a function, and the initializer may be failable, as in `URL(string:)`.
    private func created(_ type: SwiftTypeText, _ arguments: MacroArguments) -> SwiftTypeText? {
        switch table.resolve(type, from: scope) {
        case .type(let entry):
            // The raw value initializer is not in the sources.
            let isFailable =
                entry.hasFailableInitializer || (entry.type.kind == .enum && arguments["rawValue"] != nil)
            return isFailable ? nil : type
        case .external(let external, _):
            if external.lastName == "Set" { return type }
            guard SimpleType.attributeType(of: external) != nil, let name = external.lastName else { return nil }
            return isCertain(arguments, of: name) ? type : nil
        case .unclear: return nil
        }
    }

    /// Returns whether an initializer of a plain type is known not to be failable.
    private func isCertain(_ arguments: MacroArguments, of name: String) -> Bool {
        guard let first = arguments.arguments.first else { return true }
        if let label = first.label { return Self.initializers[name]?.contains(label) == true }
        // Creating a number from a number cannot fail; creating it from a string can.
        let isNumber = number(first.value.first?.is("-") == true ? first.value.dropFirst() : first.value) != nil
        return arguments.arguments.count == 1 && isNumber
    }

    /// The first labels of initializers that are not failable.
    private static let initializers: [String: Set<String>] = [
        "Date": ["timeIntervalSinceNow", "timeIntervalSince1970", "timeIntervalSinceReferenceDate", "timeInterval"],
        "Data": ["count", "capacity", "repeating"], "String": ["repeating", "describing", "reflecting"],
        "UUID": ["uuid"], "URL": ["fileURLWithPath", "filePath"], "Decimal": ["sign"],
    ]

    /// Returns the type of a member without a call: an enumeration case, or a constant in Foundation.
    private func member(_ components: [SwiftTypeText.Component]) -> SwiftTypeText? {
        guard components.count > 1, let name = components.last?.name else { return nil }
        let type = SwiftTypeText.named(Array(components.dropLast()))
        switch table.resolve(type, from: scope) {
        case .type(let entry): return entry.type.cases.contains { $0.name == name } ? type : nil
        case .external(let external, _):
            guard let simple = external.lastName, SimpleType.attributeType(of: external) != nil else { return nil }
            return Self.constants[simple]?.contains(name) == true ? type : nil
        case .unclear: return nil
        }
    }

    private static let constants: [String: Set<String>] = [
        "Date": ["now", "distantPast", "distantFuture"],
        "Int": ["max", "min", "zero"], "Int16": ["max", "min", "zero"], "Int32": ["max", "min", "zero"],
        "Int64": ["max", "min", "zero"], "UInt8": ["max", "min", "zero"], "UInt16": ["max", "min", "zero"],
        "UInt32": ["max", "min", "zero"], "UInt64": ["max", "min", "zero"],
        "Double": ["zero", "pi", "infinity", "greatestFiniteMagnitude", "leastNormalMagnitude"],
        "Float": ["zero", "pi", "infinity", "greatestFiniteMagnitude", "leastNormalMagnitude"],
        "Decimal": ["zero"],
    ]

    /// Returns the type of a known member of a newly created value.
    private func knownMember(
        _ components: [SwiftTypeText.Component], _ rest: ArraySlice<SwiftToken>
    ) -> SwiftTypeText? {
        guard components.map(\.name) == ["UUID"], rest.map(\.text) == ["(", ")", ".", "uuidString"],
            case .external = table.resolve(.named(components), from: scope)
        else { return nil }
        return Self.named("String")
    }
}
