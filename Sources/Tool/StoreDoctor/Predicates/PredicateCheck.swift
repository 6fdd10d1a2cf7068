package import CoreData
internal import Diagnostics
package import Foundation
internal import PredicateSyntax

/// Parses the text of a predicate and finds its errors before the runtime, which would trap on them, uses it.
///
/// A string that is compared with a date, UUID or URI stands for such a value.
package struct PredicateCheck {
    /// An error in a predicate.
    package struct Failure: Error {
        /// The problem, in one sentence without a period.
        package var message: String
        /// What to do about it.
        package var help: String?
        /// The range of the error in the predicate's text, in UTF-16 units as in JavaScript.
        package var range: [Int]?

        fileprivate init(_ message: String, help: String? = nil, range: [Int]?) {
            self.message = message
            self.help = help
            self.range = range
        }
    }

    private let text: String
    private let entity: NSEntityDescription
    private var variables: [(name: String, kind: ValueKind)] = []
    private var arguments: [Any] = []

    private typealias Expression = PredicateSyntax.Expression
    private typealias Predicate = PredicateSyntax.Predicate

    /// Parses a predicate.
    ///
    /// - Returns: The predicate; `nil` for a blank text.
    /// - Throws: `Failure` with the range of the error.
    package static func predicate(_ text: String, _ entity: NSEntityDescription) throws(Failure) -> NSPredicate? {
        guard !text.allSatisfy(\.isWhitespace) else { return nil }
        var check = PredicateCheck(text: text, entity: entity)
        let tree: Predicate
        do throws(PredicateSyntaxError) {
            tree = try PredicateParser.parsePredicate(text)
        } catch {
            var help = error.hint ?? Self.suggestion(at: error.range, in: text)
            if help == nil, !error.expected.isEmpty { help = "Expected \(error.expected.joined(separator: ", "))." }
            throw Failure(error.message, help: help, range: check.range(error.range))
        }
        let checked = try check.checked(tree)
        let format = PredicatePrinter(numberStyle: .typed).string(for: checked)
        // The printed format must be parseable, which it is not if a key is not an identifier, for example.
        guard (try? PredicateParser.parsePredicate(format)) != nil else {
            throw Failure("the predicate cannot be written as a format string", range: nil)
        }
        return NSPredicate(format: format, argumentArray: check.arguments)
    }

    private init(text: String, entity: NSEntityDescription) {
        self.text = text
        self.entity = entity
    }

    /// The words between the parts of a predicate.
    private static let keywords = [
        "ALL", "AND", "ANY", "BEGINSWITH", "BETWEEN", "CONTAINS", "ENDSWITH", "IN", "LIKE", "MATCHES", "NONE", "NOT",
        "OR",
        "SUBQUERY",
    ]

    /// Returns a question about the word at which the syntax ends, if it resembles a keyword.
    private static func suggestion(at range: Range<Int>, in text: String) -> String? {
        let rest = text.utf8.dropFirst(range.lowerBound)
        let word = String(
            decoding: rest.prefix { UInt8(ascii: "A")...UInt8(ascii: "z") ~= $0 && $0 != UInt8(ascii: "[") },
            as: UTF8.self)
        guard !keywords.contains(word.uppercased()), let close = EditDistance.closest(to: word, among: keywords) else {
            return nil
        }
        return "Did you mean “\(close)”?"
    }

    // MARK: Places

    /// Converts a range of UTF-8 offsets to UTF-16 offsets, which JavaScript uses.
    private func range(_ range: Range<Int>) -> [Int] {
        func offset(_ bytes: Int) -> Int {
            String(decoding: text.utf8.prefix(bytes), as: UTF8.self).utf16.count
        }
        return [offset(range.lowerBound), offset(range.upperBound)]
    }

    /// Returns a problem at the first occurrence of a word in the text.
    private func problem(_ message: String, help: String? = nil, at word: String? = nil) -> Failure {
        var found: [Int]?
        if let word, let position = text.range(of: word, options: .caseInsensitive) {
            found = [text.utf16.distance(from: text.startIndex, to: position.lowerBound), 0]
            found?[1] = text.utf16.distance(from: text.startIndex, to: position.upperBound)
        }
        return Failure(message, help: help, range: found ?? [0, text.utf16.count])
    }

    // MARK: Predicates

    private mutating func checked(_ predicate: Predicate) throws(Failure) -> Predicate {
        switch predicate {
        case .value: return predicate
        case .block: throw problem("blocks are not supported")
        case .not(let operand): return .not(try checked(operand))
        case .and(let operands): return .and(try checked(operands))
        case .or(let operands): return .or(try checked(operands))
        case .comparison(let comparison): return .comparison(try checked(comparison))
        }
    }

    private mutating func checked(_ operands: [Predicate]) throws(Failure) -> [Predicate] {
        var result: [Predicate] = []
        for operand in operands { result.append(try checked(operand)) }
        return result
    }

    private mutating func checked(_ comparison: Comparison) throws(Failure) -> Comparison {
        var result = comparison
        let isMembership = [.in, .between].contains(comparison.comparisonOperator)
        // The other side determines what a string stands for, so each side's kind is determined first, without side
        // effects.
        var left = try kind(of: comparison.left)
        let right = try kind(of: comparison.right)
        if comparison.modifier != .direct {
            guard case .collection(let element) = left else {
                throw problem(
                    "ANY and ALL need a to-many relationship", help: "Remove ANY or ALL.", at: position(comparison.left)
                )
            }
            left = element
        }
        let target = comparison.comparisonOperator == .contains ? left.element : left
        result.left = try rewritten(comparison.left, as: isMembership ? right.element : right)
        result.right = try rewritten(comparison.right, as: target)
        let (newLeft, newRight) = (
            Self.converted(left, expression: result.left, other: right),
            Self.converted(right, expression: result.right, other: target)
        )
        try check(comparison, left: newLeft, right: newRight)
        return result
    }

    /// Returns the kind of a side that may have been replaced by an argument.
    private static func converted(_ kind: ValueKind, expression: Expression, other: ValueKind) -> ValueKind {
        switch expression {
        case .placeholder: other
        case .aggregate(let elements):
            elements.isEmpty
                ? kind : .collection(elements.reduce(kind.element) { converted($0, expression: $1, other: other) })
        default: kind
        }
    }

    private func check(_ comparison: Comparison, left: ValueKind, right: ValueKind) throws(Failure) {
        let symbol = comparison.comparisonOperator.symbol
        let isValid: Bool
        switch comparison.comparisonOperator {
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            isValid = left.isOrdered && left.isComparable(with: right) && right.isOrdered
        case .equal, .notEqual: isValid = left.isComparable(with: right) && !left.isCollection && !right.isCollection
        case .beginsWith, .endsWith, .like, .matches: isValid = left == .text && right == .text
        case .contains:
            isValid = left == .text && right == .text || left.isCollection && left.element.isComparable(with: right)
        case .in:
            isValid = left == .text && right == .text || right.isCollection && left.isComparable(with: right.element)
        case .between:
            guard case .aggregate(let bounds) = comparison.right, bounds.count == 2 else {
                throw problem("BETWEEN needs two bounds", help: "Write, for example: {1, 10}.", at: symbol)
            }
            isValid = left.isOrdered && left.isComparable(with: right.element)
        case .customSelector: throw problem("custom selectors are not supported")
        }
        let isTransformable = [left.element, right.element].contains(.transformable)
        guard isValid, !isTransformable || [.equal, .notEqual].contains(comparison.comparisonOperator) else {
            throw mismatch(comparison, left: left, right: right)
        }
        if comparison.comparisonOperator == .matches { try checkPattern(comparison.right) }
    }

    private func mismatch(_ comparison: Comparison, left: ValueKind, right: ValueKind) -> Failure {
        let (symbol, position) = (comparison.comparisonOperator.symbol, position(comparison.left))
        let isOrder = [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual]
            .contains(comparison.comparisonOperator)
        if isOrder, left == right, !left.isCollection, !left.isOrdered, left != .transformable {
            return problem(
                "\(symbol) cannot compare \(left.name): such values have no order", help: "Use == or !=.", at: position)
        }
        var help: String?
        if left.isCollection || right.isCollection, ![.in, .contains].contains(comparison.comparisonOperator) {
            help = "Put ANY or ALL in front of a key path with a to-many relationship."
        } else if left == .date || right == .date {
            help = "Write dates as text, such as \"2026-01-31\" or \"2026-01-31T12:00:00Z\"."
        } else if left == .uuid || right == .uuid {
            help = "Write UUIDs as text, such as \"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"."
        } else if left == .transformable || right == .transformable {
            help = "Compare transformable attributes with nil, by == or !=."
        }
        return problem("\(symbol) cannot compare \(left.name) with \(right.name)", help: help, at: position)
    }

    private func checkPattern(_ expression: Expression) throws(Failure) {
        guard case .constant(.string(let pattern)) = expression else {
            throw problem("MATCHES needs a pattern in quotes", at: "MATCHES")
        }
        guard (try? NSRegularExpression(pattern: pattern)) != nil else {
            throw problem("invalid regular expression: “\(pattern)”", at: pattern)
        }
    }

    /// Returns the text of an expression, to locate it in the predicate.
    private func position(_ expression: Expression) -> String? {
        switch expression {
        case .keyPath(let path): path.keyPath.string
        default: nil
        }
    }

    // MARK: Expressions

    /// Returns an expression in which a string that stands for another kind of value is replaced by an argument.
    private mutating func rewritten(_ expression: Expression, as kind: ValueKind) throws(Failure) -> Expression {
        switch expression {
        case .constant(.string(let text)):
            guard let value = try value(text, kind) else { return expression }
            arguments.append(value)
            return .placeholder(Placeholder(index: arguments.count - 1, kind: .object, spelling: "%@"), of: nil)
        case .aggregate(let elements):
            var result: [Expression] = []
            for element in elements { result.append(try rewritten(element, as: kind.element)) }
            return .aggregate(result)
        case .keyPath(var path):
            guard let operand = path.operand else { return expression }
            path.operand = try rewritten(operand, as: .null)
            return .keyPath(path)
        case .subquery(var subquery):
            variables.append((subquery.variable, try self.kind(of: subquery.collection).element))
            defer { variables.removeLast() }
            subquery.predicate = try checked(subquery.predicate)
            return .subquery(subquery)
        default: return expression
        }
    }

    private func value(_ text: String, _ kind: ValueKind) throws(Failure) -> Any? {
        switch kind {
        case .date:
            guard let date = DateText.date(text) else {
                throw problem("“\(text)” is not a date", help: "Write, for example, \"2026-01-31\".", at: text)
            }
            return date
        case .uuid:
            guard let uuid = UUID(uuidString: text) else { throw problem("“\(text)” is not a UUID", at: text) }
            return uuid
        case .uri:
            guard let url = URL(string: text) else { throw problem("“\(text)” is not a URI", at: text) }
            return url
        default: return nil
        }
    }

    private func kind(of expression: Expression) throws(Failure) -> ValueKind {
        switch expression {
        case .constant(let constant): return try kind(of: constant)
        case .evaluatedObject: return .object(entity)
        case .variable(let name): return try variable(name)
        case .keyPath(let path):
            let start =
                try path.operand.map { operand throws(Failure) in try kind(of: operand) } ?? .object(entity)
            do throws(KeyPathKind.Failure) {
                return try KeyPathKind.follow(path.keyPath.keys, from: start)
            } catch {
                throw problem(error.message, help: error.help, at: error.key)
            }
        case .function(let call): return try kind(of: call)
        case .subquery(let subquery):
            let collection = try kind(of: subquery.collection)
            guard case .collection(.object) = collection else {
                throw problem("SUBQUERY needs a to-many relationship", at: "SUBQUERY")
            }
            var inner = self
            inner.variables.append((subquery.variable, collection.element))
            _ = try inner.checked(subquery.predicate)
            return collection
        case .aggregate(let elements):
            var element = ValueKind.null
            for next in elements {
                let kind = try kind(of: next)
                guard kind.isComparable(with: element) else {
                    throw problem("a list needs values of one type", at: "{")
                }
                if kind != .null { element = kind }
            }
            return .collection(element)
        case .placeholder(let placeholder, _):
            throw problem(
                "there is no argument for “\(placeholder.spelling)”", help: "Write the value.", at: placeholder.spelling
            )
        default: throw problem("unsupported expression: “\(PredicatePrinter().string(for: expression))”")
        }
    }

    private func variable(_ name: String) throws(Failure) -> ValueKind {
        guard let found = variables.last(where: { $0.name == name }) else {
            throw problem("there is no value for “$\(name)”", help: "Write the value.", at: "$\(name)")
        }
        return found.kind
    }

    private func kind(of constant: Constant) throws(Failure) -> ValueKind {
        switch constant {
        case .null: .null
        case .string: .text
        case .integer, .real, .boolean: .number
        default: throw problem("unsupported value: “\(PredicatePrinter().string(for: .constant(constant)))”")
        }
    }

    private static let textFunctions: Set = ["uppercase:", "lowercase:", "canonical:"]

    private func kind(of call: FunctionCall) throws(Failure) -> ValueKind {
        guard call.operand == nil else { throw problem("methods cannot be called", at: "FUNCTION") }
        var kinds: [ValueKind] = []
        for argument in call.arguments { kinds.append(try kind(of: argument)) }
        if let arithmetic = call.arithmetic, arithmetic.operator != .power, kinds.allSatisfy({ $0 == .number }) {
            return .number
        }
        switch call.selector {
        case "now" where kinds.isEmpty: return .date
        case _ where Self.textFunctions.contains(call.selector) && kinds == [.text]: return .text
        case "length:" where kinds == [.text]: return .number
        case "abs:" where kinds == [.number]: return .number
        case "count:" where kinds.count == 1 && kinds[0].isCollection: return .number
        case "castObject:toType:":
            if kinds.first == .number, call.arguments.last == .constant(.string("NSDate")) { return .date }
        default: break
        }
        throw problem(
            "unsupported function, or wrong arguments: “\(PredicatePrinter().string(for: .function(call)))”",
            help:
                "Supported are arithmetic on numbers, uppercase, lowercase, canonical, length, abs, count, now(), and "
                + "CAST(seconds, \"NSDate\").")
    }
}

extension ValueKind {
    /// The kind of a collection's elements; the kind itself for others.
    package var element: ValueKind { if case .collection(let element) = self { element } else { self } }
}
