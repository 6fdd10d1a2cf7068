internal import ModelSchema
internal import ModelSource

/// The inspector's fields: every XML attribute of `CanonicalOrder`, with its label and the control that edits it.
package enum InspectorVocabulary {
    /// A control that edits a value.
    package enum Control: String, Codable, Sendable {
        /// `YES`, or absent.
        case flag
        /// `YES`, `NO`, or absent.
        case optionalFlag
        case text
        /// An integer.
        case number
        /// A predicate or expression.
        case predicate
        /// One of a list of values.
        case choice
        /// The name of an entity.
        case entity
        /// The name of the inverse relationship.
        case inverse
        /// The name of a property.
        case property
        /// The name of a composite type.
        case composite
        /// A value that Xcode writes, which is only shown.
        case readOnly
    }

    /// A field of the inspector.
    package struct Field: Codable, Sendable {
        /// The XML attribute.
        package var attribute: String
        /// The label, as in Xcode's inspector.
        package var label: String
        /// The control that edits the value.
        package var control: Control
        /// The values of a choice; an empty one removes the attribute.
        package var choices: [String]
        /// The attribute types that have the field; empty for all.
        package var types: [String]
    }

    /// Returns the fields of a kind of element, in the order in which Xcode writes the XML attributes.
    package static func fields(of kind: String) -> [Field] {
        var ranks = CanonicalOrder.attributeRanks(of: kind, isOld: false)
        if kind == "entity" { ranks["coreSpotlightDisplayNameExpression"] = ranks.count }
        return ranks.sorted { $0.value < $1.value }.map { attribute, _ in
            Field(
                attribute: attribute, label: label(of: attribute), control: control(of: attribute, in: kind),
                choices: choices(of: attribute), types: types(of: attribute))
        }
    }

    /// The kinds of elements that have fields.
    package static let kinds = [
        "model", "entity", "attribute", "relationship", "fetchedProperty", "fetchRequest", "fetchIndex",
        "fetchIndexElement", "configuration", "entry",
    ]

    /// Returns the name of a kind of element.
    package static func kindName(_ kind: String) -> String {
        switch kind {
        case "fetchedProperty": "fetched property"
        case "fetchRequest": "fetch request"
        case "fetchIndex": "index"
        case "fetchIndexElement": "index element"
        case "uniquenessConstraint": "constraint"
        case "compoundIndex": "compound index"
        case "memberEntity": "entity of the configuration"
        case "entry": "user info entry"
        case "composite": "composite type"
        default: kind
        }
    }

    /// Returns the label of an XML attribute: Xcode's label if it has one, or else the words of the attribute's name.
    package static func label(of attribute: String) -> String {
        if let label = labels[attribute] { return label }
        var words = ""
        for character in attribute {
            if character.isUppercase, words.last?.isLowercase == true { words += " " }
            words.append(words.isEmpty ? Character(character.uppercased()) : character)
        }
        return words
    }

    private static let labels: [String: String] = [
        "allowsCloudEncryption": "Allows Cloud Encryption",
        "allowsExternalBinaryDataStorage": "Allows External Storage",
        "attributeType": "Type", "codeGenerationType": "Codegen", "composite": "Composite Type",
        "coreSpotlightDisplayNameExpression": "Spotlight Display Name", "customClassName": "Custom Class",
        "defaultDateTimeInterval": "Default Date", "defaultValueString": "Default Value",
        "deletionRule": "Delete Rule", "derivationExpression": "Derivation", "destinationEntity": "Destination",
        "elementID": "Renaming ID", "indexed": "Indexed (iOS 10 and earlier)", "inverseEntity": "Inverse’s Entity",
        "inverseName": "Inverse", "isAbstract": "Abstract Entity", "key": "Key",
        "lastSavedToolsVersion": "Saved with Tools",
        "maxCount": "Maximum Count", "maxDateTimeInterval": "Latest Date", "maxValueString": "Maximum",
        "minCount": "Minimum Count", "minDateTimeInterval": "Earliest Date", "minValueString": "Minimum",
        "minimumToolsVersion": "Tools Version", "name": "Name", "ordered": "Ordered", "parentEntity": "Parent Entity",
        "partialIndexPredicate": "Partial Index Predicate", "predicateString": "Predicate",
        "preserveAfterDeletion": "Preserve After Deletion", "regularExpressionString": "Regular Expression",
        "representedClassName": "Class", "sourceLanguage": "Language",
        "spotlightIndexingEnabled": "Index in Spotlight", "storedInTruthFile": "Store in External Record",
        "toMany": "To Many", "usedWithCloudKit": "Used with CloudKit", "usedWithSwiftData": "Used with SwiftData",
        "userDefinedModelVersionIdentifier": "Identifier", "usesScalarValueType": "Use Scalar Type", "value": "Value",
        "valueTransformerName": "Transformer", "versionHashModifier": "Hash Modifier",
    ]

    private static func control(of attribute: String, in kind: String) -> Control {
        switch attribute {
        case "optional", "transient", "derived", "toMany", "ordered", "isAbstract", "indexed",
            "spotlightIndexingEnabled",
            "storedInTruthFile", "allowsExternalBinaryDataStorage", "allowsCloudEncryption", "preserveAfterDeletion":
            .flag
        case "usesScalarValueType", "syncable", "usedWithCloudKit", "usedWithSwiftData", "includeSubentities",
            "includePropertyValues", "includesPendingChanges", "returnObjectsAsFaults", "returnDistinctResults":
            .optionalFlag
        case "minCount", "maxCount", "fetchLimit", "fetchBatchSize": .number
        case "predicateString", "partialIndexPredicate", "derivationExpression", "expression": .predicate
        case "attributeType", "deletionRule", "codeGenerationType", "sourceLanguage", "order", "resultType": .choice
        case "type" where kind == "fetchIndexElement": .choice
        case "destinationEntity", "parentEntity", "entity": .entity
        case "inverseName": .inverse
        case "property": .property
        case "composite": .composite
        case "inverseEntity", "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "macOSVersion",
            "iOSVersion", "deleteRule", "inverse", "renamingIdentifier":
            .readOnly
        case "name" where kind == "model": .readOnly
        default: .text
        }
    }

    private static func choices(of attribute: String) -> [String] {
        switch attribute {
        case "attributeType": AttributeType.allCases.map(\.xmlValue)
        case "deletionRule": DeleteRule.allCases.map(\.xmlValue)
        case "codeGenerationType": ["", "class", "category"]
        case "sourceLanguage": ["Swift", "Objective-C"]
        case "order": ["ascending", "descending"]
        case "type": ["Binary", "RTree"]
        case "resultType": ["", "0", "1", "2", "4"]
        default: []
        }
    }

    /// Returns the attribute types that have a field.
    static func types(of attribute: String) -> [String] {
        let numbers: [AttributeType] = [.integer16, .integer32, .integer64, .decimal, .double, .float]
        let types: [AttributeType] =
            switch attribute {
            case "minValueString", "maxValueString": numbers + [.string]
            case "defaultValueString": numbers + [.string, .boolean, .uuid, .uri]
            case "defaultDateTimeInterval", "minDateTimeInterval", "maxDateTimeInterval": [.date]
            case "regularExpressionString": [.string]
            case "valueTransformerName", "customClassName": [.transformable]
            case "allowsExternalBinaryDataStorage": [.binary]
            case "composite": [.composite]
            case "usesScalarValueType":
                [.integer16, .integer32, .integer64, .double, .float, .boolean, .date, .uuid]
            default: []
            }
        return types.map(\.xmlValue)
    }
}
