extension TypeTable {
    /// The reason why a name is ambiguous.
    struct Ambiguity {
        /// The qualified name.
        var name: String
        /// The undecided `#if` condition; `nil` if the name is declared twice.
        var condition: String?
        var span: SourceSpan
        /// The location of another declaration.
        var otherSpan: SourceSpan?
        /// Whether one of the declarations refers to a type of the sources.
        var mayBeDeclared = true

        /// Returns `nil` for a single declaration that no condition affects.
        init?(_ sites: [DeclarationSite]) {
            guard let first = sites.first else { return nil }
            condition = sites.lazy.compactMap(\.undecided.first).first
            guard condition != nil || sites.count > 1 else { return nil }
            name = first.path.joined(separator: ".")
            span = first.span
            otherSpan = sites.dropFirst().first?.span
        }

        /// The problem, as the rest of a sentence about the name.
        var problem: String {
            condition.map { "depends on `#if \($0)`" } ?? "is declared twice"
        }

        /// Returns the problem with the location of another declaration, for messages whose location is the first
        /// one's.
        func reason(_ texts: SourceTexts) -> String {
            guard condition == nil, let otherSpan else { return problem }
            return "\(problem); the other declaration is at \(texts.describe(otherSpan))"
        }

        /// What to do about it.
        var help: String {
            condition != nil
                ? EntityReader.conditionHelp
                : "leave out the file that is not compiled into the target, or nest each class in the "
                    + "`VersionedSchema` that it belongs to"
        }
    }
}
