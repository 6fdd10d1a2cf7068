internal import Diagnostics

/// The rules about mapping models. They are checked where a mapping model is read and compiled (`MappingCheck` in MappingModel).
enum MappingRules {
    /// The descriptions of the rules.
    static let descriptions: [RuleDescription] = [
        rule(
            .notAMappingModel, "MC0330", "the file is not a mapping model",
            """
            An `.xcmappingmodel` is a folder with an `xcmapping.xml`, which is an XML store of Core Data; a `.cdm` is \
            the archive of an `NSMappingModel`.
            """,
            fix: "Restore the file from version control, or compile the mapping model again."),
        rule(
            .malformedMapping, "MC0331", "a part of a mapping model is malformed",
            """
            An object refers to one that does not exist or has another type, is listed twice, or has a value of the wrong \
            type. The part is left out.
            """,
            fix: "Restore the file from version control."),
        rule(
            .orphanedMapping, "MC0332", "a mapping model has objects of deleted mappings",
            "Xcode leaves the objects of deleted mappings in `xcmapping.xml`. Neither Xcode nor Core Data uses them.",
            fix: "No action is needed.", .note),
        rule(
            .missingMappedModel, "MC0333", "the source or destination model of a mapping model cannot be found",
            """
            Xcode keeps a copy of both models in a mapping model, and the paths of the models. If there is no copy and \
            no model at the path, the version hashes of the entities are unknown.
            """,
            fix: "Open the mapping model in Xcode, and choose Editor ▸ Refresh Data Models."),
        rule(
            .unreadableModelCopy, "MC0334", "the copy of a model in a mapping model cannot be read",
            "The copy is an archive of Xcode's old model editor. The model at its path is used instead, if there is one.",
            fix: "Open the mapping model in Xcode, and choose Editor ▸ Refresh Data Models.", .warning),
        rule(
            .staleModelCopy, "MC0335", "the copy of a model in a mapping model is out of date",
            """
            A mapping model is compiled with the version hashes of its copies, not with those of the models in the \
            project. Core Data finds mapping models by version hashes: it does not find this one for the changed \
            model.
            """,
            fix: "Open the mapping model in Xcode, and choose Editor ▸ Refresh Data Models.", .warning),
        rule(
            .unreadableMappingExpression, "MC0336", "an expression of a mapping model cannot be read",
            """
            Expressions are kept as archives. A malformed one is an error; one without a format string, such as a \
            constant date, is kept unchanged and reported as a note.
            """,
            fix: "Enter the expression again in Xcode."),
        rule(
            .unknownMappedEntity, "MC0337", "an entity mapping refers to an entity that does not exist",
            "The entity is not in the source or destination model, so it has no version hash and cannot be migrated.",
            fix: "Choose another entity, or delete the mapping."),
        rule(
            .unknownMappedProperty, "MC0338", "a property mapping refers to a property that does not exist",
            "The destination entity has no attribute or relationship of this name.",
            fix: "Delete the mapping, or correct its name.", .warning),
        rule(
            .unmappedProperty, "MC0339", "a property of a destination entity gets no value",
            """
            The property has no default and no mapping, or is required and its mapping has no value. The values of the \
            source objects are lost, or validation fails at the end of the migration.
            """,
            fix: "Open the mapping model in Xcode, which adds missing mappings, or write a value expression.", .warning),
        rule(
            .mappingWithoutExpression, "MC0340", "a relationship has no automatic expression",
            """
            The automatic expression of a relationship refers to the entity mapping from its destination in the source \
            model to its destination in the destination model. Without that mapping the relationship stays empty.
            """,
            fix: "Add the entity mapping, or write a value expression.", .warning),
        rule(
            .duplicateMapping, "MC0341", "two entity mappings have the same name or number",
            """
            Expressions refer to entity mappings by name and find only one of several. Numbers determine the order of \
            the migration.
            """,
            fix: "Rename one of the mappings."),
        rule(
            .unknownMappingName, "MC0342", "an expression refers to an entity mapping that does not exist",
            "`destinationInstancesForEntityMappingNamed:sourceInstances:` finds objects by the name of their mapping.",
            fix: "Correct the name in the expression."),
        rule(
            .bareMappingKeyPath, "MC0343", "a key path in a mapping model has no object",
            """
            Expressions of mapping models are evaluated without an object: `name` alone has no value. The source \
            object is `$source`.
            """,
            fix: "Write `$source.name`.", .warning),
        rule(
            .policyClassPlaceholder, "MC0344", "the name of a migration policy has a placeholder",
            """
            Core Data looks up the class of a policy by name. Xcode does not replace the placeholder in \
            `PRODUCT_MODULE.Policy`; the app has to replace it before migration.
            """,
            fix: "Write the module's name, or give the class an Objective-C name with `@objc(Name)`.", .warning),
    ]

    private static func rule(
        _ id: RuleID, _ code: String, _ title: String, _ explanation: String, fix remedy: String,
        _ severity: Severity = .error
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: "mapping models", title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: severity)
    }
}
