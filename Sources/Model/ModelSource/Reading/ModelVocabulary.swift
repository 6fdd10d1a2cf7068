internal import Diagnostics
internal import ModelSchema

/// The elements and XML attributes that a model source can have, for suggestions (Documentation/Formats/ModelSource.md,
/// 2).
enum ModelVocabulary {
    /// Returns advice for an unknown element: the name that was probably meant, or `nil` if none is close.
    static func elementHelp(_ name: String, in parent: String) -> String? {
        EditDistance.closest(to: name, among: children[parent] ?? []).map { "Did you mean <\($0)>?" }
    }

    /// Returns advice for an unknown XML attribute: the name that was probably meant, or `nil` if none is close.
    static func attributeHelp(_ name: String, on element: String) -> String? {
        let names = CanonicalOrder.attributeRanks(of: element, isOld: false).keys
            .filter { !unreadAttributes.contains($0) }
        return EditDistance.closest(to: name, among: names.sorted()).map { "Did you mean “\($0)”?" }
    }

    /// Names that other tools write but Xcode does not read.
    private static let unreadAttributes: Set = ["deleteRule", "inverse", "renamingIdentifier"]

    private static let children: [String: [String]] = [
        "model": ["entity", "fetchRequest", "configuration", "composite", "elements"],
        "entity": [
            "attribute", "relationship", "fetchedProperty", "compoundIndexes", "fetchIndex", "uniquenessConstraints",
            "userInfo",
        ],
        "attribute": ["userInfo"],
        "relationship": ["userInfo"],
        "fetchedProperty": ["fetchRequest", "userInfo"],
        "fetchIndex": ["fetchIndexElement"],
        "compoundIndexes": ["compoundIndex"],
        "compoundIndex": ["index"],
        "uniquenessConstraints": ["uniquenessConstraint"],
        "uniquenessConstraint": ["constraint"],
        "composite": ["attribute"],
        "configuration": ["memberEntity"],
        "elements": ["element"],
        "userInfo": ["entry"],
    ]
}
