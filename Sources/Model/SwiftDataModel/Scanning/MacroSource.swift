internal import SwiftSources

/// A freestanding macro in the body of a type.
struct MacroSource {
    var name: String
    /// The tokens between the parentheses.
    var arguments: ArraySlice<SwiftToken>
    var span: SourceSpan
    var undecided: [String]
}
