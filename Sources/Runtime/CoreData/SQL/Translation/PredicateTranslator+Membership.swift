internal import Foundation
internal import PredicateSyntax

/// `IN` and `CONTAINS`, `ANY` and `ALL`.
extension PredicateTranslator {
    /// Returns the condition that an operand is an element or a substring of another.
    func membership(of element: Operand, in whole: Operand, _ test: Test) throws -> Condition {
        switch whole {
        case .constant(.null): return .never
        case .constant(.string), .scalar(_, .string):
            return try search(whole, kind: .contains, test: test, pattern: element)
        case .constant(let value):
            guard let elements = value.elements else { throw Untranslatable() }
            return try membership(of: element, among: elements, test)
        case .list(let operands):
            let equal = test.replacingOperator(with: .equal)
            guard let condition = Condition.any(try operands.map { try condition(element, test: equal, right: $0) })
            else {
                throw Untranslatable()
            }
            return condition
        case .collection(let collection):
            let equal = test.replacingOperator(with: .equal)
            return try exists(collection) { try condition($0, test: equal, right: element) }
        case .scalar, .exactDecimal, .opaque, .composite, .object, .entity: throw Untranslatable()
        }
    }

    /// Returns the condition that an operand is one of several constants.
    private func membership(
        of element: Operand, among values: [PredicateValue], _ test: Test
    ) throws -> Condition {
        switch element {
        case .constant(let element): return .value(values.contains { test.strings.equal($0, element) })
        case .object(let object):
            let keys = values.compactMap { key(of: $0, in: object.entity) }
            let isIn = list(object.key, keys.map { .integer($0) }, isNullable: object.isOptional)
            guard object.isOptional, values.contains(where: \.isNull) else { return isIn }
            return .any([isIn, Condition(sql: "\(object.key) IS NULL", isNullable: false)]) ?? .never
        case .scalar(let sql, let type):
            var arguments: [SQLArgument] = []
            for value in values {
                guard let constant = dialect.constant(value)?.compared(with: type) else {
                    guard value.isNull || value.elements != nil else { throw Untranslatable() }
                    continue
                }
                if type.canEqual(constant.type) { arguments.append(constant.argument) }
            }
            let sql = type == .boolean ? dialect.number(sql) : sql
            if type.isNumber {
                arguments = arguments.map { if case .boolean(let flag) = $0 { .integer(flag ? 1 : 0) } else { $0 } }
            }
            let isIn =
                type == .string && !test.strings.isPlain
                ? list(sql, arguments, collation: try collation(test, type))
                : boundedList(sql, arguments, isNullable: true)
            guard let isIn else { throw Untranslatable() }
            guard values.contains(where: \.isNull) else { return isIn }
            return .any([isIn, Condition(sql: "\(sql) IS NULL", isNullable: false)]) ?? .never
        case .exactDecimal, .opaque, .composite, .entity, .collection, .list: throw Untranslatable()
        }
    }

    private func list(_ value: SQLFragment, _ arguments: [SQLArgument], isNullable: Bool) -> Condition {
        boundedList(value, arguments, isNullable: isNullable) ?? .never
    }

    /// Returns the condition that excludes objects, or `nil` if they are too many.
    func excluding(_ objects: [NSManagedObjectID]) -> Condition? {
        let keys = objects.compactMap { model.key($0) }
        return boundedList(root.key, keys.map { .integer($0) }, isNullable: false)?.negated
    }

    /// Returns the condition that a value is in a list, or `nil` if the list is too long.
    private func boundedList(_ value: SQLFragment, _ arguments: [SQLArgument], isNullable: Bool) -> Condition? {
        if arguments.isEmpty { return .never }
        if arguments.count > dialect.limits.shortList, let list = dialect.list(arguments) {
            return Condition(
                sql: "\(value) IN (SELECT \(word: list.column) FROM \(list.table))", isNullable: isNullable)
        }
        guard arguments.count <= dialect.limits.list else { return nil }
        // Lists of similar lengths have the same text, and so the same prepared statement.
        var count = 1
        while count < arguments.count { count *= 2 }
        let last = arguments[arguments.count - 1]
        let all = arguments + Array(repeating: last, count: count - arguments.count)
        let marks = Array(repeating: "?", count: count).joined(separator: ", ")
        return Condition(sql: "\(value) IN (\(SQLFragment(marks, all)))", isNullable: isNullable)
    }

    /// Returns the condition that a string is in a list, compared with a collation.
    private func list(_ value: SQLFragment, _ arguments: [SQLArgument], collation: SQLFragment) -> Condition? {
        if arguments.isEmpty { return .never }
        guard let list = dialect.list(arguments) else { return nil }
        return Condition(
            sql:
                "EXISTS (SELECT 1 FROM \(list.table) AS list WHERE list.\(word: list.column) = \(value)\(collation))",
            isNullable: false)
    }

    // MARK: Quantifiers

    /// Returns the condition of `ANY` and `ALL`. Nil values are in no collection, because key-value coding of sets
    /// omits them.
    func quantified(_ left: Operand, test: Test, right: Operand, isAll: Bool) throws -> Condition {
        if left.isNull { return .value(isAll) }
        guard case .collection(let collection) = left else { throw Untranslatable() }
        if !isAll { return try exists(collection) { try condition($0, test: test, right: right) } }
        let exception = try exists(collection) { element in
            guard let negated = try condition(element, test: test, right: right).negated else { throw Untranslatable() }
            return negated
        }
        guard let result = exception.negated else { throw Untranslatable() }
        return result
    }

    /// Returns the condition that a collection contains an element that meets a condition.
    private func exists(_ collection: RowCollection, _ condition: (Operand) throws -> Condition) throws -> Condition {
        let element: Operand =
            switch collection.element {
            case .object(let object): .object(object)
            case .scalar(let sql, let type): .scalar(sql, type)
            }
        let found = try condition(element)
        guard found.isExact else { throw Untranslatable() }
        if found.answer == false { return .never }
        var conditions: [SQLFragment] = []
        if collection.mayHoldNull { conditions.append("\(collection.elementText) IS NOT NULL") }
        if found.answer != true { conditions.append(found.sql(dialect)) }
        return Condition(sql: "EXISTS (\(collection.select("1", where: conditions)))", isNullable: false)
    }

    /// Returns the condition of comparisons such as `SUBQUERY(…).@count > 0`, which need not count.
    func existence(_ comparison: Comparison, _ boxes: BoxTable) throws -> Condition? {
        guard groups?.isGrouped != true, comparison.modifier == .direct,
            case .constant(.integer(let number)) = comparison.right, case .keyPath(let path) = comparison.left,
            path.keyPath.keys.last == "@count"
        else { return nil }
        let mustExist: Bool
        switch (comparison.comparisonOperator, number) {
        case (.greaterThan, 0), (.notEqual, 0), (.greaterThanOrEqual, 1): mustExist = true
        case (.equal, 0), (.lessThan, 1), (.lessThanOrEqual, 0): mustExist = false
        default: return nil
        }
        var shorter = path
        shorter.keyPath.keys.removeLast()
        let counted: Operand =
            shorter.keyPath.keys.isEmpty
            ? try operand(shorter.operand ?? .evaluatedObject, boxes) : try operand(.keyPath(shorter), boxes)
        guard case .collection(let collection) = counted, collection.guards.isEmpty || mustExist,
            comparison.comparisonOperator != .notEqual || collection.guards.isEmpty
        else { return nil }
        let found = try exists(collection) { _ in .always }
        return mustExist ? found : found.negated
    }
}
