// The depth of trees, determined without recursion: trees that are built in code may be deeper than any stack.

extension Expression {
    /// Returns whether the expression, including predicates in it, has more levels than a limit.
    package func nests(deeperThan limit: Int) -> Bool { TreeDepth.exceeds(limit, [.expression(self)]) }
}

extension Comparison {
    /// Returns whether the expressions of the comparison have more levels than a limit.
    package func nests(deeperThan limit: Int) -> Bool {
        TreeDepth.exceeds(limit, [.expression(left), .expression(right)])
    }
}

private enum TreeDepth {
    enum Node {
        case expression(Expression)
        case predicate(Predicate)
    }

    static func exceeds(_ limit: Int, _ roots: [Node]) -> Bool {
        var level = roots
        for _ in 0..<limit {
            level = level.flatMap(parts)
            if level.isEmpty { return false }
        }
        return true
    }

    private static func parts(_ node: Node) -> [Node] {
        switch node {
        case .expression(let expression): parts(expression)
        case .predicate(.comparison(let comparison)): [.expression(comparison.left), .expression(comparison.right)]
        case .predicate(let predicate): predicate.subpredicates.map { .predicate($0) }
        }
    }

    private static func parts(_ expression: Expression) -> [Node] {
        switch expression {
        case .constant, .evaluatedObject, .variable, .anyKey: []
        case .keyPath(let path): path.operand.map { [.expression($0)] } ?? []
        case .function(let call): (call.operand.map { [$0] } ?? []).map(Node.expression) + list(call.arguments)
        case .union(let left, let right), .intersect(let left, let right), .minus(let left, let right):
            list([left, right])
        case .subquery(let subquery): [.expression(subquery.collection), .predicate(subquery.predicate)]
        case .aggregate(let elements), .block(_, let elements): list(elements)
        case .conditional(let predicate, let first, let second): [.predicate(predicate)] + list([first, second])
        case .fetch(let fetch): list([fetch.request, fetch.context])
        case .element(let collection, .expression(let index)): list([collection, index])
        case .element(let collection, _): list([collection])
        case .assignment(_, let value): list([value])
        case .predicate(let predicate): [.predicate(predicate)]
        case .placeholder(_, let operand): operand.map { [.expression($0)] } ?? []
        }
    }

    private static func list(_ expressions: [Expression]) -> [Node] { expressions.map(Node.expression) }
}
