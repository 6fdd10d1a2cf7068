/// Reads predicate and expression format strings.
///
/// The language is that of Apple's "Predicate Format String Syntax". Keywords may be written in any case; a word that is
/// reserved there but can only be a key where it stands (`size > 3`) is taken as one. Reading takes time linear in the
/// length of the text and no recursion.
package enum PredicateParser {
    /// How many levels a tree, and how many parentheses a text, may nest. Far beyond that, recursive walks of the tree
    /// would overflow a small stack. A flat `AND` or `OR` of any length is one level; `a + b + c` is two.
    package static let maximumDepth = 200

    /// Reads a predicate, such as `name == "x" AND age > 3`.
    ///
    /// Arguments (`%@`, `%K`) become placeholders; see ``Predicate/substitutingArguments(_:)``.
    /// - Throws: ``PredicateSyntaxError`` if the text is not a predicate, an expression alone included.
    package static func parsePredicate(_ text: String) throws(PredicateSyntaxError) -> Predicate {
        var parser = FormatParser(text)
        let term = try parser.parse()
        return try parser.predicate(term)
    }

    /// Reads an expression, such as `price * 2` or `canonical:(name)`. A predicate is a valid expression,
    /// ``Expression/predicate(_:)``.
    /// - Throws: ``PredicateSyntaxError`` if the text is not an expression.
    package static func parseExpression(_ text: String) throws(PredicateSyntaxError) -> Expression {
        var parser = FormatParser(text)
        var term = try parser.parse()
        term.isUnit = true
        return try parser.expression(term).expression
    }
}
