internal import SwiftSources

/// Where and when a name is declared.
struct DeclarationSite {
    /// The names of the enclosing types and its own; for an extension, those of the extended type.
    var path: [String]
    /// The extended type as written, if an extension declares the name or is itself the declaration. The path begins
    /// with it until `TypeTable` has found the type.
    var extended: [String] = []
    /// The number of names in the path that belong to the extended type.
    var extendedCount = 0
    var span: SourceSpan
    /// Whether only the code of its file can use the name.
    var isPrivate: Bool
    /// The undecided `#if` conditions around the declaration.
    var undecided: [String]
}

/// A span from which names are looked up.
struct Scope: Hashable {
    /// The names of the enclosing types.
    var path: [String]
    /// The index of the file.
    var file: Int
    /// The number of names that belong to the type that the surrounding extension extends. Code in an extension of
    /// `A.B` does not see what `A` declares.
    var extended = 0

    /// The paths in which names are looked up, from the innermost one.
    var enclosingPaths: [[String]] {
        (0...path.count).reversed().filter { $0 == 0 || $0 >= extended }.map { Array(path.prefix($0)) }
    }
}

/// A type or extension as declared in source, with the members relevant to SwiftData.
struct TypeSource {
    /// The kinds of declarations.
    enum Kind: String {
        case `class`, `struct`, `enum`, `protocol`, `actor`, `extension`
    }

    var kind: Kind
    var site: DeclarationSite
    var attributes: [AttributeSource]
    /// The types after the colon.
    var inherited: [SwiftTypeText]
    var isGeneric: Bool
    var properties: [PropertySource] = []
    var cases: [CaseSource] = []
    /// The freestanding macros in the body, such as `#Unique`.
    var macros: [MacroSource] = []
    /// The tokens from the keyword to the closing brace.
    var declaration: ArraySlice<SwiftToken> = []
    /// The range from the opening to the closing brace.
    var body = 0..<0
    var modifiers: Set<String> = []
    /// The number of tokens of the extended type.
    var extendedTokenCount = 0
    /// Whether the body declares a type or an alias.
    var declaresTypes = false
    /// The names of functions and initializers with their labels: `encode(to:)`.
    var functions: Set<String> = []
    var hasFailableInitializer = false
    /// Whether a member overrides an inherited one or uses `super`, so that there is a base class.
    var hasBaseClass = false

    var path: [String] { site.path }
    var span: SourceSpan { site.span }
    var undecided: [String] { site.undecided }
    var name: String { path.last ?? "" }
    /// The scope of the types after the colon.
    var outerScope: Scope {
        guard kind != .extension else { return Scope(path: [], file: span.file) }
        return Scope(path: path.dropLast(), file: span.file, extended: site.extendedCount)
    }
    /// The scope of the declarations in the body.
    var scope: Scope { Scope(path: path, file: span.file, extended: site.extendedCount) }
    /// Whether the macro `@Model` is attached.
    var isModel: Bool { attributes.contains { $0.name == "Model" } }
}

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

/// A freestanding macro in the body of a type.
struct MacroSource {
    var name: String
    /// The tokens between the parentheses.
    var arguments: ArraySlice<SwiftToken>
    var span: SourceSpan
    var undecided: [String]
}

/// A type alias, as declared.
struct AliasSource {
    var site: DeclarationSite
    var type: SwiftTypeText
    /// The parts of a composition `A & B`; of other types, the type alone.
    var parts: [SwiftTypeText]
    var isGeneric: Bool

    /// The scope of the aliased type.
    var scope: Scope {
        Scope(path: site.path.dropLast(), file: site.span.file, extended: site.extendedCount)
    }
}

/// An import of a file.
struct ImportSource {
    var module: String
    /// Whether an undecided `#if` condition surrounds the import.
    var isConditional: Bool
}

/// The declarations of a file.
struct FileDeclarations {
    var imports: [ImportSource] = []
    var types: [TypeSource] = []
    var aliases: [AliasSource] = []
    /// The lists of models that code passes to schemas and containers.
    var modelLists: [ModelListSource] = []
    /// The problems that prevent the file from being read completely.
    var problems: [SourceProblem] = []
}

/// A problem with a declaration, located by bytes and not yet by line and column.
struct SourceProblem: Hashable {
    var message: String
    var span: SourceSpan
    var help: String?
}
