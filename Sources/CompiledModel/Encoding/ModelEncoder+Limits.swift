internal import ModelSchema
internal import PredicateSyntax

extension ModelEncoder {
    /// The error codes that a compiled model has for limits (compiled-model.md, 2.6; public constants of Core Data).
    private enum Warning {
        static let numberTooSmall = 1620
        static let numberTooLarge = 1610
        static let dateTooSoon = 1640
        static let dateTooLate = 1630
        static let textTooShort = 1670
        static let textTooLong = 1660
        static let patternNotMatched = 1680
    }

    /// Writes the limits of an attribute as validation predicates: the smallest value first, then the largest, then the
    /// pattern. Only the order of the first two, the lower limit of numbers and the shortest length are proven.
    mutating func encodeLimits(of attribute: Attribute, entity: String, into common: inout CommonValues) {
        let subject: PredicateSyntax.Expression
        let codes: (minimum: Int, maximum: Int)
        var limits = (minimum: attribute.minimum.nonEmpty, maximum: attribute.maximum.nonEmpty)
        switch attribute.type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            subject = .evaluatedObject
            codes = (Warning.numberTooSmall, Warning.numberTooLarge)
        case .string:
            subject = .key(DottedKeyPath(LimitKey.length))
            codes = (Warning.textTooShort, Warning.textTooLong)
        case .date:
            subject = .key(DottedKeyPath(LimitKey.seconds))
            codes = (Warning.dateTooSoon, Warning.dateTooLate)
            limits = (attribute.minimumDateInterval.nonEmpty, attribute.maximumDateInterval.nonEmpty)
        default: return
        }
        if let text = limits.minimum {
            common.predicates.append(
                encode(.compare(subject, .greaterThanOrEqual, limit(text, attribute.type)), at: attribute.origin))
            common.warnings.append(codes.minimum)
        }
        if let text = limits.maximum {
            common.predicates.append(
                encode(.compare(subject, .lessThanOrEqual, limit(text, attribute.type)), at: attribute.origin))
            common.warnings.append(codes.maximum)
        }
        if attribute.type == .string, let pattern = attribute.regularExpression.nonEmpty {
            common.predicates.append(
                encode(.compare(.evaluatedObject, .matches, .string(pattern)), at: attribute.origin))
            common.warnings.append(Warning.patternNotMatched)
        }
    }

    /// A limit as a constant. Apple's compiler cuts the decimals off the limits of decimal numbers (rdar 13677527).
    private func limit(_ text: String, _ type: AttributeType) -> PredicateSyntax.Expression {
        switch type {
        case .double, .float, .date: .constant(.real(NumberText.real(text)))
        default: .integer(NumberText.integer(text))
        }
    }
}
