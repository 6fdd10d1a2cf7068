internal import Foundation
internal import RuntimeSupport

/// Validates batch requests and translates them into the form that stores execute.
extension BatchChange {
    /// Creates the change of a batch insertion. An unknown key, a value of the wrong class or a missing required value
    /// is reported as an error when its object is inserted.
    init(_ request: NSBatchInsertRequest, _ layout: EntityLayout) {
        guard !layout.entity.isAbstract else {
            misuse(
                "NSInvalidArgumentException", "the entity “\(layout.name)” is abstract and cannot be instantiated")
        }
        self.init(
            kind: .insert(values: Self.source(request, layout)), layout: layout, settings: Self.settings(layout),
            needsIDs: request.resultType == .objectIDs, request: request)
    }

    /// Creates the change of a batch update. Traps on an unknown property, a property that cannot be updated, or a
    /// value of the wrong class.
    init(_ request: NSBatchUpdateRequest, _ layout: EntityLayout) {
        guard let properties = request.propertiesToUpdate, !properties.isEmpty else {
            misuse("NSInvalidArgumentException", "Invalid properties to update: a batch update needs at least one")
        }
        var settings = Self.settings(layout)
        settings.predicate = request.predicate
        settings.includesSubentities = request.includesSubentities
        let assignments = properties.map { key, value in Self.assignment(key.base, value: value, layout: layout) }
        self.init(
            kind: .update(assignments.sorted { $0.slot < $1.slot }), layout: layout, settings: settings,
            needsIDs: request.resultType == .updatedObjectIDsResultType, request: request)
    }

    /// Creates the change of a batch deletion.
    init(_ request: NSBatchDeleteRequest, _ layout: EntityLayout) {
        var settings = request.fetchRequest.settings
        settings.entity = layout.entity
        settings.resultType = .managedObjectIDResultType
        settings.includesPendingChanges = false
        self.init(
            kind: .delete(request.objectIDs.map { .listed($0) } ?? .found), layout: layout, settings: settings,
            needsIDs: request.resultType == .resultTypeObjectIDs, request: request)
    }

    private static func settings(_ layout: EntityLayout) -> FetchSettings {
        var settings = FetchSettings()
        settings.entity = layout.entity
        settings.resultType = .managedObjectIDResultType
        settings.includesPendingChanges = false
        return settings
    }

    // MARK: Insertions

    private static func source(_ request: NSBatchInsertRequest, _ layout: EntityLayout) -> () throws -> NewObject? {
        if let handler = request.managedObjectHandler {
            let objectClass = ManagedObjectClasses.objectClass(of: layout)
            return {
                let object = objectClass.init(entity: layout.entity, insertInto: nil)
                if handler(object) { return nil }
                var values = layout.defaults
                for index in layout.attributeSlots { values[index] = object.realizedSlots()[index] }
                try check(values, layout)
                return NewObject(values: values)
            }
        }
        if let handler = request.dictionaryHandler {
            return {
                let dictionary = NSMutableDictionary()
                if handler(dictionary) { return nil }
                return try newObject(dictionary, layout)
            }
        }
        var rest = (request.objectsToInsert ?? [])[...]
        return { try rest.popFirst().map { try newObject($0, layout) } }
    }

    /// Returns the new object that a dictionary describes.
    private static func newObject<Key>(
        _ pairs: some Sequence<(key: Key, value: Any)>, _ layout: EntityLayout
    ) throws -> NewObject {
        var values = layout.defaults
        var given: [Int] = []
        given.reserveCapacity(pairs.underestimatedCount)
        for (key, value) in pairs {
            guard let name = key as? String, let index = layout.index(of: name),
                case .attribute(let type) = layout.slots[index].kind, !layout.slots[index].isTransient
            else {
                throw CoreDataError.error(
                    .managedObjectValidation,
                    text:
                        "a batch insertion sets stored attributes only, and “\(key)” is not one of the entity “\(layout.name)”",
                    userInfo: [NSValidationKeyErrorKey: "\(key)"])
            }
            guard let slotValue = slotValue(value, type) else {
                throw CoreDataError.error(
                    .managedObjectValidation,
                    text: wrongType(value, type: type, slot: layout.slots[index], layout: layout),
                    userInfo: [NSValidationKeyErrorKey: name, NSValidationValueErrorKey: value])
            }
            values[index] = slotValue
            given.append(index)
        }
        try check(values, layout)
        return NewObject(values: values, given: given)
    }

    /// Checks that all required attributes of a new object have values. Nothing else is validated.
    private static func check(_ values: [SlotValue], _ layout: EntityLayout) throws {
        for index in layout.requiredSlots {
            guard case .null = values[index] else { continue }
            let name = layout.slots[index].name
            throw CoreDataError.error(
                .validationMissingMandatoryProperty, text: "“\(layout.name).\(name)” is required and has no value",
                userInfo: [NSValidationKeyErrorKey: name])
        }
    }

    // MARK: Updates

    private static func assignment(_ key: Any, value: Any, layout: EntityLayout) -> Assignment {
        guard let name = key as? String ?? (key as? NSPropertyDescription)?.name else {
            misuse(
                "NSInvalidArgumentException",
                "properties to update are named by their names or descriptions, not by a \(Swift.type(of: key))")
        }
        guard let index = layout.index(of: name) else {
            misuse("NSInvalidArgumentException", "Invalid string key \(name) passed to propertiesToUpdate:")
        }
        let slot = layout.slots[index]
        guard layout.rowSlots.contains(index), !(slot.property is NSDerivedAttributeDescription) else {
            misuse(
                "NSInvalidArgumentException",
                "“\(layout.name).\(name)” cannot be updated in a batch: only stored attributes and to-one relationships can"
            )
        }
        var value = value
        if let expression = value as? NSExpression {
            guard expression.expressionType == .constantValue else {
                return Assignment(slot: index, value: .expression(expression))
            }
            value = expression.constantValue as Any
        }
        guard case .attribute(let type) = slot.kind else {
            return Assignment(slot: index, value: .constant(reference(value, slot: slot, layout: layout)))
        }
        return Assignment(slot: index, value: .constant(converted(value, type: type, slot: slot, layout: layout)))
    }

    private static func reference(_ value: Any, slot: EntityLayout.Slot, layout: EntityLayout) -> SlotValue {
        switch Unwrapping.value(value) {
        case nil: return .null
        case let id as NSManagedObjectID where !id.isTemporaryID: return .reference(id)
        case let object as NSManagedObject where !object.objectID.isTemporaryID: return .reference(object.objectID)
        default:
            misuse(
                "NSInvalidArgumentException",
                "“\(layout.name).\(slot.name)” is a relationship: it takes a saved object, its ID, or no value")
        }
    }

    /// Converts a value to a slot's type. Traps if its class is wrong.
    private static func converted(
        _ value: Any, type: NSAttributeType, slot: EntityLayout.Slot, layout: EntityLayout
    ) -> SlotValue {
        if let converted = slotValue(value, type) { return converted }
        misuse("NSInvalidArgumentException", wrongType(value, type: type, slot: slot, layout: layout))
    }

    /// Converts a value to a slot's type. Returns `nil` if its class is wrong.
    private static func slotValue(_ value: Any, _ type: NSAttributeType) -> SlotValue? {
        guard let value = Unwrapping.value(value) else { return .null }
        return ValueConversion.slotValue(value, type)
    }

    private static func wrongType(
        _ value: Any, type: NSAttributeType, slot: EntityLayout.Slot, layout: EntityLayout
    ) -> String {
        "Unacceptable type of value for attribute: property = \"\(slot.name)\"; entity = \(layout.name); desired type = "
            + "\(type.valueClassName ?? "NSObject"); given type = \(Swift.type(of: value)); value = \(value)."
    }
}
