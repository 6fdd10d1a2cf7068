package import PredicateSyntax

/// Reads archived predicates and expressions (Documentation/Formats/CompiledModel.md, 2.8;
/// Documentation/Formats/MappingModel.md, 2.1).
package struct ExpressionDecoder {
    package typealias ObjectID = KeyedArchive.ObjectID

    /// The reader of objects' values, which reports malformed ones.
    package var reader: ArchiveReader
    /// Whether constant dates are read, as casts of the seconds since 2001: format strings have no dates.
    package var castsDates = false
    /// The number of nodes that the current predicate may still have; shared nodes could expand to any number.
    private var nodeBudget = 0

    /// Creates a decoder of the predicates and expressions in an archive.
    package init(_ reader: ArchiveReader) {
        self.reader = reader
    }

    /// The reason why a predicate or an expression cannot be read.
    package struct Unreadable: Error {
        /// The problem, with the affected object.
        package var message: String
    }

    /// Reads a predicate.
    package mutating func decodePredicate(_ object: ObjectID) throws(Unreadable) -> Predicate {
        nodeBudget = 20_000
        return try predicate(object, depth: 0)
    }

    /// Reads an expression.
    package mutating func decodeExpression(_ object: ObjectID) throws(Unreadable) -> PredicateSyntax.Expression {
        nodeBudget = 20_000
        return try expression(object, depth: 0)
    }

    private mutating func enter(_ object: ObjectID, depth: Int) throws(Unreadable) {
        nodeBudget -= 1
        // The parser could not read deeper nesting back.
        guard depth < PredicateParser.maximumDepth, nodeBudget > 0 else {
            throw Unreadable(
                message: "\(reader.describe(object)): the predicate is nested too deeply, or contains itself")
        }
    }

    private mutating func child(_ key: ArchiveKey, of object: ObjectID) throws(Unreadable) -> ObjectID {
        guard let child = reader.object(key, of: object) else {
            throw Unreadable(message: "\(reader.describe(object)) has no \(key.rawValue)")
        }
        return child
    }

    private mutating func predicate(_ object: ObjectID, depth: Int) throws(Unreadable) -> Predicate {
        try enter(object, depth: depth)
        switch reader.archive.recognizedClass(of: object) {
        case .comparisonPredicate:
            let left = try expression(try child(.leftExpression, of: object), depth: depth + 1)
            let right = try expression(try child(.rightExpression, of: object), depth: depth + 1)
            var comparison = try comparisonOperator(try child(.predicateOperator, of: object))
            comparison.left = left
            comparison.right = right
            return .comparison(comparison)
        case .compoundPredicate:
            var parts: [Predicate] = []
            for part in reader.list(.subpredicates, of: object) ?? [] {
                parts.append(try predicate(part, depth: depth + 1))
            }
            switch reader.integer(.compoundType, of: object) {
            case 0:
                guard parts.count == 1, let part = parts.first else {
                    throw Unreadable(message: "\(reader.describe(object)): NOT has \(parts.count) predicates")
                }
                return .not(part)
            case 1: return .and(parts)
            case 2: return .or(parts)
            default: throw Unreadable(message: "\(reader.describe(object)) has an unknown NSCompoundPredicateType")
            }
        case .truePredicate: return .value(true)
        case .falsePredicate: return .value(false)
        default: throw Unreadable(message: "\(reader.describe(object)) is not a readable predicate")
        }
    }

    /// Reads an operator as a comparison whose sides are not set yet.
    private mutating func comparisonOperator(_ object: ObjectID) throws(Unreadable) -> Comparison {
        let number = reader.integer(.operatorType, of: object) ?? -1
        guard number >= 0, let found = ComparisonOperator(operatorType: UInt(number)) else {
            throw Unreadable(message: "\(reader.describe(object)) has the unknown NSOperatorType \(number)")
        }
        let modifier = reader.integer(.modifier, of: object) ?? 0
        guard modifier >= 0, let comparisonModifier = ComparisonModifier(rawValue: UInt(modifier)) else {
            throw Unreadable(message: "\(reader.describe(object)) has the unknown NSModifier \(modifier)")
        }
        // Operators on strings store their options as flags, other operators as options.
        let options = reader.integer(.operatorFlags, of: object) ?? reader.integer(.operatorOptions, of: object) ?? 0
        return Comparison(
            left: .evaluatedObject, comparisonOperator: found, right: .evaluatedObject, modifier: comparisonModifier,
            options: ComparisonOptions(rawValue: UInt(truncatingIfNeeded: options) & 0xF))
    }

    private mutating func expressions(
        _ key: ArchiveKey, of object: ObjectID, depth: Int
    ) throws(Unreadable) -> [PredicateSyntax.Expression] {
        var result: [PredicateSyntax.Expression] = []
        for element in reader.list(key, of: object) ?? [] { result.append(try expression(element, depth: depth + 1)) }
        return result
    }

    private mutating func expression(_ object: ObjectID, depth: Int) throws(Unreadable) -> PredicateSyntax.Expression {
        try enter(object, depth: depth)
        switch reader.archive.recognizedClass(of: object) {
        case .constantExpression: return try constant(object)
        case .selfExpression: return .evaluatedObject
        case .variableExpression: return .variable(reader.string(.variable, of: object) ?? "")
        case .keyPathSpecifier: return .key(DottedKeyPath(reader.string(.keyPath, of: object) ?? ""))
        case .keyPathExpression: return try keyPath(object, depth: depth)
        case .functionExpression: return try function(object, depth: depth)
        case .setExpression:
            let left = try expression(try child(.leftExpression, of: object), depth: depth + 1)
            let right = try expression(try child(.rightExpression, of: object), depth: depth + 1)
            switch reader.integer(.expressionType, of: object) {
            case 5: return .union(left, right)
            case 6: return .intersect(left, right)
            default: return .minus(left, right)
            }
        case .aggregateExpression: return .aggregate(try expressions(.collection, of: object, depth: depth))
        case .anyKeyExpression: return .anyKey
        case .subqueryExpression:
            let collection = try expression(try child(.collection, of: object), depth: depth + 1)
            let variable = try expression(try child(.variableExpression, of: object), depth: depth + 1)
            guard case .variable(let name) = variable else {
                throw Unreadable(message: "\(reader.describe(object)) has no variable")
            }
            let condition = try predicate(try child(.predicate, of: object), depth: depth + 1)
            return .subquery(Subquery(collection: collection, variable: name, predicate: condition))
        case .ternaryExpression:
            return .conditional(
                try predicate(try child(.predicate, of: object), depth: depth + 1),
                try expression(try child(.trueExpression, of: object), depth: depth + 1),
                try expression(try child(.falseExpression, of: object), depth: depth + 1))
        case .fetchRequestExpression:
            let request = try expression(try child(.fetchRequestExpression, of: object), depth: depth + 1)
            let context = try expression(try child(.contextExpression, of: object), depth: depth + 1)
            return .fetch(
                FetchExpression(
                    request: request, context: context, countOnly: reader.flag(.countOnly, of: object)))
        default: throw Unreadable(message: "\(reader.describe(object)) is not a readable expression")
        }
    }

    private mutating func constant(_ object: ObjectID) throws(Unreadable) -> PredicateSyntax.Expression {
        guard let value = reader.object(.constantValue, of: object) else { return .constant(.null) }
        switch reader.archive.plist(value) {
        case .boolean(let flag): return .constant(.boolean(flag))
        case .integer(let number): return .constant(.integer(number))
        case .real(let number): return .constant(.real(number))
        case .float(let number): return .constant(.real(Double(number)))
        case .string(let text): return .constant(.string(text))
        default: break
        }
        if let text = reader.string(value) { return .constant(.string(text)) }
        if castsDates, let seconds = reader.date(value) {
            return .function(
                FunctionCall(
                    selector: FunctionCall.castSelector,
                    arguments: [.constant(.real(seconds)), .constant(.string("NSDate"))]))
        }
        throw Unreadable(
            message: "\(reader.describe(object)): a constant that is \(reader.describe(value)) has no text")
    }

    /// Reads a key path: `valueForKey:` or `valueForKeyPath:` of the evaluated object, a variable or a function.
    private mutating func keyPath(_ object: ObjectID, depth: Int) throws(Unreadable) -> PredicateSyntax.Expression {
        let operand = try expression(try child(.operand, of: object), depth: depth + 1)
        let arguments = try expressions(.arguments, of: object, depth: depth)
        guard arguments.count == 1, case .keyPath(let path)? = arguments.first else {
            throw Unreadable(message: "\(reader.describe(object)) has no key path")
        }
        return operand == .evaluatedObject ? .keyPath(path) : operand.appending(path.keyPath)
    }

    private mutating func function(_ object: ObjectID, depth: Int) throws(Unreadable) -> PredicateSyntax.Expression {
        let selector = reader.string(.selectorName, of: object) ?? ""
        let arguments = try expressions(.arguments, of: object, depth: depth)
        let operand = try child(.operand, of: object)
        if reader.archive.recognizedClass(of: operand) == .constantExpression,
            reader.string(.constantClassName, of: operand) != nil
        {
            return .function(FunctionCall(selector: selector, arguments: arguments))
        }
        let target = try expression(operand, depth: depth + 1)
        return .function(FunctionCall(operand: target, selector: selector, arguments: arguments))
    }
}
