internal import Foundation
internal import PredicateSyntax

/// Arithmetic and functions.
extension PredicateTranslator {
    func function(_ call: FunctionCall, _ boxes: BoxTable) throws -> Operand {
        if PredicateSyntax.Expression.function(call).isConstant {
            return .constant(try folded(.function(call), boxes))
        }
        guard call.operand == nil, !call.selector.hasPrefix("random") else { throw Untranslatable() }
        if groups != nil, let value = try valueOfRows(call, boxes) { return value }
        let operands = try call.arguments.map { try operand($0, boxes) }
        if call.selector == "noindex:", operands.count == 1 { return operands[0] }
        if operands.count == 1, case .collection(let collection) = operands[0] {
            return try aggregate(call.selector, Self.allValues(collection, call.arguments[0]))
        }
        // Functions of nil are nil, except for aggregates.
        if operands.contains(where: \.isNull), !Self.aggregates.contains(call.selector) { return .constant(.null) }
        if call.selector == FunctionCall.castSelector { return try cast(operands) }
        let arguments = try operands.map { try scalar($0) }
        if arguments.count == 2, let operation = ArithmeticOperator(rawValue: call.selector),
            let result = native(operation, left: arguments[0], right: arguments[1], divisor: operands[1])
        {
            return .scalar(result.sql, result.type)
        }
        guard let type = Self.resultType(call.selector, arguments.map(\.type)) else { throw Untranslatable() }
        // SQL turns NaN into NULL, which the evaluator does not treat as nil.
        switch call.selector {
        case "raise:toPower:":
            guard arguments.allSatisfy(\.type.isWhole) else { throw Untranslatable() }
        case "divide:by:", "modulus:by:":
            guard arguments.allSatisfy(\.type.isWhole) || operands[1].isNonzero else { throw Untranslatable() }
        default: break
        }
        guard let sql = dialect.call(call.selector, arguments.map { (number($0), $0.type) }) else {
            throw Untranslatable()
        }
        return .scalar(sql, type)
    }

    /// Returns an aggregate over the rows of a group, or `nil` for any other function. Missing values are ignored, as
    /// in SQL.
    private func valueOfRows(_ call: FunctionCall, _ boxes: BoxTable) throws -> Operand? {
        guard Self.aggregates.contains(call.selector), call.arguments.count == 1, let outer = groups else { return nil }
        var argument = call.arguments[0]
        var isDistinct = false
        if case .function(let inner) = argument, inner.selector == "distinct:", inner.arguments.count == 1 {
            (argument, isDistinct) = (inner.arguments[0], true)
        }
        groups?.isAggregate = true
        groups?.isGrouped = false
        defer {
            // Nothing within the aggregate was read from a single row.
            groups?.reads = outer.reads
            groups?.readsMembers = outer.readsMembers
            groups?.isGrouped = outer.isGrouped
        }
        let distinct: SQLFragment = isDistinct ? "DISTINCT " : ""
        switch try operand(argument, boxes) {
        case .object(let object) where call.selector == "count:":
            return .scalar("COUNT(\(distinct)\(object.key))", .integer)
        case .scalar(let sql, let type):
            if call.selector == "count:" { return .scalar("COUNT(\(distinct)\(sql))", .integer) }
            guard let aggregate = Aggregate(selector: call.selector), let result = aggregate.resultType(of: type),
                !isDistinct || aggregate.isOfDistinctValues
            else { throw Untranslatable() }
            if type == .decimal, !aggregate.isOfDistinctValues {
                guard let exact = dialect.exactAggregate(aggregate, sql) else { throw Untranslatable() }
                return .exactDecimal(exact)
            }
            guard let call = dialect.aggregate(aggregate, (number((sql, type)), type), skipsNull: true) else {
                throw Untranslatable()
            }
            return .scalar(call, result)
        case .collection(let collection) where outer.isGrouped:
            guard !isDistinct else { throw Untranslatable() }
            return try total(call.selector, Self.allValues(collection, argument))
        case .collection:
            groups = outer
            return nil
        default: throw Untranslatable()
        }
    }

    /// Returns the aggregate over the collections of all rows of a group.
    private func total(_ selector: String, _ collection: RowCollection) throws -> Operand {
        let part: (sql: SQLFragment, type: SQLType)
        let whole: Aggregate
        if selector == "count:" {
            (part, whole) = ((count(collection), .integer), .sum)
        } else {
            // An average of averages is another number.
            guard let aggregate = Aggregate(selector: selector), aggregate != .average else { throw Untranslatable() }
            (part, whole) = (try reduced(collection, aggregate), aggregate)
        }
        guard part.type != .decimal || whole.isOfDistinctValues, let type = whole.resultType(of: part.type),
            let sql = dialect.aggregate(whole, part, skipsNull: true)
        else { throw Untranslatable() }
        return .scalar(sql, type)
    }

    /// Returns the collection of a function's argument: for a key path, it has the values of all members.
    private static func allValues(
        _ collection: RowCollection, _ argument: PredicateSyntax.Expression
    ) -> RowCollection {
        guard case .keyPath = argument, collection.isDistinct else { return collection }
        var all = collection
        all.values = .all
        return all
    }

    private static let aggregates: Set<String> = ["sum:", "count:", "min:", "max:", "average:"]

    /// Returns an aggregate of a collection's elements. A `nil` collection counts as empty.
    private func aggregate(_ selector: String, _ collection: RowCollection) throws -> Operand {
        if selector == "count:" { return .scalar(count(collection), .integer) }
        guard let aggregate = Aggregate(selector: selector) else { throw Untranslatable() }
        let (sql, type) = try reduced(collection, aggregate)
        return .scalar(sql, type)
    }

    /// `CAST(value, "type")`
    private func cast(_ operands: [Operand]) throws -> Operand {
        guard operands.count == 2, case .constant(.string(let name)) = operands[1] else { throw Untranslatable() }
        if case .object = operands[0] { return operands[0] }
        let (sql, type) = try scalar(operands[0])
        switch (name, type) {
        case ("NSDate", .date), ("NSString", .string), ("NSUUID", .uuid), ("NSDecimalNumber", .decimal):
            return operands[0]
        case ("NSDate", _) where type.isNumber: return .scalar(dialect.real(sql), .date)
        case ("NSNumber", .date): return .scalar(dialect.real(sql), .real)
        case ("NSNumber", _) where type.isNumber: return operands[0]
        default: throw Untranslatable()
        }
    }

    // MARK: Arithmetic

    private typealias Value = (sql: SQLFragment, type: SQLType)

    /// Returns the result of a database's own operator if it equals the evaluator's, which it does for integers and
    /// real numbers; otherwise `nil`. Real numbers must be divided by a constant, because SQL has no infinity for a
    /// divisor of zero.
    private func native(
        _ operation: ArithmeticOperator, left: Value, right: Value, divisor: Operand
    ) -> Value? {
        guard
            let sql = dialect.arithmetic(operation, left: (number(left), left.type), right: (number(right), right.type))
        else {
            return nil
        }
        switch (left.type, right.type) {
        // SQLite stores whole seconds as integers.
        case (.date, .date) where operation == .subtract:
            return ("(\(dialect.real(left.sql)) - \(right.sql))", .real)
        case (.date, .integer), (.date, .real): return [.add, .subtract].contains(operation) ? (sql, .date) : nil
        case (.integer, .date), (.real, .date): return operation == .add ? (sql, .date) : nil
        default: break
        }
        let plain: [SQLType] = [.boolean, .integer, .real, .number]
        guard plain.contains(left.type), plain.contains(right.type) else { return nil }
        let areWhole = left.type.isWhole && right.type.isWhole
        let isReal = left.type == .real || right.type == .real
        switch operation {
        // A result that overflows 64 bits becomes real in both SQL and the evaluator.
        case .add, .subtract, .multiply: return (sql, isReal ? .real : .number)
        case .divide:
            guard areWhole || divisor.isNonzero else { return nil }
            return (sql, areWhole ? .integer : isReal ? .real : .number)
        case .power: return nil
        }
    }

    /// Returns the type of a function's result, or `nil` for functions that are not translated and for arguments that
    /// they do not support.
    private static func resultType(_ selector: String, _ types: [SQLType]) -> SQLType? {
        switch (selector, types.count) {
        case ("add:to:", 2), ("from:subtract:", 2), ("multiply:by:", 2), ("divide:by:", 2), ("raise:toPower:", 2),
            ("modulus:by:", 2):
            return arithmeticType(selector, left: types[0], right: types[1])
        case ("exp:", 1): return types[0].isNumber ? .real : nil
        case ("floor:", 1), ("ceiling:", 1), ("trunc:", 1):
            return types[0] == .integer ? .integer : types[0].isNumber ? .number : nil
        case ("abs:", 1):
            return types[0] == .decimal ? .decimal : types[0].isNumber ? .number : nil
        case ("bitwiseAnd:with:", 2), ("bitwiseOr:with:", 2), ("bitwiseXor:with:", 2), ("leftshift:by:", 2),
            ("rightshift:by:", 2):
            return types.allSatisfy(\.isNumber) ? .integer : nil
        case ("onesComplement:", 1): return types[0].isNumber ? .integer : nil
        case ("uppercase:", 1), ("lowercase:", 1), ("canonical:", 1): return types[0] == .string ? .string : nil
        case ("length:", 1): return types[0] == .string ? .integer : nil
        default: return nil
        }
    }

    private static func arithmeticType(_ selector: String, left: SQLType, right: SQLType) -> SQLType? {
        guard left.isNumber, right.isNumber else { return nil }
        switch (left, right) {
        case (.decimal, .real), (.real, .decimal): return .real
        case (.decimal, .number), (.number, .decimal): return nil
        case (.decimal, _), (_, .decimal):
            switch selector {
            // Powers are real, and a quotient may have more digits than a column can store.
            case "raise:toPower:", "modulus:by:": return .real
            case "divide:by:": return nil
            default: return .decimal
            }
        case (.real, _), (_, .real): return .real
        default: return .number
        }
    }
}

extension Operand {
    /// Whether the operand is `nil` for every row.
    var isNull: Bool {
        if case .constant(.null) = self { return true }
        return false
    }

    /// Whether the operand is a nonzero constant number.
    fileprivate var isNonzero: Bool {
        guard case .constant(let value) = self else { return false }
        switch value {
        case .integer(let number): return number != 0
        case .real(let number): return number != 0
        default: return false
        }
    }
}
