internal import SwiftSources

/// An attribute of a declaration, with its arguments.
struct AttributeSource {
    /// The last part of the name, without the module.
    var name: String
    /// The tokens between the parentheses.
    var arguments: ArraySlice<SwiftToken>
    var span: SourceSpan
}

/// A variable or constant in a type.
struct PropertySource {
    var name: String
    var span: SourceSpan
    var type: SwiftTypeText?
    /// The tokens of the type; empty if it is not written.
    var typeTokens: ArraySlice<SwiftToken> = []
    /// The tokens after the equals sign; empty if there is no initial value.
    var initializer: ArraySlice<SwiftToken>
    /// The tokens of the accessors or the getter; empty if there are none.
    var accessors: ArraySlice<SwiftToken>
    var attributes: [AttributeSource]
    var modifiers: Set<String>
    var isComputed: Bool
    /// Whether the pattern is a tuple, which declares several variables at once.
    var isTuple = false
    /// Whether an extension declares it.
    var isInExtension = false
    var undecided: [String]

    /// Returns the scope of the property's type and initial value.
    func scope(in entry: TypeTable.Entry) -> Scope {
        let path = entry.type.path
        return Scope(
            path: path, file: span.file, extended: isInExtension ? path.count : entry.type.site.extendedCount)
    }

    /// Whether the macro `@Transient` is attached.
    var isMarkedTransient: Bool { attributes.contains { $0.name == "Transient" } }

    /// Whether SwiftData would store it.
    var isStored: Bool {
        !isComputed && modifiers.isDisjoint(with: ["static", "class", "lazy"])
    }
}

/// A case of an enumeration, as declared.
struct CaseSource {
    var name: String
    var hasPayload: Bool
    /// The types of the associated values.
    var payloadTypes: [SwiftTypeText] = []
    /// The tokens after the equals sign; empty if there is no raw value.
    var rawValue: ArraySlice<SwiftToken> = []
    var span: SourceSpan
    var undecided: [String]
}
