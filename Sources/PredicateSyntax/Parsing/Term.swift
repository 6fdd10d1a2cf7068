/// A part of the text that has been understood: whether it is a predicate or an expression decides what it may be joined
/// with, and is known only afterwards, as both may stand in parentheses.
struct Term: Sendable {
    enum Content: Sendable {
        case predicate(Predicate)
        case expression(Expression)
    }

    var content: Content
    /// The levels of the tree, which are limited.
    var height: Int
    /// Where it was written, parentheses included.
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

/// What an opening sign began, until its closing sign has been read.
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
    /// Where the opening sign, or the function's name before it, begins.
    let start: Int
    /// The parts before the last comma.
    var arguments: [Term] = []
    /// The operands since the last comma.
    var operands: [Term] = []
    /// The operators since the last comma.
    var operators: [PendingOperator] = []

    init(_ kind: Kind, start: Int) {
        self.kind = kind
        self.start = start
    }

    /// The sign that ends the frame; nil for the whole text.
    var closingSign: Unicode.Scalar? {
        switch kind {
        case .root: nil
        case .group, .call, .special: ")"
        case .aggregate: "}"
        case .index: "]"
        }
    }

    /// Whether commas separate parts here.
    var isList: Bool {
        switch kind {
        case .root, .group, .index: false
        case .aggregate, .call, .special: true
        }
    }

    /// Whether nothing has been read since the opening sign.
    var isEmpty: Bool { arguments.isEmpty && operands.isEmpty && operators.isEmpty }
}
