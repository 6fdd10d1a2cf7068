internal import Diagnostics
internal import ModelSchema

/// Reports properties with the name of a method that every managed object has.
struct ReservedNameRule: LintRule {
    let description = RuleDescription(
        id: .reservedName, code: "MC6003", group: "naming",
        title: "a property has the name of a method that every managed object has",
        explanation: """
            A property called `description`, `hash` or `objectID` overrides a method that Core Data itself calls, or \
            is overridden by it. Core Data rejects most of these names with an exception when the model is used, and \
            the generated class does not compile.
            """,
        remedy: "Rename the property.", defaultSeverity: .error)

    /// The methods without arguments of NSObject and NSManagedObject, from Apple's documentation of both.
    static let names: Set = [
        "autorelease", "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent", "class",
        "className", "classForCoder", "copy", "dealloc", "debugDescription", "description", "entity",
        "faultingState", "finalize", "hasChanges", "hasFaultForRelationshipNamed", "hasPersistentChangedValues", "hash",
        "init", "isDeleted", "isEqual", "isFault", "isInserted", "isProxy", "isUpdated", "managedObjectContext",
        "mutableCopy", "new", "objectID", "objectIDsForRelationshipNamed", "observationInfo", "prepareForDeletion",
        "release", "retain", "retainCount", "self", "superclass", "validateForDelete", "validateForInsert",
        "validateForUpdate", "willSave", "didSave", "willTurnIntoFault", "didTurnIntoFault", "zone",
        "objectWillChange",
    ]

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for (name, origin) in entity.propertyNames where Self.names.contains(name) {
                report(
                    RuleFinding(
                        "“\(entity.name).\(name)” has the name of a method of every managed object", at: origin,
                        attribute: "name", inspectorField: "Name",
                        why: "Core Data or the compiler rejects it or confuses the two.",
                        help: "Rename it."))
            }
        }
    }
}
