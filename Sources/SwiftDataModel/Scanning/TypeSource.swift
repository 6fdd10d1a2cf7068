internal import SwiftSources

/// A type or extension as its source declares it, with the members that matter to SwiftData.
struct TypeSource {
    /// The kinds of declarations.
    enum Kind: String {
        case `class`, `struct`, `enum`, `protocol`, `actor`, `extension`
    }

    var kind: Kind
    /// The names of the enclosing types and its own; of an extension, the extended type as written.
    var path: [String]
    /// The path of the type around the declaration.
    var outerPath: [String]
    var place: SourcePlace
    var attributes: [AttributeSource]
    /// The types after the colon.
    var inherited: [SwiftTypeText]
    var isGeneric: Bool
    /// The `#if` conditions around the declaration that could not be decided.
    var undecided: [String]
    var properties: [PropertySource] = []
    var cases: [CaseSource] = []
    /// The freestanding macros in the body, such as `#Unique`.
    var macros: [MacroSource] = []
    /// The names of functions and initializers with their labels: `encode(to:)`.
    var functions: Set<String> = []
    /// Whether an initializer gives an optional.
    var hasFailableInitializer = false

    var name: String { path.last ?? "" }
    /// Whether the macro `@Model` is attached.
    var isModel: Bool { attributes.contains { $0.name == "Model" } }
}

/// An attribute in front of a declaration, with its arguments.
struct AttributeSource {
    /// The last part of the name, without module.
    var name: String
    /// The tokens between the parentheses.
    var arguments: ArraySlice<SwiftToken>
    var place: SourcePlace
}

/// A variable or constant in a type.
struct PropertySource {
    var name: String
    var place: SourcePlace
    var type: SwiftTypeText?
    /// The tokens after the equals sign; empty without an initial value.
    var initializer: ArraySlice<SwiftToken>
    /// The tokens of the accessors or the getter; empty without.
    var accessors: ArraySlice<SwiftToken>
    var attributes: [AttributeSource]
    var modifiers: Set<String>
    var isComputed: Bool
    /// Whether the pattern is a tuple, which declares several variables at once.
    var isTuple = false
    var undecided: [String]

    /// Whether the macro `@Transient` is attached.
    var isMarkedTransient: Bool { attributes.contains { $0.name == "Transient" } }

    /// Whether SwiftData would store it.
    var isStored: Bool {
        !isComputed && modifiers.isDisjoint(with: ["static", "class", "lazy"])
    }
}

/// A case of an enumeration.
struct CaseSource {
    var name: String
    var hasPayload: Bool
    /// The tokens after the equals sign; empty without a raw value.
    var rawValue: ArraySlice<SwiftToken> = []
    var place: SourcePlace
    var undecided: [String]
}

/// A freestanding macro in the body of a type.
struct MacroSource {
    var name: String
    /// The tokens between the parentheses.
    var arguments: ArraySlice<SwiftToken>
    var place: SourcePlace
    var undecided: [String]
}

/// Another name of a type.
struct AliasSource {
    var path: [String]
    var type: SwiftTypeText
    var isGeneric: Bool
    var place: SourcePlace
}

/// The declarations of one file.
struct FileDeclarations {
    var types: [TypeSource] = []
    var aliases: [AliasSource] = []
    /// What keeps the file from being read completely.
    var problems: [SourceProblem] = []
}

/// A problem with a declaration, before its place is known as line and column.
struct SourceProblem: Hashable {
    var message: String
    var place: SourcePlace
    var help: String?
}
