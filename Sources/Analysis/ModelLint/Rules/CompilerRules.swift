internal import Diagnostics

/// The rules that are checked at the level `.compiles` (`Model.findings(at:)`): the model cannot be compiled, or `momc`
/// warns of it.
enum CompilerRules {
    static let descriptions: [RuleDescription] = [
        RuleDescription(
            id: .invalidDerivation, code: "MC7004", group: "fetching",
            title: "the expression of a derived attribute cannot be read",
            explanation: """
                Without a valid expression the model cannot be compiled, and the entity has no version hash.
                """,
            remedy: "Correct the expression.", defaultSeverity: .error),
        RuleDescription(
            id: .missingInverse, code: "MC2001", group: "relationships",
            title: "a relationship has no inverse",
            explanation: """
                Core Data keeps both ends of a relationship consistent only if each is the other's inverse. Without an \
                inverse, deleted objects stay in the relationships of other objects, and CloudKit rejects the model. \
                `momc` warns about it too.
                """,
            remedy: "Add a relationship in the opposite direction, and choose it as the inverse.",
            defaultSeverity: .warning),
        RuleDescription(
            id: .noActionDeleteRule, code: "MC2004", group: "relationships",
            title: "a relationship has the delete rule No Action",
            explanation: """
                Deleting an object leaves dangling references at the other end; a later save fails, or a fault cannot \
                be fulfilled. `momc` warns about it too.
                """,
            remedy: "Choose Nullify, Cascade or Deny.", defaultSeverity: .warning),
        RuleDescription(
            id: .transientInverse, code: "MC2013", group: "relationships",
            title: "a relationship is transient and its inverse is not",
            explanation: """
                Only one end would be saved. `momc` rejects the model.
                """,
            remedy: "Make both transient, or neither.", defaultSeverity: .error),
        RuleDescription(
            id: .tooManyProperties, code: "MC5006", group: "entities",
            title: "an entity has more than 100 properties",
            explanation: """
                Every fetch of an object reads all of its properties. `momc` warns about it too.
                """,
            remedy: "Move groups of them to separate entities.", defaultSeverity: .warning),
        RuleDescription(
            id: .toManyCount, code: "MC2014", group: "relationships",
            title: "the maximum count of a relationship contradicts its type",
            explanation: """
                A compiled model has no flag for to-many relationships: Core Data takes a relationship with a maximum count of 1 \
                for to-one, and any other for to-many. Generated code follows the flag To Many. If the two contradict each \
                other, the app sets a collection where Core Data expects an object, or the other way round.
                """,
            remedy: "Choose the type that is meant, and a maximum that fits it.", defaultSeverity: .error),
        RuleDescription(
            id: .unknownComposite, code: "MC0201", group: "structure",
            title: "the type of a composite attribute does not exist, contains itself or has too many elements",
            explanation: """
                A composite attribute is stored as the elements of its type. Without them the model cannot be compiled, and \
                the entity's version hash is unknown.
                """,
            remedy: "Choose an existing composite type, and remove the cycle.", defaultSeverity: .error),
        RuleDescription(
            id: .unsupportedPredicate, code: "MC0202", group: "fetching",
            title: "a predicate has a part that a compiled model cannot express",
            explanation: """
                The archive format of the part is unknown, and a guess could fail when the app loads the model.
                """,
            remedy: "Rewrite the predicate, or set it in code.", defaultSeverity: .error),
        RuleDescription(
            id: .indexOnUnknownProperty, code: "MC4004", group: "indexes",
            title: "an index refers to a property that the entity does not have",
            explanation: """
                The model cannot be compiled: a compiled index refers to its property, and a model with an index on nothing \
                cannot be loaded.
                """,
            remedy: "Correct the name, or remove the property from the index.", defaultSeverity: .error),
        RuleDescription(
            id: .constraintUnknownAttribute, code: "MC4006", group: "indexes",
            title:
                "a uniqueness constraint refers to a property that the entity does not have, or that cannot be unique",
            explanation: """
                Core Data raises an exception when it loads a store whose constraint names a property that does not exist, or \
                one without its own column: a transient attribute, a fetched property or a to-many relationship. Therefore the \
                model cannot be compiled. A derived attribute is a warning: it has a column, but Core Data computes its value \
                when it saves.
                """,
            remedy: "Correct the name, or remove the constraint.", defaultSeverity: .error),
        RuleDescription(
            id: .invalidPredicate, code: "MC7001", group: "fetching", title: "a predicate of the model cannot be read",
            explanation: """
                Apple's compiler parses the predicates of fetch requests, fetched properties and partial indexes, and \
                rejects the model if one is invalid. A placeholder such as %@ or %K has no value in a model.
                """,
            remedy: "Correct the predicate.", defaultSeverity: .error),
        RuleDescription(
            id: .unknownFetchEntity, code: "MC7002", group: "fetching",
            title: "a fetch request or configuration refers to an entity that is not in the model",
            explanation: """
                The model cannot be compiled: the request would have no entity, and the configuration would lack it.
                """,
            remedy: "Choose another entity, or remove the request.", defaultSeverity: .error),
        RuleDescription(
            id: .unknownDerivationKeyPath, code: "MC7005", group: "fetching",
            title: "a derivation refers to a property that does not exist",
            explanation: """
                Core Data resolves the key paths of derived attributes when it creates the tables and triggers of a store: an \
                invalid one raises an exception when the store is loaded, so the app cannot work. Therefore the model cannot be \
                compiled.
                """,
            remedy: "Correct the key path.", defaultSeverity: .error),
    ]
}
