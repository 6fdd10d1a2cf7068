internal import ModelSchema
internal import PredicateSyntax

extension ModelDecoder {
    /// Reads an attribute's validation predicates (compiled-model.md, 2.6) as limits and a regular expression. Predicates
    /// of another form, and messages of a model made in code, have no place in a source.
    mutating func decodeLimits(of object: ObjectID, into attribute: inout Attribute, path: String) {
        guard let predicates = reader.list(.validationPredicates, of: object) else { return }
        for element in predicates {
            guard let predicate = decodePredicateTree(element) else { continue }
            if !takeLimit(predicate, into: &attribute) {
                let text = PredicatePrinter(numberStyle: .typed).string(for: predicate)
                reader.reporter.unsupported("the validation “\(text)” of “\(path)” has no place in a source")
            }
        }
        if let warnings = reader.list(.validationWarnings, of: object),
            warnings.contains(where: { reader.string($0) != nil })
        {
            reader.reporter.unsupported("the validation messages of “\(path)” have no place in a source")
        }
    }

    private func takeLimit(_ predicate: Predicate, into attribute: inout Attribute) -> Bool {
        guard case .comparison(let comparison) = predicate, comparison.modifier == .direct, comparison.options == [],
            case .constant(let limit) = comparison.right
        else { return false }
        if comparison.comparisonOperator == .matches {
            guard comparison.left == .evaluatedObject, case .string(let pattern) = limit,
                attribute.regularExpression == nil
            else { return false }
            attribute.regularExpression = pattern
            return true
        }
        guard let text = limitText(limit) else { return false }
        let isDate = attribute.type == .date
        let subject: PredicateSyntax.Expression =
            switch attribute.type {
            case .date: .key(DottedKeyPath(LimitKey.seconds))
            case .string: .key(DottedKeyPath(LimitKey.length))
            default: .evaluatedObject
            }
        guard comparison.left == subject else { return false }
        switch comparison.comparisonOperator {
        case .greaterThanOrEqual where isDate: attribute.minimumDateInterval = text
        case .greaterThanOrEqual: attribute.minimum = text
        case .lessThanOrEqual where isDate: attribute.maximumDateInterval = text
        case .lessThanOrEqual: attribute.maximum = text
        default: return false
        }
        return true
    }

    private func limitText(_ limit: Constant) -> String? {
        switch limit {
        case .integer(let value): String(value)
        case .real(let value): Self.text(of: value)
        default: nil
        }
    }
}
