internal import Foundation
internal import PredicateSyntax

/// Comparisons of two values.
extension PredicateTranslator {
    func comparison(_ comparison: Comparison, _ boxes: BoxTable) throws -> Condition {
        if let condition = try existence(comparison, boxes) { return condition }
        let left = try operand(comparison.left, boxes)
        let right = try operand(comparison.right, boxes)
        let strings = StringComparison(comparison.options)
        let test = Test(operation: comparison.comparisonOperator, options: comparison.options, strings: strings)
        switch comparison.modifier {
        case .direct: return try condition(left, test: test, right: right)
        case .any: return try quantified(left, test: test, right: right, isAll: false)
        case .all: return try quantified(left, test: test, right: right, isAll: true)
        }
    }

    /// The operator and options of a comparison.
    struct Test {
        var operation: ComparisonOperator
        var options: ComparisonOptions
        var strings: StringComparison

        /// Returns the test with another operator.
        func replacingOperator(with operation: ComparisonOperator) -> Test {
            Test(operation: operation, options: options, strings: strings)
        }
    }

    /// Returns the COLLATE clause for comparing values of a type; empty if strings are compared by their code units.
    func collation(_ test: Test, _ type: SQLType) throws -> SQLFragment {
        guard type == .string, !test.strings.isPlain else { return "" }
        return try collation(test)
    }

    /// Returns the COLLATE clause for comparing strings.
    private func collation(_ test: Test) throws -> SQLFragment {
        guard let name = dialect.collation(test.options) else { throw Untranslatable() }
        return " COLLATE \(word: name)"
    }

    func condition(_ left: Operand, test: Test, right: Operand) throws -> Condition {
        switch test.operation {
        case .in: return try membership(of: left, in: right, test)
        case .contains: return try membership(of: right, in: left, test)
        case .between: return try between(left, bounds: right, test: test)
        case .beginsWith, .endsWith, .like, .matches: return try pattern(left, test: test, pattern: right)
        case .equal: return try equality(left, test: test, right: right)
        case .notEqual:
            guard let condition = try inequality(left, test: test, right: right) else { throw Untranslatable() }
            return condition
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            return try order(left, test: test, right: right)
        case .customSelector: throw Untranslatable()
        }
    }

    /// Returns two values in comparable form: a Boolean is converted to a number if the other value is one.
    private func aligned(
        _ left: (sql: SQLFragment, type: SQLType), _ right: (sql: SQLFragment, type: SQLType)
    ) -> (SQLFragment, SQLFragment) {
        if left.type == right.type { return (left.sql, right.sql) }
        return (number(left), number(right))
    }

    /// Returns a value for calculations: a Boolean is converted to a number.
    func number(_ value: (sql: SQLFragment, type: SQLType)) -> SQLFragment {
        value.type == .boolean ? dialect.number(value.sql) : value.sql
    }

    // MARK: Equality

    private func equality(_ left: Operand, test: Test, right: Operand) throws -> Condition {
        switch (left, right) {
        case (.constant(let left), .constant(let right)): return .value(test.strings.equal(left, right))
        case (.constant, _): return try equality(right, test: test, right: left)
        case (.scalar(let sql, _), .constant(.null)), (.opaque(let sql), .constant(.null)):
            return Condition(sql: "\(sql) IS NULL", isNullable: false)
        case (.scalar(let sql, let type), .constant(let value)):
            guard let constant = dialect.constant(value)?.compared(with: type) else {
                guard value.isNeverScalar else { throw Untranslatable() }
                return .never
            }
            guard type.canEqual(constant.type) else { return .never }
            let (first, second) = aligned((sql, type), constant.value)
            return Condition(sql: "\(first) = \(second)\(try collation(test, type))")
        case (.scalar(let left, let type), .scalar(let right, let other)):
            guard type.canEqual(other) else {
                return Condition(sql: "\(left) IS NULL AND \(right) IS NULL", isNullable: false)
            }
            let (first, second) = aligned((left, type), (right, other))
            return Condition(
                sql: "\(first) \(word: dialect.sameAs) \(second)\(try collation(test, type))", isNullable: false)
        case (.composite(let group), .constant(.null)): return try group.isNull
        case (.object(let object), .constant(let value)): return try equality(object, value)
        case (.object(let one), .object(let other)): return equality(one, other)
        case (.entity(let object), .constant(let value)): return try isEntity(object, value)
        default: throw Untranslatable()
        }
    }

    private func inequality(_ left: Operand, test: Test, right: Operand) throws -> Condition? {
        switch (left, right) {
        case (.constant, .scalar): return try inequality(right, test: test, right: left)
        case (.scalar(let sql, let type), .constant(let value)):
            // Also true for nil, with a single operator.
            guard !value.isNull, let constant = dialect.constant(value)?.compared(with: type),
                type.canEqual(constant.type)
            else { break }
            let (first, second) = aligned((sql, type), constant.value)
            return Condition(
                sql: "\(first) \(word: dialect.differentFrom) \(second)\(try collation(test, type))",
                isNullable: false)
        default: break
        }
        return try equality(left, test: test, right: right).negated
    }

    private func equality(_ object: ObjectReference, _ value: PredicateValue) throws -> Condition {
        if value.isNull {
            return object.isOptional ? Condition(sql: "\(object.key) IS NULL", isNullable: false) : .never
        }
        guard let key = key(of: value, in: object.entity) else { return .never }
        return Condition(sql: "\(object.key) = \(argument: .integer(key))", isNullable: object.isOptional)
    }

    /// Returns the key of an object or ID that a reference to an entity's objects may equal, or `nil` for any other
    /// value.
    func key(of value: PredicateValue, in entity: FetchEntity) -> Int64? {
        let id: NSManagedObjectID?
        switch value {
        case .slotted(let object): id = object.predicateIdentity as? NSManagedObjectID
        case .other(let other): id = other.value as? NSManagedObjectID
        default: id = nil
        }
        guard let id, id.layout.rootName == entity.layout.rootName else { return nil }
        return model.key(id)
    }

    private func equality(_ one: ObjectReference, _ other: ObjectReference) -> Condition {
        let areSame = one.entity.mapping.table == other.entity.mapping.table
        if one.isOptional && other.isOptional {
            let sql: SQLFragment =
                areSame
                ? "\(one.key) \(word: dialect.sameAs) \(other.key)" : "\(one.key) IS NULL AND \(other.key) IS NULL"
            return Condition(sql: sql, isNullable: false)
        }
        guard areSame else { return .never }
        return Condition(sql: "\(one.key) = \(other.key)", isNullable: one.isOptional || other.isOptional)
    }

    /// `entity == %@`
    private func isEntity(_ object: ObjectReference, _ value: PredicateValue) throws -> Condition {
        guard case .other(let other) = value, let entity = other.value as? NSEntityDescription,
            let mapping = model.mapping(named: entity.name ?? "")
        else { throw Untranslatable() }
        return Condition(
            sql: "\(try object.entityNumber()) = \(argument: .integer(Int64(mapping.number)))",
            isNullable: object.isOptional)
    }

    // MARK: Order

    private func order(_ left: Operand, test: Test, right: Operand) throws -> Condition {
        if case .constant(let first) = left, case .constant(let second) = right {
            guard !first.isNull, !second.isNull else { return .never }
            guard let one = dialect.constant(first), let other = dialect.constant(second),
                one.type.isOrdered(with: other.type)
            else { throw Untranslatable() }
            let rule = OrderRule(accepted: test.operation.acceptedOrders, strings: test.strings)
            return .value(rule.holds(first, second))
        }
        if left.isNull || right.isNull { return .never }
        let (first, second) = (try scalar(left), try scalar(right))
        // The evaluator treats this as misuse.
        guard first.type.isOrdered(with: second.type) else { throw Untranslatable() }
        let sign = test.operation.symbol
        guard first.type == .string, !test.strings.isNormalized else {
            let (left, right) = aligned(first, second)
            return Condition(sql: "\(left) \(word: sign) \(right)")
        }
        guard dialect.collation(test.options) != nil else {
            // The evaluator decides on the rows within the bound.
            guard let bound = lowerBound(left, test: test, right: right) else { throw Untranslatable() }
            return Condition(sql: bound, isExact: false)
        }
        let exact: SQLFragment =
            "\(first.sql) \(word: sign) \(second.sql)\(try collation(test))"
        return Condition(sql: lowerBound(left, test: test, right: right).map { "\($0) AND \(exact)" } ?? exact)
    }

    /// Returns a condition on a column's bytes that is `true` whenever the column is greater than an ASCII string, and
    /// that an index supports: either the first differing characters are both ASCII, or the column's is not and its
    /// bytes are greater.
    private func lowerBound(_ left: Operand, test: Test, right: Operand) -> SQLFragment? {
        guard test.strings.isPlain else { return nil }
        let bound: (SQLFragment, Operand)
        switch (test.operation, left, right) {
        case (.greaterThan, .scalar(let sql, _), _), (.greaterThanOrEqual, .scalar(let sql, _), _): bound = (sql, right)
        case (.lessThan, _, .scalar(let sql, _)), (.lessThanOrEqual, _, .scalar(let sql, _)): bound = (sql, left)
        default: return nil
        }
        guard case .constant(.string(let text)) = bound.1, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return "\(bound.0) >= \(argument: .text(text))"
    }

    /// `BETWEEN`, both bounds included.
    private func between(_ value: Operand, bounds: Operand, test: Test) throws -> Condition {
        let (lower, upper): (Operand, Operand)
        switch bounds {
        case .list(let list) where list.count == 2: (lower, upper) = (list[0], list[1])
        case .constant(.collection(let list)) where list.count == 2:
            (lower, upper) = (.constant(list.elements[0]), .constant(list.elements[1]))
        default: throw Untranslatable()
        }
        let (isAbove, isBelow) = (
            test.replacingOperator(with: .greaterThanOrEqual), test.replacingOperator(with: .lessThanOrEqual)
        )
        // The evaluator only checks the upper bound if the lower one is met; nil makes both false.
        let parts = [try order(value, test: isAbove, right: lower), try order(value, test: isBelow, right: upper)]
        return Condition.all(parts) ?? .never
    }
}

extension PredicateValue {
    /// Whether no attribute that SQL can compare equals the value.
    fileprivate var isNeverScalar: Bool {
        switch self {
        case .collection, .dictionary, .slotted, .readable: true
        case .other(let other): other.value is NSManagedObjectID
        default: false
        }
    }
}

extension ComparisonOperator {
    /// The orders that `<`, `<=`, `>` and `>=` accept.
    fileprivate var acceptedOrders: AcceptedOrders {
        switch self {
        case .lessThan: .ascending
        case .lessThanOrEqual: [.ascending, .same]
        case .greaterThan: .descending
        default: [.descending, .same]
        }
    }
}
