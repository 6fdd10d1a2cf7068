internal import Diagnostics
internal import ModelSchema
internal import PredicateSyntax

/// Reports invalid predicates and expressions in the model.
struct InvalidPredicateRule: LintRule {
    let description = RuleDescription(
        id: .invalidPredicate, code: "MC7001", group: "fetching", title: "a predicate of the model cannot be read",
        explanation: """
            Apple's compiler parses the predicates of fetch requests, fetched properties and partial indexes, and \
            rejects the model if one is invalid.
            """,
        remedy: "Correct the predicate.", defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for place in PredicatePlace.all(in: context.model) {
            do throws(PredicateSyntaxError) {
                _ = try PredicateParser.parsePredicate(place.text)
            } catch {
                report(
                    RuleFinding(
                        "the predicate of \(place.name) cannot be read: \(error.message), at character \(error.column)",
                        at: place.origin, attribute: place.attribute, why: "The model cannot be compiled.",
                        help: "Correct the predicate."))
            }
        }
    }
}

/// A predicate in a model.
struct PredicatePlace {
    /// The predicate.
    var text: String
    /// The entity whose objects it is evaluated with.
    var entityName: String?
    /// The name of its owner in messages.
    var name: String
    /// The element that contains it.
    var origin: ElementOrigin?
    /// The XML attribute that contains it.
    var attribute: String
    /// The entity of `$FETCH_SOURCE`; `nil` if there is none.
    var sourceEntityName: String?

    /// Returns all nonempty predicates of a model.
    static func all(in model: Model) -> [PredicatePlace] {
        var result: [PredicatePlace] = []
        for request in model.fetchRequests {
            guard let text = request.predicate, !text.isEmpty else { continue }
            result.append(
                PredicatePlace(
                    text: text, entityName: request.entityName, name: "the fetch request “\(request.name)”",
                    origin: request.origin, attribute: "predicateString"))
        }
        for entity in model.entities {
            for fetched in entity.fetchedProperties {
                guard let request = fetched.fetchRequest, let text = request.predicate, !text.isEmpty else { continue }
                result.append(
                    PredicatePlace(
                        text: text, entityName: request.entityName, name: "“\(entity.name).\(fetched.name)”",
                        origin: request.origin, attribute: "predicateString", sourceEntityName: entity.name))
            }
            for index in entity.fetchIndexes {
                guard let text = index.partialIndexPredicate, !text.isEmpty else { continue }
                result.append(
                    PredicatePlace(
                        text: text, entityName: entity.name,
                        name: "the fetch index “\(entity.name).\(index.name)”", origin: index.origin,
                        attribute: "partialIndexPredicate"))
            }
        }
        return result
    }
}
