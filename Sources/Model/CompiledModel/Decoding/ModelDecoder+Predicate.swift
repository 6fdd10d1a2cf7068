internal import PredicateSyntax

extension ModelDecoder {
    /// Returns the text of an archived predicate, which compiles to the same predicate again; `nil`, with a finding, if
    /// it has none.
    mutating func decodePredicate(_ object: ObjectID) -> String? {
        decodePredicateTree(object).map { PredicatePrinter(numberStyle: .typed).string(for: $0) }
    }

    /// Returns an archived predicate (Documentation/Formats/CompiledModel.md, 2.8); `nil`, with a finding, if the
    /// object is something else.
    mutating func decodePredicateTree(_ object: ObjectID) -> Predicate? {
        do {
            return try expressions.decodePredicate(object)
        } catch {
            reader.reporter.unsupported(error.message)
            return nil
        }
    }

    /// Returns the text of a derivation; `nil`, with a finding, if it has none.
    ///
    /// The compiler converts `pages.@count` to `count:(pages)` and stores the arguments in an `NSArray`, those of a
    /// function in the source in an `NSMutableArray`. This distinction gives the source's form.
    mutating func decodeDerivation(_ object: ObjectID) -> String? {
        do {
            var expression = try expressions.decodeExpression(object)
            if let arguments = reader.object(.arguments, of: object),
                reader.archive.recognizedClass(of: arguments) == .array
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
    /// The key path with a collection operator that the compiler converts to this call, or `nil`. The inverse of
    /// `asDerivation`.
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
