extension FormatParser {
    /// Returns the meaning of a frame whose closing sign has been read.
    func meaning(of frame: inout Frame, end: Int) throws(PredicateSyntaxError) -> Term {
        let range = frame.start..<end
        switch frame.kind {
        case .root, .group:
            guard var term = frame.arguments.popLast() else {
                throw scanner.error("expected an expression", at: range, expected: ["an expression"])
            }
            term.range = range
            term.isUnit = true
            return term
        case .aggregate:
            let parts = try expressions(frame.arguments)
            return try term(.aggregate(parts.expressions), partHeight: parts.height, range: range)
        case .call(let selector):
            return try call(selector, arguments: frame.arguments, range: range)
        case .special(let keyword):
            return try special(keyword, arguments: frame.arguments, range: range)
        case .index(let base):
            let collection = try expression(base)
            let parts = try expressions(frame.arguments)
            guard let index = parts.expressions.first else {
                throw scanner.error("expected an index", at: range, expected: ["an expression"])
            }
            return try term(
                .element(of: collection.expression, at: .expression(index)),
                partHeight: max(collection.height, parts.height), range: range
            )
        }
    }

    private func term(
        _ expression: Expression, partHeight: Int, range: Range<Int>
    ) throws(PredicateSyntaxError) -> Term {
        Term(.expression(expression), height: try checked(partHeight + 1, range), range: range)
    }

    private func expressions(
        _ terms: [Term]
    ) throws(PredicateSyntaxError) -> (expressions: [Expression], height: Int) {
        var expressions: [Expression] = []
        expressions.reserveCapacity(terms.count)
        var height = 0
        for var term in terms {
            term.isUnit = true  // commas delimit it as parentheses would
            let part = try expression(term)
            expressions.append(part.expression)
            height = max(height, part.height)
        }
        return (expressions, height)
    }

    /// Returns a call of a predefined function. `sum(x)` is Apple's documented short form of `sum:(x)`.
    private func call(
        _ name: String, arguments: [Term], range: Range<Int>
    ) throws(PredicateSyntaxError) -> Term {
        let parts = try expressions(arguments)
        let isShort = !parts.expressions.isEmpty && name.utf8.last != UInt8(ascii: ":")
        let selector = isShort ? name + ":" : name
        if selector == FunctionCall.elementSelector, parts.expressions.count == 2 {
            return try term(
                .element(of: parts.expressions[0], at: .expression(parts.expressions[1])), partHeight: parts.height,
                range: range)
        }
        return try term(
            .function(FunctionCall(selector: selector, arguments: parts.expressions)), partHeight: parts.height,
            range: range)
    }

    private func special(
        _ keyword: Keyword, arguments: [Term], range: Range<Int>
    ) throws(PredicateSyntaxError) -> Term {
        switch keyword {
        case .cast:
            try require(arguments.count == 2, range: range, form: "CAST(value, \"type\")")
            let parts = try expressions(arguments)
            return try term(
                .function(FunctionCall(selector: FunctionCall.castSelector, arguments: parts.expressions)),
                partHeight: parts.height, range: range)
        case .ternary:
            try require(arguments.count == 3, range: range, form: "TERNARY(predicate, value, other)")
            let condition = try predicate(arguments[0])
            let parts = try expressions(Array(arguments.dropFirst()))
            return try term(
                .conditional(condition, parts.expressions[0], parts.expressions[1]),
                partHeight: max(arguments[0].height, parts.height), range: range)
        case .subquery:
            return try subquery(arguments, range)
        case .fetch:
            return try fetch(arguments, range)
        default:
            return try function(arguments, range)
        }
    }

    private func subquery(_ arguments: [Term], _ range: Range<Int>) throws(PredicateSyntaxError) -> Term {
        let form = "SUBQUERY(collection, $x, predicate)"
        try require(arguments.count == 3, range: range, form: form)
        guard case .expression(.variable(let name)) = arguments[1].content else {
            throw scanner.error(
                "the second argument of SUBQUERY must be a variable", at: arguments[1].range, expected: ["a variable"],
                hint: form)
        }
        let collection = try expressions([arguments[0]])
        let condition = try predicate(arguments[2])
        return try term(
            .subquery(Subquery(collection: collection.expressions[0], variable: name, predicate: condition)),
            partHeight: max(collection.height, arguments[2].height), range: range)
    }

    private func fetch(_ arguments: [Term], _ range: Range<Int>) throws(PredicateSyntaxError) -> Term {
        let form = "FETCH(request, context, NO)"
        try require(arguments.count == 3, range: range, form: form)
        guard case .expression(.constant(.boolean(let countOnly))) = arguments[2].content else {
            throw scanner.error(
                "the third argument of FETCH must be YES or NO", at: arguments[2].range, expected: ["YES", "NO"],
                hint: form)
        }
        let parts = try expressions(Array(arguments.dropLast()))
        return try term(
            .fetch(
                FetchExpression(request: parts.expressions[0], context: parts.expressions[1], countOnly: countOnly)),
            partHeight: parts.height, range: range)
    }

    private func function(_ arguments: [Term], _ range: Range<Int>) throws(PredicateSyntaxError) -> Term {
        let form = "FUNCTION(object, \"selector:\", argument)"
        try require(arguments.count >= 2, range: range, form: form)
        guard case .expression(.constant(.string(let selector))) = arguments[1].content else {
            throw scanner.error(
                "the second argument of FUNCTION must be a selector in quotes", at: arguments[1].range,
                expected: ["a string"], hint: form)
        }
        let operand = try expressions([arguments[0]])
        let parts = try expressions(Array(arguments.dropFirst(2)))
        return try term(
            .function(
                FunctionCall(operand: operand.expressions[0], selector: selector, arguments: parts.expressions)),
            partHeight: max(operand.height, parts.height), range: range)
    }

    private func require(_ condition: Bool, range: Range<Int>, form: String) throws(PredicateSyntaxError) {
        guard condition else {
            throw scanner.error("wrong number of arguments", at: range, hint: "the form is \(form)")
        }
    }
}
