internal import SwiftSources

/// A construct that compiles or behaves differently on Linux, and what to write instead.
struct PortPattern: Sendable {
    /// The effect of a construct on Linux.
    enum Effect: String, Sendable {
        /// The code does not compile, or traps.
        case edit
        /// The code compiles and does less than on Apple's platforms.
        case note
    }

    /// A way to recognize a construct in the tokens that are compiled on Linux.
    enum Form: Sendable {
        /// One of these names, unless it is a member (`.name`), a label (`name:`) or declared by the project.
        case names(Set<String>)
        /// A member of one of these names: `.name`.
        case members(Set<String>)
        /// A sequence of tokens; spaces between them are ignored.
        case sequence([String])
        /// An attribute of one of these names.
        case attributes(Set<String>)
        /// A custom test: whether the construct begins at an index of the tokens.
        case test(@Sendable (_ tokens: [SwiftToken], _ index: Int) -> Bool)
    }

    /// The stable name of the pattern.
    var id: String
    var effect = Effect.edit
    var forms: [Form]
    /// The problem, in a few words.
    var message: String
    /// What to write instead.
    var edit: String

    /// Returns whether the construct begins at an index of the tokens.
    func matches(_ tokens: [SwiftToken], _ index: Int, declared: (String) -> Bool) -> Bool {
        forms.contains { $0.matches(tokens, index, declared: declared) }
    }
}

extension PortPattern.Form {
    fileprivate func matches(_ tokens: [SwiftToken], _ index: Int, declared: (String) -> Bool) -> Bool {
        let token = tokens[index]
        func sign(_ sign: String, _ offset: Int) -> Bool {
            tokens.indices.contains(index + offset) && tokens[index + offset].is(sign)
        }
        switch self {
        case .names(let names):
            guard token.kind == .word, names.contains(token.text), !sign(".", -1), !declared(token.text) else {
                return false
            }
            // A label, unless it is the key type of a dictionary or part of a ternary expression.
            return !(sign(":", 1) && (sign("(", -1) || sign(",", -1)))
        case .members(let names):
            return token.kind == .word && names.contains(token.text) && sign(".", -1)
        case .sequence(let texts):
            guard index + texts.count <= tokens.count else { return false }
            return zip(tokens[index...], texts).allSatisfy { token, text in
                text.hasPrefix("#") ? token.kind == .pound && token.text == text.dropFirst() : token.is(text)
            }
        case .attributes(let names):
            return token.is("@") && index + 1 < tokens.count && names.contains(tokens[index + 1].text)
                && !declared(tokens[index + 1].text)
        case .test(let test):
            return test(tokens, index)
        }
    }
}
