internal import ModelMigration
package import ModelSchema

/// The settings of an element as text, so that all kinds of elements are compared in the same way.
///
/// Settings with the default value of a compiled model are left out, so that a source with an explicit default equals
/// one without it.
struct FieldValues {
    private(set) var values: [(field: Field, text: String)] = []

    private mutating func add(_ field: Field, _ text: String?) {
        if let text, !text.isEmpty { values.append((field, text)) }
    }

    private mutating func add(_ field: Field, _ flag: Bool?) {
        if flag == true { values.append((field, "yes")) }
    }

    private mutating func add(_ userInfo: [UserInfoEntry]) {
        let entries = userInfo.map { "\($0.key) = \($0.value)" }.sorted()
        add(.userInfo, entries.joined(separator: ", "))
    }

    /// Returns the settings with different values, in the order of `Field`.
    static func changes(from old: FieldValues, to new: FieldValues) -> [FieldChange] {
        let oldValues = Dictionary(old.values.map { ($0.field, $0.text) }) { first, _ in first }
        let newValues = Dictionary(new.values.map { ($0.field, $0.text) }) { first, _ in first }
        return Field.allCases.compactMap { field in
            let (old, new) = (oldValues[field], newValues[field])
            return old == new ? nil : FieldChange(field: field, old: old, new: new, changesHash: false)
        }
    }

    private mutating func add(property: some PropertySettings) {
        add(.name, property.name)
        add(.renamingIdentifier, property.renamingIdentifier)
        add(.versionHashModifier, property.versionHashModifier)
        add(property.userInfo)
        add(.isOptional, property.isOptional)
    }

    private mutating func add(stored property: some StoredPropertySettings) {
        add(property: property)
        add(.isTransient, property.isTransient)
        add(.isIndexed, property.isIndexed)
        add(.isIndexedBySpotlight, property.isIndexedBySpotlight)
        add(.isStoredInTruthFile, property.isStoredInTruthFile)
    }

    // MARK: Elements

    init(_ property: Property) {
        switch property {
        case .attribute(let attribute): self.init(attribute)
        case .relationship(let relationship): self.init(relationship)
        case .fetched(let fetched): self.init(fetched)
        }
    }

    private init(_ attribute: Attribute) {
        add(stored: attribute)
        add(.type, attribute.unknownType ?? attribute.type.xmlValue)
        // An empty text is a default value, unlike no default.
        add(.defaultValue, attribute.defaultText.map { $0.isEmpty ? "“”" : $0 })
        add(.minimum, attribute.type == .date ? attribute.minimumDateInterval : attribute.minimum)
        add(.maximum, attribute.type == .date ? attribute.maximumDateInterval : attribute.maximum)
        add(.regularExpression, attribute.regularExpression)
        add(.usesScalarType, attribute.usesScalarType)
        add(.valueTransformer, attribute.valueTransformerName)
        add(.customClass, attribute.customClassName)
        add(.allowsExternalBinaryStorage, attribute.allowsExternalBinaryStorage)
        add(.allowsCloudEncryption, attribute.allowsCloudEncryption)
        add(.isPreservedAfterDeletion, attribute.isPreservedAfterDeletion)
        if attribute.isDerived { add(.derivation, attribute.derivationExpression ?? "") }
        add(.composite, attribute.compositeName)
    }

    private init(_ relationship: Relationship) {
        add(stored: relationship)
        add(.destination, relationship.destinationName)
        add(.inverse, relationship.inverseName)
        add(.isToMany, relationship.isToMany)
        add(.isOrdered, relationship.isOrdered)
        if relationship.compiledMinimumCount != 0 { add(.minimumCount, String(relationship.compiledMinimumCount)) }
        let plainMaximum = relationship.isToMany ? 0 : 1
        if relationship.compiledMaximumCount != plainMaximum {
            add(.maximumCount, String(relationship.compiledMaximumCount))
        }
        add(.deleteRule, relationship.unknownDeleteRule ?? relationship.deleteRule?.xmlValue)
    }

    private init(_ fetched: FetchedProperty) {
        add(property: fetched)
        if let request = fetched.fetchRequest { add(.fetchRequest, request.text) }
    }

    init(_ entity: Entity) {
        add(.name, entity.name)
        add(.renamingIdentifier, entity.renamingIdentifier)
        add(.versionHashModifier, entity.versionHashModifier)
        add(entity.userInfo)
        add(.parentEntity, entity.parentName)
        add(.isAbstract, entity.isAbstract)
        add(.className, entity.className.text)
        add(.codeGeneration, entity.codeGeneration.inspectorName)
        add(
            .uniquenessConstraints,
            entity.uniquenessConstraints.filter { !$0.properties.isEmpty }.map { constraint in
                "(" + constraint.properties.map(\.name).joined(separator: ", ") + ")"
            }.sorted().joined(separator: ", "))
        add(.fetchIndexes, entity.fetchIndexes.map(\.text).sorted().joined(separator: ", "))
        add(
            .compoundIndexes,
            entity.compoundIndexes.map { "(" + $0.propertyNames.map(\.name).joined(separator: ", ") + ")" }.sorted()
                .joined(separator: ", "))
        add(.spotlightDisplayName, entity.spotlightDisplayNameExpression)
    }

    init(_ request: FetchRequestTemplate) {
        add(.name, request.name)
        add(.fetchRequest, request.text)
    }

    init(_ configuration: Configuration) {
        add(.name, configuration.name)
        add(.entities, configuration.members.map(\.entityName).sorted().joined(separator: ", "))
        add(.usedWithCloudKit, configuration.usedWithCloudKit)
    }

    init(_ composite: CompositeType) {
        add(.name, composite.name)
        add(
            .attributes,
            composite.attributes.map { attribute in
                let type = attribute.compositeName ?? attribute.type.xmlValue
                return "\(attribute.name): \(type)" + (attribute.isOptional ? " (optional)" : "")
            }.sorted().joined(separator: ", "))
    }

    init(_ settings: ModelSettings) {
        add(.versionIdentifier, settings.userDefinedModelVersionIdentifier)
        add(.sourceLanguage, settings.sourceLanguage)
        add(.minimumToolsVersion, settings.minimumToolsVersion)
        add(.usedWithCloudKit, settings.usedWithCloudKit)
    }
}

/// The settings of all kinds of properties.
private protocol PropertySettings {
    var name: String { get }
    var renamingIdentifier: String? { get }
    var versionHashModifier: String? { get }
    var userInfo: [UserInfoEntry] { get }
    var isOptional: Bool { get }
}

/// The settings of attributes and relationships.
private protocol StoredPropertySettings: PropertySettings {
    var isTransient: Bool { get }
    var isIndexed: Bool { get }
    var isIndexedBySpotlight: Bool { get }
    var isStoredInTruthFile: Bool { get }
}

extension Attribute: StoredPropertySettings {}
extension Relationship: StoredPropertySettings {}
extension FetchedProperty: PropertySettings {}

extension FetchRequestTemplate {
    /// The request on one line.
    fileprivate var text: String {
        var parts = [entityName ?? ""]
        if let predicate, !predicate.isEmpty { parts.append("where \(predicate)") }
        if let fetchLimit, fetchLimit != 0 { parts.append("limit \(fetchLimit)") }
        if let fetchBatchSize, fetchBatchSize != 0 { parts.append("batch size \(fetchBatchSize)") }
        if let resultType, resultType != 0 { parts.append("result type \(resultType)") }
        if includesSubentities == false { parts.append("without subentities") }
        if includesPropertyValues == false { parts.append("without property values") }
        if includesPendingChanges == false { parts.append("without pending changes") }
        if returnsObjectsAsFaults == false { parts.append("as full objects") }
        if returnsDistinctResults == true { parts.append("distinct") }
        return parts.joined(separator: " ")
    }
}

extension FetchIndex {
    /// The index on one line.
    fileprivate var text: String {
        let columns = elements.map { element in
            (element.propertyName ?? element.expression ?? "") + (element.isAscending ? "" : " descending")
                + (element.type == "RTree" ? " R-tree" : "")
        }
        var text = "\(name)(\(columns.joined(separator: ", ")))"
        if let partialIndexPredicate, !partialIndexPredicate.isEmpty { text += " where \(partialIndexPredicate)" }
        return text
    }
}
