internal import Foundation
internal import PredicateSyntax

/// Translates predicates on the rows of an entity to SQL.
///
/// The result equals that of `PredicateEvaluator` for the same objects, including `nil`, numbers of all types, dates
/// and strings. A part that SQL cannot express this way is omitted from an AND; otherwise the whole predicate is. The
/// resulting condition is then `true` for more rows, which the evaluator filters. Predicates that Apple's SQLite store
/// rejects with an exception are rejected: those with blocks, transient properties, or keys that are not properties of
/// the entity.
package final class PredicateTranslator {
    let model: FetchModel
    /// `SELF`.
    let root: ObjectReference
    /// The elements of the subqueries that enclose the part being translated.
    var locals: [String: ObjectReference] = [:]
    /// The aggregates of groups of rows; `nil` if rows are not grouped.
    var groups: GroupContext?
    private var depth = 0

    /// Expressions over the rows of a group.
    struct GroupContext {
        /// The columns of the result, which conditions of groups refer to as variables.
        var columns: [String: Operand] = [:]
        /// The values that were read from a single row, outside of aggregates.
        var reads: [SQLFragment] = []
        /// Whether members of to-many relationships of a single row were read, outside of aggregates.
        var readsMembers = false
        /// Whether an aggregate was encountered.
        var isAggregate = false
        /// Whether a to-many relationship has the members of all rows of a group, and not of one row.
        var isGrouped = false
    }

    var dialect: any SQLDialect { model.dialect }

    package init(_ model: FetchModel, root: ObjectReference) {
        self.model = model
        self.root = root
    }

    /// Returns the predicate in SQL, or `nil` if SQL cannot express any of it.
    ///
    /// - Throws: `UnsupportedRequest`.
    package func condition(_ predicate: NSPredicate) throws -> Condition? {
        DeepPredicates.record(predicate)
        return try condition(.object(predicate))
    }

    func condition(_ source: PredicateSource) throws -> Condition? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= dialect.limits.depth else { return nil }
        switch source.kind {
        case .answer(let answer): return .value(answer)
        case .embedded(let predicate): return try condition(.object(predicate))
        case .code(let predicate):
            // Another class may have its own evaluation.
            guard type(of: predicate) == NSPredicate.self else { return nil }
            throw UnsupportedRequest(description: "Unsupported predicate BLOCKPREDICATE")
        case .not(let operand): return try condition(operand)?.negated
        case .comparison(let comparison, let boxes):
            do {
                return try self.comparison(comparison, boxes)
            } catch is Untranslatable {
                return nil
            }
        case .compound(let parts, let isAnd):
            let conditions = try Self.flattened(parts, isAnd).map { try condition($0) }
            return isAnd ? .all(conditions) : .any(conditions)
        }
    }

    /// Returns the predicate in SQL with nothing omitted.
    func exactCondition(_ predicate: PredicateSyntax.Predicate, _ boxes: BoxTable) throws -> Condition {
        guard let condition = try condition(.tree(predicate, boxes)), condition.isExact else { throw Untranslatable() }
        return condition
    }

    /// Returns the parts of a compound, including those of nested compounds of the same kind: predicates that were
    /// combined one by one are nested deeply.
    private static func flattened(_ parts: [PredicateSource], _ isAnd: Bool) -> [PredicateSource] {
        var result: [PredicateSource] = []
        var open: [PredicateSource] = parts.reversed()
        while let part = open.popLast() {
            switch part.kind {
            case .compound(let inner, isAnd): open += inner.reversed()
            case .embedded(let predicate): open.append(.object(predicate))
            case .answer, .comparison, .not, .compound, .code: result.append(part)
            }
        }
        return result
    }

    // MARK: Expressions

    /// Returns the value of an expression.
    func operand(_ expression: PredicateSyntax.Expression, _ boxes: BoxTable) throws -> Operand {
        depth += 1
        defer { depth -= 1 }
        guard depth <= dialect.limits.depth else { throw Untranslatable() }
        switch expression {
        case .constant(let constant): return .constant(boxes.value(of: constant))
        case .evaluatedObject: return .object(root)
        case .variable(let name):
            if let object = locals[name] { return .object(object) }
            guard let column = groups?.columns[name] else { throw Untranslatable() }
            return column
        case .keyPath(let path):
            if groups?.isGrouped == true, case .function(let call) = expression.asDerivation,
                call.selector != "average:"
            {
                return try function(call, boxes)
            }
            let start = try path.operand.map { try operand($0, boxes) } ?? .object(root)
            let value = try follow(path.keyPath.keys[...], from: start)
            recordRead(value)
            return value
        case .function(let call): return try function(call, boxes)
        case .subquery(let query): return .collection(try subquery(query, boxes))
        case .aggregate(let elements):
            let operands = try elements.map { try operand($0, boxes) }
            var values: [PredicateValue] = []
            for case .constant(let value) in operands { values.append(value) }
            guard values.count == operands.count else { return .list(operands) }
            return .constant(.collection(PredicateCollection(values, kind: .array)))
        case .conditional(let predicate, let first, let second):
            return try conditional(predicate, first: first, second: second, boxes: boxes)
        case .predicate(let predicate):
            let condition = try exactCondition(predicate, boxes)
            if let answer = condition.answer { return .constant(.boolean(answer)) }
            return .scalar(dialect.truth(of: condition.sql(dialect)), .boolean)
        case .union, .intersect, .minus: return .constant(try folded(expression, boxes))
        case .block: throw UnsupportedRequest(description: "Unsupported function expression \(expression)")
        case .fetch(let fetch):
            guard case .constant = fetch.request, case .constant = fetch.context else { throw Untranslatable() }
            return .constant(try folded(expression, boxes))
        case .anyKey, .element, .assignment, .placeholder: throw Untranslatable()
        }
    }

    private func recordRead(_ value: Operand) {
        guard groups != nil else { return }
        switch value {
        case .scalar(let sql, _), .opaque(let sql): groups?.reads.append(sql)
        case .composite(let group): groups?.reads += group.elements.map(\.value)
        case .object(let object), .entity(let object): groups?.reads.append(object.key)
        case .constant, .exactDecimal, .collection, .list: break
        }
    }

    private func conditional(
        _ predicate: PredicateSyntax.Predicate, first: PredicateSyntax.Expression,
        second: PredicateSyntax.Expression, boxes: BoxTable
    ) throws -> Operand {
        let condition = try exactCondition(predicate, boxes)
        let (first, second) = (try operand(first, boxes), try operand(second, boxes))
        if let answer = condition.answer { return answer ? first : second }
        let (one, other) = (try scalar(first), try scalar(second))
        guard one.type == other.type else { throw Untranslatable() }
        return .scalar("CASE WHEN \(condition.sql(dialect)) THEN \(one.sql) ELSE \(other.sql) END", one.type)
    }

    /// Returns a scalar value or constant with its type.
    func scalar(_ operand: Operand) throws -> (sql: SQLFragment, type: SQLType) {
        switch operand {
        case .scalar(let sql, let type): return (sql, type)
        case .constant(let value):
            guard let constant = dialect.constant(value) else { throw Untranslatable() }
            return ("\(argument: constant.argument)", constant.type)
        case .exactDecimal, .opaque, .composite, .object, .entity, .collection, .list: throw Untranslatable()
        }
    }

    /// Returns the value of an expression that does not depend on a row.
    func folded(_ expression: PredicateSyntax.Expression, _ boxes: BoxTable) throws -> PredicateValue {
        guard expression.isConstant else { throw Untranslatable() }
        let compiler = NodeCompiler()
        let node = compiler.node(expression, boxes)
        var frame = EvaluationFrame(size: compiler.size, bindings: nil)
        return node.value(of: .null, in: &frame)
    }
}

extension PredicateSyntax.Expression {
    /// Whether the expression has the same value for every row and at any time.
    var isConstant: Bool {
        switch self {
        case .constant: true
        // Executed once per request.
        case .fetch(let fetch): fetch.request.isConstant && fetch.context.isConstant
        case .aggregate(let elements): elements.allSatisfy(\.isConstant)
        case .union(let left, let right), .intersect(let left, let right), .minus(let left, let right):
            left.isConstant && right.isConstant
        case .function(let call):
            !call.selector.hasPrefix("random") && call.operand == nil && call.arguments.allSatisfy(\.isConstant)
        case .evaluatedObject, .variable, .keyPath, .subquery, .anyKey, .block, .conditional, .element, .assignment,
            .predicate, .placeholder:
            false
        }
    }
}
