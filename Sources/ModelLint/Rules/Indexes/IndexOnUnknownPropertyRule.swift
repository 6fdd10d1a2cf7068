internal import Diagnostics
internal import ModelSchema

/// Reports indexes that refer to an unknown property.
struct IndexOnUnknownPropertyRule: LintRule {
    let description = RuleDescription(
        id: .indexOnUnknownProperty, code: "MC4004", group: "indexes",
        title: "an index refers to a property that the entity does not have",
        explanation: "Apple's compiler rejects an index on a property that does not exist.",
        remedy: "Correct the name, or remove the property from the index.", defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for mention in IndexMention.all(in: context) where mention.property == nil {
            report(
                RuleFinding(
                    "\(mention.index) of “\(mention.entity.name)” names “\(mention.name)”, which does not exist",
                    at: mention.origin, attribute: mention.attribute, why: "The model cannot be compiled.",
                    help: "Correct the name, or remove it from the index."))
        }
    }
}

/// A property name in an index.
struct IndexMention {
    /// The name, which may reach into a composite: `address.city`.
    var name: String
    /// The property that the name, or its first component, refers to; `nil` if it or an element on the path does not exist.
    var property: Property?
    /// The entity that declares the index.
    var entity: Entity
    /// The name of the index in messages.
    var index: String
    /// The element that contains the name.
    var origin: ElementOrigin?
    /// The XML attribute that contains the name.
    var attribute: String

    /// Returns the mentions in all fetch indexes and compound indexes of a model.
    static func all(in context: LintContext) -> [IndexMention] {
        var result: [IndexMention] = []
        for entity in context.entities {
            func add(_ name: String, _ index: String, _ origin: ElementOrigin?, _ attribute: String) {
                result.append(
                    IndexMention(
                        name: name, property: context.property(atPath: name, of: entity), entity: entity, index: index,
                        origin: origin, attribute: attribute))
            }
            for index in entity.fetchIndexes {
                for element in index.elements {
                    guard let name = element.propertyName, !name.isEmpty else { continue }
                    add(name, "the fetch index “\(index.name)”", element.origin, "property")
                }
            }
            for index in entity.compoundIndexes {
                for (name, mention) in index.propertyNames {
                    add(name, "a compound index", mention.origin, "value")
                }
            }
        }
        return result
    }
}
