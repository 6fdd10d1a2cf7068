/// Parses predicate and expression format strings.
///
/// The language is that of Apple's "Predicate Format String Syntax". Keywords are case-insensitive; a reserved word
/// that can only be a key in its position (`size > 3`) is read as a key. Parsing takes linear time and does not
/// recurse.
package enum PredicateParser {
    /// The maximum depth of a tree, and of nested parentheses in a text. Far beyond it, recursive walks of the tree
    /// would overflow a small stack. A flat `AND` or `OR` of any length is one level; `a + b + c` is two.
    package static let maximumDepth = 200

    /// Parses a predicate, such as `name == "x" AND age > 3`.
    ///
    /// Arguments (`%@`, `%K`) become placeholders; see ``Predicate/substitutingArguments(_:)``.
    /// - Throws: ``PredicateSyntaxError`` if the text is not a predicate, for example a mere expression.
    package static func parsePredicate(_ text: String) throws(PredicateSyntaxError) -> Predicate {
        var parser = FormatParser(text)
        let term = try parser.parse()
        return try parser.predicate(term)
    }

    /// Parses an expression, such as `price * 2` or `canonical:(name)`. A predicate is a valid expression,
    /// ``Expression/predicate(_:)``.
    /// - Throws: ``PredicateSyntaxError`` if the text is not an expression.
    package static func parseExpression(_ text: String) throws(PredicateSyntaxError) -> Expression {
        var parser = FormatParser(text)
        var term = try parser.parse()
        term.isUnit = true
        return try parser.expression(term).expression
    }
}
