package import PredicateSyntax

/// A condition that an attribute's values must meet, and the error code for a value that does not.
package struct AttributeValidation: Hashable, Sendable {
    /// The condition, in which `SELF` is the value.
    package var predicate: Predicate
    /// The code of the error, in Cocoa's error domain.
    package var errorCode: Int
}

/// The keys of a value's properties in the limits of an attribute.
package enum LimitKey {
    /// The length of a text.
    package static let length = "length"
    package static let seconds = "timeIntervalSinceReferenceDate"
}

extension Attribute {
    /// The error codes for limits in a compiled model (Documentation/Formats/CompiledModel.md, 2.6; public constants of
    /// Core Data).
    private enum ErrorCode {
        static let numberTooSmall = 1620
        static let numberTooLarge = 1610
        static let dateTooSoon = 1640
        static let dateTooLate = 1630
        static let textTooShort = 1670
        static let textTooLong = 1660
        static let patternNotMatched = 1680
    }

    /// The limits as Apple's compiler writes them: the minimum first, then the maximum, then the pattern. Only the
    /// order of the first two, the minimum of numbers and the minimum length are proven.
    package var validations: [AttributeValidation] {
        let subject: PredicateSyntax.Expression
        let codes: (minimum: Int, maximum: Int)
        var limits = (minimum: minimum, maximum: maximum)
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            subject = .evaluatedObject
            codes = (ErrorCode.numberTooSmall, ErrorCode.numberTooLarge)
        case .string:
            subject = .key(DottedKeyPath(LimitKey.length))
            codes = (ErrorCode.textTooShort, ErrorCode.textTooLong)
        case .date:
            subject = .key(DottedKeyPath(LimitKey.seconds))
            codes = (ErrorCode.dateTooSoon, ErrorCode.dateTooLate)
            limits = (minimumDateInterval, maximumDateInterval)
        default: return []
        }
        var result: [AttributeValidation] = []
        if let text = limits.minimum, !text.isEmpty {
            result.append(
                AttributeValidation(
                    predicate: .compare(subject, using: .greaterThanOrEqual, right: limit(text)),
                    errorCode: codes.minimum))
        }
        if let text = limits.maximum, !text.isEmpty {
            result.append(
                AttributeValidation(
                    predicate: .compare(subject, using: .lessThanOrEqual, right: limit(text)), errorCode: codes.maximum)
            )
        }
        if type == .string, let pattern = regularExpression, !pattern.isEmpty {
            result.append(
                AttributeValidation(
                    predicate: .compare(.evaluatedObject, using: .matches, right: .string(pattern)),
                    errorCode: ErrorCode.patternNotMatched))
        }
        return result
    }

    /// Sets the limit or regular expression that a validation predicate stands for: the inverse of `validations`.
    ///
    /// - Returns: `false`, leaving the attribute unchanged, if the predicate has another form or if the attribute
    ///   already has such a rule.
    package mutating func takeLimit(_ predicate: Predicate) -> Bool {
        guard case .comparison(let comparison) = predicate, comparison.modifier == .direct, comparison.options == [],
            case .constant(let limit) = comparison.right
        else { return false }
        if comparison.comparisonOperator == .matches {
            guard type == .string, comparison.left == .evaluatedObject, case .string(let pattern) = limit,
                regularExpression == nil
            else { return false }
            regularExpression = pattern
            return true
        }
        guard let text = Self.text(ofLimit: limit) else { return false }
        let subject: PredicateSyntax.Expression =
            switch type {
            case .date: .key(DottedKeyPath(LimitKey.seconds))
            case .string: .key(DottedKeyPath(LimitKey.length))
            default: .evaluatedObject
            }
        guard comparison.left == subject else { return false }
        switch comparison.comparisonOperator {
        case .greaterThanOrEqual: return setLimit(type == .date ? \.minimumDateInterval : \.minimum, text)
        case .lessThanOrEqual: return setLimit(type == .date ? \.maximumDateInterval : \.maximum, text)
        default: return false
        }
    }

    private mutating func setLimit(_ limit: WritableKeyPath<Attribute, String?>, _ text: String) -> Bool {
        guard self[keyPath: limit] == nil else { return false }
        self[keyPath: limit] = text
        return true
    }

    private static func text(ofLimit limit: Constant) -> String? {
        switch limit {
        case .integer(let value): String(value)
        case .real(let value): NumberText.text(of: value)
        default: nil
        }
    }

    /// Returns a limit as a constant. Apple's compiler truncates the limits of decimal numbers to integers (rdar
    /// 13677527).
    private func limit(_ text: String) -> PredicateSyntax.Expression {
        switch type {
        case .double, .float, .date: .constant(.real(NumberText.real(text)))
        default: .integer(NumberText.integer(text))
        }
    }
}
