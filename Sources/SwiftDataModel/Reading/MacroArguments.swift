internal import SwiftSources

/// The arguments of a macro or an attribute, separated at their commas.
struct MacroArguments {
    struct Argument {
        var label: String?
        var value: ArraySlice<SwiftToken>
    }

    var arguments: [Argument] = []

    init(_ tokens: ArraySlice<SwiftToken>) {
        arguments = Self.split(tokens).map { part in
            guard let first = part.first, TypeScanner.isName(first), part.dropFirst().first?.is(":") == true else {
                return Argument(label: nil, value: part)
            }
            return Argument(label: first.text, value: part.dropFirst(2))
        }
    }

    subscript(label: String) -> ArraySlice<SwiftToken>? { arguments.first { $0.label == label }?.value }

    /// The arguments without labels.
    var unlabeled: [ArraySlice<SwiftToken>] { arguments.filter { $0.label == nil }.map(\.value) }

    /// Splits tokens at the commas outside of brackets.
    static func split(_ tokens: ArraySlice<SwiftToken>) -> [ArraySlice<SwiftToken>] {
        var parts: [ArraySlice<SwiftToken>] = []
        var (open, start) = (0, tokens.startIndex)
        for (place, token) in zip(tokens.indices, tokens) where token.kind == .sign {
            if ["(", "[", "{"].contains(token.text) { open += 1 }
            if [")", "]", "}"].contains(token.text) { open -= 1 }
            if open == 0, token.is(",") {
                parts.append(tokens[start..<place])
                start = place + 1
            }
        }
        if start < tokens.endIndex { parts.append(tokens[start...]) }
        return parts.filter { !$0.isEmpty }
    }

    /// Returns the elements of an array literal, or `nil` if the tokens are none.
    static func elements(ofArray tokens: ArraySlice<SwiftToken>) -> [ArraySlice<SwiftToken>]? {
        guard tokens.first?.is("[") == true, tokens.last?.is("]") == true, tokens.count > 1 else { return nil }
        return split(tokens.dropFirst().dropLast())
    }

    /// Returns the names of a key path literal, the root type included: `\Book.author` gives both.
    static func keyPath(_ tokens: ArraySlice<SwiftToken>) -> (root: [String], property: String)? {
        guard tokens.first?.is("\\") == true else { return nil }
        var names: [String] = []
        var isName = tokens.dropFirst().first?.is(".") != true
        let hasRoot = isName
        for token in tokens.dropFirst() {
            if isName {
                guard TypeScanner.isName(token) else { return nil }
                names.append(token.text)
            } else {
                guard token.is(".") else { return nil }
            }
            isName.toggle()
        }
        guard !isName, let property = names.last else { return nil }
        guard hasRoot else { return names.count == 1 ? ([], property) : nil }
        return names.count > 1 ? (Array(names.dropLast()), property) : nil
    }
}
