internal import Diagnostics

/// An inconsistency in a model that prevents code generation and compilation.
enum StructuralProblem: Hashable, Sendable {
    /// An entity without a name.
    case unnamedEntity
    /// A property without a name.
    case unnamedProperty(entity: String)
    /// Another part of the model without a name, as messages call it.
    case unnamed(String)
    /// A second part of the model with a name that only one may have, and the plural of its kind.
    case duplicate(String, kind: String)
    /// A second entity with the same name.
    case duplicateEntity(name: String)
    /// A second property with the same name in an entity.
    case duplicateProperty(entity: String, name: String)
    /// A property with the same name as one that is inherited from `ancestor`.
    case shadowedProperty(entity: String, name: String, ancestor: String)
    /// A parent that is not in the model.
    case unknownParent(entity: String, parent: String, suggestion: String?)
    /// Entities that inherit from each other in a cycle, beginning with the first in the model.
    case inheritanceCycle(entities: [String])
    /// An entity with more ancestors than `Model.maximumInheritanceDepth`.
    case tooManyAncestors(entity: String)
    /// A relationship without a destination.
    case missingDestination(entity: String, relationship: String)
    /// A relationship whose destination is not in the model.
    case unknownDestination(entity: String, relationship: String, destination: String, suggestion: String?)
    /// An attribute of a type that no Xcode writes.
    case unknownAttributeType(entity: String, attribute: String, type: String)

    /// Returns the problem as an error at a location in the model.
    func finding(at origin: ElementOrigin?, attribute: String? = nil) -> ModelFinding {
        let (rule, message, why, help) = texts
        return ModelFinding(.error, rule: rule, message, at: origin, attribute: attribute, why: why, help: help)
    }

    private static func question(_ suggestion: String?) -> String {
        suggestion.map { "Did you mean “\($0)”? " } ?? ""
    }

    private typealias Texts = (rule: RuleID, message: String, why: String?, help: String)

    private var texts: Texts {
        switch self {
        case .unnamedEntity:
            return Self.unnamed(
                "an entity has no name", "Core Data finds entities by name.",
                help: "Enter a name (Entity ▸ Data Model inspector ▸ Name), or remove the entity.")
        case .unnamedProperty(let entity):
            return Self.unnamed(
                "a property of “\(entity)” has no name", "Core Data finds properties by name.",
                help: "Enter a name (Data Model inspector ▸ Name), or remove the property.")
        case .unnamed(let what):
            return Self.unnamed(
                "\(what) has no name", "Core Data finds it by name.",
                help: "Enter a name (Data Model inspector ▸ Name), or remove it.")
        case .duplicate(let message, let kind): return Self.duplicate(message, kind: kind)
        case .duplicateEntity(let name):
            return Self.duplicate("the model has a second entity “\(name)”", kind: "entities")
        case .duplicateProperty(let entity, let name):
            return Self.duplicate("“\(entity)” has a second property “\(name)”", kind: "properties")
        case .shadowedProperty(let entity, let name, let ancestor):
            return (
                .duplicateName, "“\(entity)” already inherits a property “\(name)” from “\(ancestor)”",
                "An entity cannot replace a property that it inherits.", "Rename or remove one of them."
            )
        case .unknownParent(let entity, let parent, let suggestion):
            return (
                .unknownParent, "the parent entity “\(parent)” of “\(entity)” is not in the model", nil,
                Self.question(suggestion)
                    + "Choose another parent (Entity ▸ Data Model inspector ▸ Parent Entity), or “No Parent Entity”."
            )
        case .inheritanceCycle(let names): return Self.cycle(names)
        case .tooManyAncestors(let entity):
            return (
                .inheritanceTooDeep, "“\(entity)” has more than \(Model.maximumInheritanceDepth) ancestors",
                "The version hash of an entity covers the properties of all its ancestors.",
                "Shorten the chain of parents."
            )
        case .missingDestination(let entity, let relationship):
            return (
                .missingDestination, "the relationship “\(entity).\(relationship)” has no destination",
                "Core Data cannot load a relationship without a destination.",
                "Choose one (Relationship ▸ Data Model inspector ▸ Destination)."
            )
        case .unknownDestination(let entity, let relationship, let destination, let suggestion):
            return (
                .unknownDestination,
                "the destination “\(destination)” of “\(entity).\(relationship)” is not in the model", nil,
                Self.question(suggestion)
                    + "Choose another destination (Relationship ▸ Data Model inspector ▸ Destination)."
            )
        case .unknownAttributeType(let entity, let attribute, let type):
            return (
                .unknownType, "“\(entity).\(attribute)” has the type “\(type)”, which Core Data does not know", nil,
                Self.question(AttributeType.suggestion(for: type))
                    + "Choose a type (Attribute ▸ Data Model inspector ▸ Attribute Type)."
            )
        }
    }

    private static func unnamed(_ message: String, _ why: String, help: String) -> Texts {
        (.missingName, message, why, help)
    }

    private static func duplicate(_ message: String, kind: String) -> Texts {
        (
            .duplicateName, message, "Core Data finds \(kind) by name; only one of them could ever be used.",
            "Rename or remove one of them."
        )
    }

    private static func cycle(_ names: [String]) -> Texts {
        // A cycle can contain every entity of the model; a few of its entities are enough for the message.
        let shown =
            names.prefix(6).map { "“\($0)”" } + (names.count > 6 ? ["…"] : []) + names.prefix(1).map { "“\($0)”" }
        let circle = shown.joined(separator: " → ")
        return (
            .inheritanceCycle, "entities inherit from each other in a cycle: \(circle)",
            "Such a model cannot be loaded.", "Give one of them another parent, or none."
        )
    }
}
