internal import SwiftSources

/// A type or extension as declared in source, with the members relevant to SwiftData.
struct TypeSource {
    /// The kinds of declarations.
    enum Kind: String {
        case `class`, `struct`, `enum`, `protocol`, `actor`, `extension`
    }

    var kind: Kind
    /// The names of the enclosing types and its own; for an extension, the extended type as written.
    var path: [String]
    /// The path of the enclosing type.
    var outerPath: [String]
    var place: SourcePlace
    var attributes: [AttributeSource]
    /// The types after the colon.
    var inherited: [SwiftTypeText]
    var isGeneric: Bool
    /// The undecided `#if` conditions around the declaration.
    var undecided: [String]
    var properties: [PropertySource] = []
    var cases: [CaseSource] = []
    /// The freestanding macros in the body, such as `#Unique`.
    var macros: [MacroSource] = []
    /// The names of functions and initializers with their labels: `encode(to:)`.
    var functions: Set<String> = []
    /// Whether it has a failable initializer.
    var hasFailableInitializer = false

    var name: String { path.last ?? "" }
    /// Whether the macro `@Model` is attached.
    var isModel: Bool { attributes.contains { $0.name == "Model" } }
}

/// An attribute of a declaration, with its arguments.
struct AttributeSource {
    /// The last part of the name, without the module.
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
    /// The tokens after the equals sign; empty if there is no initial value.
    var initializer: ArraySlice<SwiftToken>
    /// The tokens of the accessors or the getter; empty if there are none.
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
    /// The tokens after the equals sign; empty if there is no raw value.
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

/// A type alias.
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
    /// The problems that prevent the file from being read completely.
    var problems: [SourceProblem] = []
}

/// A problem with a declaration, located by bytes and not yet by line and column.
struct SourceProblem: Hashable {
    var message: String
    var place: SourcePlace
    var help: String?
}
