internal import Diagnostics

/// The rules about mapping models. They are checked where a mapping model is read and compiled (`MappingCheck` in
/// MappingModel).
enum MappingRules {
    static let descriptions: [RuleDescription] = [
        rule(
            .notAMappingModel, code: "MC0330", title: "the file is not a mapping model",
            explanation: """
                An `.xcmappingmodel` is a folder with an `xcmapping.xml`, which is an XML store of Core Data; a `.cdm` is \
                the archive of an `NSMappingModel`.
                """,
            fix: "Restore the file from version control, or compile the mapping model again."),
        rule(
            .malformedMapping, code: "MC0331", title: "a part of a mapping model is malformed",
            explanation: """
                An object refers to one that does not exist or has another type, is listed twice, or has a value of the wrong \
                type. The part is left out.
                """,
            fix: "Restore the file from version control."),
        rule(
            .orphanedMapping, code: "MC0332", title: "a mapping model has objects of deleted mappings",
            explanation:
                "Xcode leaves the objects of deleted mappings in `xcmapping.xml`. Neither Xcode nor Core Data uses them.",
            fix: "No action is needed.", .note),
        rule(
            .missingMappedModel, code: "MC0333",
            title: "the source or destination model of a mapping model cannot be found",
            explanation: """
                Xcode keeps a copy of both models in a mapping model, and the paths of the models. If there is no copy and \
                no model at the path, the version hashes of the entities are unknown.
                """,
            fix: "Open the mapping model in Xcode, and choose Editor ▸ Refresh Data Models."),
        rule(
            .unreadableModelCopy, code: "MC0334", title: "the copy of a model in a mapping model cannot be read",
            explanation:
                "The copy is an archive of Xcode's old model editor. The model at its path is used instead, if there is one.",
            fix: "Open the mapping model in Xcode, and choose Editor ▸ Refresh Data Models.", .warning),
        rule(
            .staleModelCopy, code: "MC0335", title: "the copy of a model in a mapping model is out of date",
            explanation: """
                A mapping model is compiled with the version hashes of its copies, not with those of the models in the \
                project. Core Data finds mapping models by version hashes: it does not find this one for the changed \
                model.
                """,
            fix: "Open the mapping model in Xcode, and choose Editor ▸ Refresh Data Models.", .warning),
        rule(
            .unreadableMappingExpression, code: "MC0336", title: "an expression of a mapping model cannot be read",
            explanation: """
                Expressions are kept as archives. A malformed one is an error; one without a format string, such as a \
                constant date, is kept unchanged and reported as a note.
                """,
            fix: "Enter the expression again in Xcode."),
        rule(
            .unknownMappedEntity, code: "MC0337", title: "an entity mapping refers to an entity that does not exist",
            explanation:
                "The entity is not in the source or destination model, so it has no version hash and cannot be migrated.",
            fix: "Choose another entity, or delete the mapping."),
        rule(
            .unknownMappedProperty, code: "MC0338",
            title: "a property mapping refers to a property that does not exist",
            explanation: "The destination entity has no attribute or relationship of this name.",
            fix: "Delete the mapping, or correct its name.", .warning),
        rule(
            .unmappedProperty, code: "MC0339", title: "a property of a destination entity gets no value",
            explanation: """
                The property has no default and no mapping, or is required and its mapping has no value. The values of the \
                source objects are lost, or validation fails at the end of the migration.
                """,
            fix: "Open the mapping model in Xcode, which adds missing mappings, or write a value expression.", .warning),
        rule(
            .mappingWithoutExpression, code: "MC0340", title: "a relationship has no automatic expression",
            explanation: """
                The automatic expression of a relationship refers to the entity mapping from its destination in the source \
                model to its destination in the destination model. Without that mapping the relationship stays empty.
                """,
            fix: "Add the entity mapping, or write a value expression.", .warning),
        rule(
            .duplicateMapping, code: "MC0341", title: "two entity mappings have the same name or number",
            explanation: """
                Expressions refer to entity mappings by name and find only one of several. Numbers determine the order of \
                the migration.
                """,
            fix: "Rename one of the mappings."),
        rule(
            .unknownMappingName, code: "MC0342", title: "an expression refers to an entity mapping that does not exist",
            explanation:
                "`destinationInstancesForEntityMappingNamed:sourceInstances:` finds objects by the name of their mapping.",
            fix: "Correct the name in the expression."),
        rule(
            .bareMappingKeyPath, code: "MC0343", title: "a key path in a mapping model has no object",
            explanation: """
                Expressions of mapping models are evaluated without an object: `name` alone has no value. The source \
                object is `$source`.
                """,
            fix: "Write `$source.name`.", .warning),
        rule(
            .policyClassPlaceholder, code: "MC0344", title: "the name of a migration policy has a placeholder",
            explanation: """
                Core Data looks up the class of a policy by name. Xcode does not replace the placeholder in \
                `PRODUCT_MODULE.Policy`; the app has to replace it before migration.
                """,
            fix: "Write the module's name, or give the class an Objective-C name with `@objc(Name)`.", .warning),
    ]

    private static func rule(
        _ id: RuleID, code: String, title: String, explanation: String, fix remedy: String,
        _ severity: Severity = .error
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: "mapping models", title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: severity)
    }
}
