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
