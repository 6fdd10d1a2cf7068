internal import SwiftSources

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
