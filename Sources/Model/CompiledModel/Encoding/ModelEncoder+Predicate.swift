internal import Diagnostics
internal import ModelSchema
internal import PredicateSyntax

extension ModelEncoder {
    /// Parses the text of a predicate and writes it. Reports an error and writes null if the text is invalid.
    mutating func encode(
        predicate text: String, for owner: String, at origin: ElementOrigin?, attribute: String
    ) -> Reference {
        do {
            let predicate = try PredicateParser.parsePredicate(text)
            if let placeholder = predicate.placeholders.first {
                report(
                    error: .invalidPredicate,
                    "the predicate “\(text)” of \(owner) has the placeholder \(placeholder.spelling), which has no value",
                    at: origin, attribute: attribute)
                return .null
            }
            return encode(predicate, at: origin)
        } catch {
            report(
                error: .invalidPredicate,
                "the predicate “\(text)” of \(owner) cannot be read: \(error.message), at character \(error.column)",
                at: origin, attribute: attribute)
            return .null
        }
    }

    mutating func encode(_ predicate: Predicate, at origin: ElementOrigin?) -> Reference {
        let reference = expressions.encode(predicate)
        reportProblems(at: origin)
        return reference
    }

    /// Writes the expression of a derived attribute as the compiler stores it.
    mutating func encode(derivation: PredicateSyntax.Expression, at origin: ElementOrigin?) -> Reference {
        let reference = expressions.encode(derivation: derivation)
        reportProblems(at: origin)
        return reference
    }

    private mutating func reportProblems(at origin: ElementOrigin?) {
        for problem in expressions.problems {
            switch problem {
            case .unproven(let what): report(unproven: what, at: origin)
            case .unsupported(let what): report(error: .unsupportedPredicate, "\(what) cannot be compiled", at: origin)
            }
        }
        expressions.problems = []
    }
}
