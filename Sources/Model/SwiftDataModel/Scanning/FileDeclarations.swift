internal import SwiftSources

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

/// An `import` declaration.
struct ImportSource {
    var module: String
    /// Whether an undecided `#if` condition surrounds the import.
    var isConditional: Bool
}

/// The declarations of one source file that matter to SwiftData.
struct FileDeclarations {
    var imports: [ImportSource] = []
    var types: [TypeSource] = []
    var aliases: [AliasSource] = []
    /// The lists of models that code passes to schemas and containers.
    var modelLists: [ModelListSource] = []
    /// The problems that prevent the file from being read completely.
    var problems: [SourceProblem] = []
}
