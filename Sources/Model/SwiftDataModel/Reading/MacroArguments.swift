internal import SwiftSources

struct MacroArguments {
    struct Argument {
        var label: String?
        var value: ArraySlice<SwiftToken>
    }

    var arguments: [Argument] = []

    init(_ tokens: ArraySlice<SwiftToken>) {
        arguments = Self.elements(tokens).map { part in
            guard let first = part.first, first.isName, part.dropFirst().first?.is(":") == true else {
                return Argument(label: nil, value: part)
            }
            return Argument(label: first.text, value: part.dropFirst(2))
        }
    }

    subscript(label: String) -> ArraySlice<SwiftToken>? { arguments.first { $0.label == label }?.value }

    var unlabeled: [ArraySlice<SwiftToken>] { arguments.filter { $0.label == nil }.map(\.value) }

    /// Returns the elements of a comma-separated list; a trailing comma adds none.
    private static func elements(_ tokens: ArraySlice<SwiftToken>) -> [ArraySlice<SwiftToken>] {
        tokens.split(atTopLevel: ",").filter { !$0.isEmpty }
    }

    /// Returns the elements of an array literal, or `nil` if the tokens are something else.
    static func elements(ofArray tokens: ArraySlice<SwiftToken>) -> [ArraySlice<SwiftToken>]? {
        guard tokens.first?.is("[") == true, tokens.last?.is("]") == true, tokens.count > 1 else { return nil }
        return elements(tokens.dropFirst().dropLast())
    }

    /// Returns the names of a key path literal, including the root type: `\Book.author` gives both, `\.author` the
    /// last.
    static func keyPath(_ tokens: ArraySlice<SwiftToken>) -> [String]? {
        guard tokens.first?.is("\\") == true else { return nil }
        var names: [String] = []
        var isName = tokens.dropFirst().first?.is(".") != true
        let hasRoot = isName
        for token in tokens.dropFirst() where !token.is("?") && !token.is("!") {
            if isName {
                guard token.isName else { return nil }
                names.append(token.text)
            } else {
                guard token.is(".") else { return nil }
            }
            isName.toggle()
        }
        return isName || names.count < (hasRoot ? 2 : 1) ? nil : names
    }
}
