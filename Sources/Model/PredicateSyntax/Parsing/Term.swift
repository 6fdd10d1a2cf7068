/// A parsed part of the text. Whether it is a predicate or an expression determines how it can be combined, and is
/// known only after parsing, since both can be in parentheses.
struct Term: Sendable {
    enum Content: Sendable {
        case predicate(Predicate)
        case expression(Expression)
    }

    var content: Content
    /// The height of the tree, which is limited.
    var height: Int
    /// The range in the text, including parentheses.
    var range: Range<Int>
    /// Whether it is a single unit: in parentheses, or a word. Only such a predicate can serve as an expression.
    var isUnit: Bool

    init(_ content: Content, height: Int = 1, range: Range<Int>, isUnit: Bool = false) {
        self.content = content
        self.height = height
        self.range = range
        self.isUnit = isUnit
    }
}

/// The state of parsing between an opening sign and its closing sign.
struct Frame: Sendable {
    enum Kind: Sendable {
        /// The whole text.
        case root
        /// `(`
        case group
        /// `{`
        case aggregate
        /// `count:(`
        case call(selector: String)
        /// `FUNCTION(`, `CAST(`, `TERNARY(`, `SUBQUERY(` or `FETCH(`
        case special(Keyword)
        /// `[` after an operand
        case index(of: Term)
    }

    let kind: Kind
    /// The start of the opening sign, or of the function's name before it.
    let start: Int
    /// The arguments before the last comma.
    var arguments: [Term] = []
    /// The operands since the last comma.
    var operands: [Term] = []
    /// The operators since the last comma.
    var operators: [PendingOperator] = []

    init(_ kind: Kind, start: Int) {
        self.kind = kind
        self.start = start
    }

    /// The sign that ends the frame; `nil` for the whole text.
    var closingSign: Unicode.Scalar? {
        switch kind {
        case .root: nil
        case .group, .call, .special: ")"
        case .aggregate: "}"
        case .index: "]"
        }
    }

    /// Whether commas separate arguments here.
    var isList: Bool {
        switch kind {
        case .root, .group, .index: false
        case .aggregate, .call, .special: true
        }
    }

    /// Whether nothing has been read since the opening sign.
    var isEmpty: Bool { arguments.isEmpty && operands.isEmpty && operators.isEmpty }
}
