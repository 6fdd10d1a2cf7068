import PredicateSyntax
import TestSupport

/// A generator of random trees of exactly those shapes that the parser can return.
struct TreeGenerator {
    var random: SeededGenerator
    private var placeholders = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private mutating func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[chance(values.count)] }

    mutating func tree(depth: Int) -> Predicate {
        placeholders = 0  // they are numbered within a text
        return predicate(depth)
    }

    private mutating func predicate(_ depth: Int) -> Predicate {
        guard depth > 0 else { return .value(chance(2) == 0) }
        switch chance(10) {
        case 0: return .not(predicate(depth - 1))
        case 1: return .and(compound(depth))
        case 2: return .or(compound(depth))
        case 3: return .value(chance(2) == 0)
        default:
            let left = expression(depth - 1)
            return .compare(
                left, using: pick(ComparisonOperator.spelled), right: expression(depth - 1),
                modifier: pick([.direct, .direct, .all, .any]),
                options: ComparisonOptions(rawValue: chance(2) == 0 ? 0 : UInt(chance(16))))
        }
    }

    private mutating func compound(_ depth: Int) -> [Predicate] {
        (0..<2 + chance(3)).map { _ in predicate(depth - 1) }
    }

    private mutating func expression(_ depth: Int) -> PredicateSyntax.Expression {
        guard depth > 0 else { return leaf() }
        switch chance(20) {
        case 0: return .keyPath(KeyPathExpression(keyPath(), of: operand(depth - 1)))
        case 1: return call(depth)
        case 2:
            let target = expression(depth - 1)
            return .function(FunctionCall(operand: target, selector: string(), arguments: list(depth)))
        case 3: return .call(FunctionCall.castSelector, expression(depth - 1), .string(string()))
        case 4, 5, 6, 7:
            let left = expression(depth - 1)
            return .infix(left, pick(ArithmeticOperator.allCases), expression(depth - 1))
        case 8:
            let left = expression(depth - 1)
            let right = expression(depth - 1)
            return pick([.union(left, right), .intersect(left, right), .minus(left, right)])
        case 9:
            let collection = expression(depth - 1)
            return .subquery(Subquery(collection: collection, variable: name(), predicate: predicate(depth - 1)))
        case 10: return .aggregate(list(depth))
        case 11:
            let condition = predicate(depth - 1)
            let first = expression(depth - 1)
            return .conditional(condition, first, expression(depth - 1))
        case 12:
            let request = expression(depth - 1)
            return .fetch(
                FetchExpression(request: request, context: expression(depth - 1), countOnly: chance(2) == 0))
        case 13, 14:
            let collection = expression(depth - 1)
            let index: ElementIndex =
                switch chance(5) {
                case 0: .first
                case 1: .last
                case 2: .size
                default: .expression(expression(depth - 1))
                }
            return .element(of: collection, at: index)
        case 15: return .assignment(variable: name(), value: expression(depth - 1))
        case 16: return .predicate(predicate(depth - 1))
        case 17:
            let operand = expression(depth - 1)
            return .placeholder(placeholder(.keyPath, "%K"), of: operand)
        default: return leaf()
        }
    }

    /// Returns an operand that keys can follow without merging with it.
    private mutating func operand(_ depth: Int) -> PredicateSyntax.Expression {
        let operand = expression(depth)
        if case .keyPath = operand { return .element(of: operand, at: .first) }
        return operand
    }

    private mutating func call(_ depth: Int) -> PredicateSyntax.Expression {
        let arguments = list(depth)
        let selectors = [
            "count:", "add:to:", "modulus:by:", "now:", "castObject:toType:", "a:b:c:", "f::", "SIZE:", "ö:",
        ]
        let selector = arguments.isEmpty && chance(2) == 0 ? pick(["now", "random", "first"]) : pick(selectors)
        return .function(FunctionCall(selector: selector, arguments: arguments))
    }

    private mutating func list(_ depth: Int) -> [PredicateSyntax.Expression] {
        (0..<chance(4)).map { _ in expression(depth - 1) }
    }

    private mutating func leaf() -> PredicateSyntax.Expression {
        switch chance(9) {
        case 0: return .evaluatedObject
        case 1: return .variable(name())
        case 2: return .anyKey
        case 3:
            let (kind, spelling) = pick([
                (Placeholder.Kind.object, "%@"), (.keyPath, "%K"), (.signedInteger, "%lld"), (.floatingPoint, "%f"),
                (.character, "%c"), (.cString, "%s"), (.unsignedInteger, "%hx"),
            ])
            return .placeholder(placeholder(kind, spelling), of: nil)
        case 4, 5: return .constant(constant())
        default: return .key(keyPath())
        }
    }

    private mutating func placeholder(_ kind: Placeholder.Kind, _ spelling: String) -> Placeholder {
        defer { placeholders += 1 }
        return Placeholder(index: placeholders, kind: kind, spelling: spelling)
    }

    private mutating func constant() -> Constant {
        switch chance(8) {
        case 0: return .null
        case 1: return .boolean(chance(2) == 0)
        case 2: return .integer(Int64(chance(2001) - 1000))
        case 3: return .integer(pick([.min, .max, 0, -1]))
        case 4: return .real(Double(chance(20_001) - 10_000) / pick([1, 2, 10, 1000]))
        case 5:
            let value = Double(bitPattern: random.next())
            return .real(value.isFinite ? value : 0.5)
        default: return .string(string())
        }
    }

    private mutating func string() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "0", " ", "\"", "'", "\\", "\n", "\r", "\t", "\0", "\u{1F}", "\u{7F}", "%", "@", "$", "é",
            "\u{301}",
            "\u{2028}", "\u{1F600}", "u", "n", "{", ")",
        ]
        var string = ""
        for _ in 0..<chance(6) { string.unicodeScalars.append(pick(scalars)) }
        return string
    }

    private mutating func name() -> String {
        pick(["a", "x1", "_y", "in", "SELF", "größe", "FETCH_SOURCE", "nil"])
    }

    private mutating func keyPath() -> DottedKeyPath {
        let keys = [
            "a", "b2", "_c", "größe", "東京", "in", "AND", "First", "size", "self", "nil", "true", "union", "minus",
            "cast",
            "function", "subquery", "anykey", "truepredicate", "e3", "x", "@count", "@sum", "@distinctUnionOfObjects",
            "@first", "fetch", "ci", "not", "uti",
        ]
        return DottedKeyPath(keys: (0..<1 + chance(3)).map { _ in pick(keys) })
    }
}
