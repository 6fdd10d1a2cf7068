/// A predicate in a model.
package struct PredicateLocation {
    /// The predicate.
    package var text: String
    /// The entity whose objects it is evaluated with.
    package var entityName: String?
    /// The name of its owner in messages.
    package var name: String
    /// The element that contains it.
    package var origin: ElementOrigin?
    /// The XML attribute that contains it.
    package var attribute: String
    /// The entity of `$FETCH_SOURCE`; `nil` if there is none.
    package var sourceEntityName: String?

    /// Returns all nonempty predicates of a model.
    package static func all(in model: Model) -> [PredicateLocation] {
        var result: [PredicateLocation] = []
        for request in model.fetchRequests {
            guard let text = request.predicate, !text.isEmpty else { continue }
            result.append(
                PredicateLocation(
                    text: text, entityName: request.entityName, name: "the fetch request “\(request.name)”",
                    origin: request.origin, attribute: "predicateString"))
        }
        for entity in model.entities {
            for fetched in entity.fetchedProperties {
                guard let request = fetched.fetchRequest, let text = request.predicate, !text.isEmpty else { continue }
                result.append(
                    PredicateLocation(
                        text: text, entityName: request.entityName, name: "“\(entity.name).\(fetched.name)”",
                        origin: request.origin, attribute: "predicateString", sourceEntityName: entity.name))
            }
            for index in entity.fetchIndexes {
                guard let text = index.partialIndexPredicate, !text.isEmpty else { continue }
                result.append(
                    PredicateLocation(
                        text: text, entityName: entity.name,
                        name: "the fetch index “\(entity.name).\(index.name)”", origin: index.origin,
                        attribute: "partialIndexPredicate"))
            }
        }
        return result
    }
}
