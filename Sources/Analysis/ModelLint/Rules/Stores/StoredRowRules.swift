internal import Diagnostics

/// The findings about a store's rows and the references between them.
enum StoredRowRules {
    static let descriptions = rows + references + members + owners

    private static func rule(
        _ id: RuleID, code: String, title: String, explanation: String, fix: String, _ severity: Severity
    ) -> RuleDescription {
        StoreRules.rule(
            id, code: code, group: "stored rows", title: title, explanation: explanation, fix: fix, severity)
    }

    private static let rows = [
        rule(
            .unknownEntity, code: "MC0828", title: "a row belongs to no entity",
            explanation: """
                `Z_ENT` is NULL, or not the number of an entity of the table's hierarchy. Core Data does not fetch the \
                row, and raises an exception if a relationship leads to it.
                """,
            fix: "Set `Z_ENT` to the number of the row's entity, or delete the row.", .error),
        rule(
            .abstractEntity, code: "MC0829", title: "a row belongs to an abstract entity",
            explanation:
                "Objects of abstract entities do not exist; Core Data raises an exception when it reads the row.",
            fix: "Set `Z_ENT` to the number of the row's entity, or delete the row.", .error),
        rule(
            .versionInvalid, code: "MC0830", title: "a row has no valid version",
            explanation: """
                `Z_OPT` counts the updates of a row from 1, so that saves notice conflicts. A row that SQL has inserted \
                often has none, and then every save of the object conflicts or overwrites others.
                """,
            fix: "Set `Z_OPT` to 1.", .warning),
        rule(
            .keyNotPositive, code: "MC0831", title: "a row has a key below 1",
            explanation: "Core Data assigns keys from 1. Other programs have written the row.",
            fix: "Insert the object again through Core Data.", .warning),
    ]

    private static let references = [
        rule(
            .danglingReference, code: "MC0832", title: "a to-one relationship refers to a row that does not exist",
            explanation: """
                Core Data returns a fault, and raises “could not fulfill a fault” when it is used. Batch deletes, SQL and \
                crashes of apps that disable journaling leave such references.
                """,
            fix: """
                Set the relationship's columns to NULL; if the relationship is required, delete the object through Core \
                Data.
                """, .error),
        rule(
            .wrongDestination, code: "MC0833", title: "a to-one relationship refers to an object of another entity",
            explanation: "The destination exists in the table, but its entity is not the relationship's destination.",
            fix: "Set the relationship's columns to NULL.", .error),
        rule(
            .entityColumn, code: "MC0834", title: "a reference names the wrong entity",
            explanation: """
                A relationship whose destination has subentities stores the destination's entity number beside the key. \
                Core Data creates the fault with this entity, and cannot fulfill it if the row has another.
                """,
            fix: "Set the column to the `Z_ENT` of the destination's row, or to NULL if there is no destination.",
            .error),
        rule(
            .oneToOneHalf, code: "MC0835", title: "only one side of a one-to-one relationship is set",
            explanation: """
                Both sides of a one-to-one relationship have a column. One refers to the other, whose own column is NULL, \
                so the relationship is nil from there. A note if the column is NULL in all rows, which apps that sync do \
                deliberately.
                """,
            fix: "Set the relationship again through Core Data.", .warning),
        rule(
            .oneToOneConflict, code: "MC0836", title: "the sides of a one-to-one relationship disagree",
            explanation: "An object refers to another, whose inverse refers to a third.",
            fix: "Set the relationship again through Core Data.", .error),
        rule(
            .twoOwners, code: "MC0837", title: "two objects have the same destination in a one-to-one relationship",
            explanation:
                "Only one of them is the destination's inverse; the others keep a reference that is not theirs.",
            fix: "Set the relationship of all but one of the objects to nil.", .error),
        rule(
            .requiredReferenceMissing, code: "MC0838", title: "a required to-one relationship is nil",
            explanation: """
                The model requires a destination. The object cannot be saved after a change, and Swift code that declares \
                the property as non-optional crashes.
                """,
            fix: "Set the relationship, or delete the object, through Core Data.", .warning),
        rule(
            .ownerDangling, code: "MC0839", title: "a member belongs to an owner that does not exist",
            explanation: """
                The rows of a to-many relationship without an inverse have a column with the owner's key. The owner was \
                deleted without it.
                """,
            fix: "Set the column to NULL.", .warning),
    ]

    private static let members = [
        rule(
            .joinDangling, code: "MC0840", title: "a many-to-many pair refers to a row that does not exist",
            explanation: """
                A row of the join table has a key without an object. Core Data's fetches of the relationship skip it, but \
                counts and predicates in the database include it.
                """,
            fix: "Delete the rows of the join table.", .warning),
        rule(
            .joinWrongEntity, code: "MC0841", title: "a many-to-many pair has an object of another entity",
            explanation: "The object exists, but its entity does not have the relationship.",
            fix: "Delete the rows of the join table.", .error),
        rule(
            .joinDuplicate, code: "MC0842", title: "a many-to-many pair is stored twice",
            explanation: "The join table has lost its primary key, so that an object can be a member twice.",
            fix: "Delete all but one of the rows, and create the table again with its primary key.", .warning),
        rule(
            .orderMissing, code: "MC0843", title: "a member of an ordered relationship has no position",
            explanation: "The order column is NULL although the member has an owner. Its position is undefined.",
            fix: "Assign the relationship again through Core Data.", .warning),
        rule(
            .orderDuplicate, code: "MC0844", title: "members of an ordered relationship have the same position",
            explanation: "Their order is undefined, and may change from fetch to fetch.",
            fix: "Assign the relationship again through Core Data.", .warning),
        rule(
            .orderWithoutOwner, code: "MC0845", title: "an object has a position in a relationship that it is not in",
            explanation: "The order column has a value although the key is NULL. Core Data ignores it.",
            fix: "No action is needed.", .note),
        rule(
            .tooFew, code: "MC0846", title: "a to-many relationship has fewer objects than the model requires",
            explanation: """
                The object cannot be saved after a change until the relationship has enough members. An empty relationship \
                is reported only if the relationship is required and its minimum count is above 0.
                """,
            fix: "Add members, or lower the minimum count in the model.", .warning),
        rule(
            .tooMany, code: "MC0847", title: "a to-many relationship has more objects than the model allows",
            explanation: "The object cannot be saved after a change.",
            fix: "Remove members, or raise the maximum count in the model.", .warning),
    ]

    private static let owners = [
        rule(
            .unownedRow, code: "MC0848", title: "most objects of an entity have lost their owner",
            explanation: """
                Objects of the entity are reached through one relationship only, whose inverse cascades, and in most of \
                them it is nil. Deletions that did not cascade, such as batch deletes, leave such objects; nothing \
                shows or removes them.
                """,
            fix:
                "Delete the objects without an owner in the app, or with `modelc store repair --delete-unowned ENTITY`.",
            .note),
        rule(
            .duplicateRows, code: "MC0849", title: "objects of an entity are equal",
            explanation: """
                Objects have the same values and destinations. Reported for the entities that `--duplicates` names. \
                Imports and syncs without a uniqueness constraint create duplicates.
                """,
            fix: """
                Delete all but one of the objects in the app, or with `modelc store repair --duplicates ENTITY --unsafe-fixes`, \
                which lets references to the others refer to the one that stays, and add a uniqueness constraint.
                """, .note),
    ]
}
