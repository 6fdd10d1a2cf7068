internal import PredicateSyntax

extension ModelDecoder {
    /// The text of an archived predicate, from which the compiler makes the same predicate again; nil, and a finding,
    /// when it has none.
    mutating func decodePredicate(_ object: ObjectID) -> String? {
        decodePredicateTree(object).map { PredicatePrinter(numberStyle: .typed).string(for: $0) }
    }

    /// An archived predicate (Documentation/Formats/CompiledModel.md, 2.8); nil, with a finding, if the object is something else.
    mutating func decodePredicateTree(_ object: ObjectID) -> Predicate? {
        do {
            return try expressions.decodePredicate(object)
        } catch {
            reader.reporter.unsupported(error.message)
            return nil
        }
    }

    /// The text of a derivation; nil, and a finding, when it has none.
    ///
    /// The compiler turns `pages.@count` into `count:(pages)` and keeps the arguments in an `NSArray`, those of a
    /// function that the source wrote itself in an `NSMutableArray`. By that the source's form is found again.
    mutating func decodeDerivation(_ object: ObjectID) -> String? {
        do {
            var expression = try expressions.decodeExpression(object)
            if let arguments = reader.object(.arguments, of: object), reader.archive.knownClass(of: arguments) == .array
            {
                expression = expression.asCollectionOperator ?? expression
            }
            return PredicatePrinter(numberStyle: .typed).string(for: expression)
        } catch {
            reader.reporter.unsupported(error.message)
            return nil
        }
    }
}

extension PredicateSyntax.Expression {
    /// The key path with a collection operator that the compiler makes this call of, or nil. The
    /// opposite of `asDerivation`.
    fileprivate var asCollectionOperator: PredicateSyntax.Expression? {
        guard case .function(let call) = self, call.operand == nil, call.arguments.count == 1,
            case .keyPath(var path)? = call.arguments.first,
            let name = ["count:": "@count", "sum:": "@sum", "min:": "@min", "max:": "@max", "average:": "@avg"][
                call.selector]
        else { return nil }
        if name == "@count" {
            path.keyPath.keys.append(name)
        } else {
            guard path.keyPath.keys.count > 1 else { return nil }
            path.keyPath.keys.insert(name, at: path.keyPath.keys.count - 1)
        }
        let result = PredicateSyntax.Expression.keyPath(path)
        return result.asDerivation == self ? result : nil
    }
}
