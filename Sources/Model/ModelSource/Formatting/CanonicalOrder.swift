/// The order in which Xcode writes the elements and attributes of a model (Documentation/Formats/ModelSource.md, 3).
package enum CanonicalOrder {
    /// Returns the ranks of the XML attributes of an element.
    ///
    /// - Parameter isOld: Whether Xcode 7 or earlier saved the file. These wrote the version identifier of a model
    ///   directly after its name.
    package static func attributeRanks(of element: String, isOld: Bool) -> [String: Int] {
        if element == "model" { return isOld ? oldModelRanks : modelRanks }
        return ranks[element] ?? [:]
    }

    /// Returns the ranks of the elements inside an element.
    package static func childRanks(of element: String) -> [String: Int] { children[element] ?? [:] }

    /// Returns the kinds of elements that Xcode sorts by name inside an element. All others stay in the order of the
    /// file: Xcode keeps the order in which indexes, constraints, members of configurations and attributes of
    /// composites were created.
    package static func sortedKinds(in element: String) -> [String] {
        switch element {
        case "model": ["entity"]
        case "entity": ["attribute", "relationship"]
        default: []
        }
    }

    /// Returns whether Xcode 7 or earlier saved a model (tools version 10 174 and below;
    /// Documentation/Formats/ModelSource.md, 3.2). Version 1 is that of new files in Xcode 26.
    package static func wasSavedByXcode7OrEarlier(toolsVersion: String?) -> Bool {
        guard let major = toolsVersion?.prefix(while: { $0 != "." }) else { return false }
        return Int(major).map { (2..<11_198).contains($0) } ?? false
    }

    private static let modelRanks = ranks(
        """
        name type documentVersion lastSavedToolsVersion systemVersion minimumToolsVersion sourceLanguage \
        usedWithCloudKit usedWithSwiftData userDefinedModelVersionIdentifier macOSVersion iOSVersion
        """)

    private static let oldModelRanks = ranks(
        """
        name userDefinedModelVersionIdentifier type documentVersion lastSavedToolsVersion systemVersion \
        minimumToolsVersion sourceLanguage usedWithCloudKit usedWithSwiftData macOSVersion iOSVersion
        """)

    private static let ranks: [String: [String: Int]] = [
        "entity": ranks(
            """
            name representedClassName isAbstract parentEntity elementID versionHashModifier syncable codeGenerationType
            """),
        "attribute": ranks(
            """
            name optional transient attributeType valueTransformerName allowsExternalBinaryDataStorage \
            allowsCloudEncryption minDateTimeInterval minValueString maxDateTimeInterval maxValueString \
            defaultDateTimeInterval defaultValueString renamingIdentifier derived derivationExpression \
            usesScalarValueType customClassName preserveAfterDeletion composite regularExpressionString indexed \
            spotlightIndexingEnabled storedInTruthFile versionHashModifier elementID syncable
            """),
        "relationship": ranks(
            """
            name optional transient toMany minCount maxCount deletionRule ordered deleteRule destinationEntity \
            inverseName inverseEntity indexed spotlightIndexingEnabled storedInTruthFile inverse versionHashModifier \
            elementID syncable
            """),
        "fetchRequest": ranks(
            """
            name entity predicateString fetchLimit fetchBatchSize includeSubentities includePropertyValues \
            includesPendingChanges returnObjectsAsFaults returnDistinctResults resultType
            """),
        "fetchedProperty": ranks("name optional versionHashModifier elementID syncable"),
        "fetchIndex": ranks("name partialIndexPredicate"),
        "fetchIndexElement": ranks("property expression type order"),
        "configuration": ranks("name usedWithCloudKit"),
        "element": ranks("name positionX positionY width height"),
        "entry": ranks("key value"),
    ]

    private static let children: [String: [String: Int]] = [
        "model": ranks("entity fetchRequest configuration composite elements"),
        "entity": ranks(
            """
            attribute relationship fetchedProperty compoundIndexes fetchIndex uniquenessConstraints userInfo
            """),
        "composite": ranks("attribute"),
        "fetchedProperty": ranks("fetchRequest userInfo"),
    ]

    private static func ranks(_ names: String) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: names.split(separator: " ").enumerated().map { (String($1), $0) })
    }
}
