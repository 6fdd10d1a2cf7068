internal import Foundation

/// The checks before a save (Documentation/Formats/RuntimeBehavior.md, 4.2).
enum Validation {
    /// Checks all properties of a new or changed object, each with `validateValue(_:forKey:)`, which classes override.
    static func checkAll(of object: NSManagedObject) throws {
        var errors: [any Error] = []
        // Such a class may check any property.
        let objectClass = type(of: object)
        let isCustom = MethodOverrides.checksValues(objectClass) || KeyMethods.hasValidators(objectClass)
        for index in isCustom ? Array(object.layout.slots.indices) : object.layout.conditionSlots {
            let slot = object.layout.slots[index]
            guard slot.kind != .fetched else { continue }
            var value = object.anyValue(at: index).map { $0 as AnyObject }
            let before = value
            do {
                try object.validateValue(&value, forKey: slot.name)
                if value !== before { object.setAnyValue(value, at: index) }
            } catch {
                errors.append(error)
            }
        }
        try finish(errors)
    }

    /// Whether new and changed objects of a class are always valid: neither the model nor the class has conditions.
    static func isTrivial(_ objectClass: NSManagedObject.Type, _ layout: EntityLayout) -> Bool {
        layout.conditionSlots.isEmpty && !MethodOverrides.checksObjects(objectClass)
            && !MethodOverrides.checksValues(objectClass) && !KeyMethods.hasValidators(objectClass)
    }

    /// Checks one property.
    static func check(_ value: Any?, at index: Int, of object: NSManagedObject) throws {
        let slot = object.layout.slots[index]
        guard slot.hasConditions else { return }
        let value = ValueConversion.unwrapped(value)
        var errors: [NSError] = []
        if case .toMany = slot.kind {
            if let relationship = slot.property as? NSRelationshipDescription {
                errors += countErrors(value, relationship, object)
            }
        } else if value == nil, !slot.isOptional {
            errors.append(
                error(
                    .validationMissingMandatoryProperty,
                    "“\(object.layout.name).\(slot.name)” is required and has no value",
                    object, slot.name, nil))
        }
        if let value { errors += predicateErrors(value, slot.property, object) }
        if let value, let composite = slot.property as? NSCompositeAttributeDescription {
            errors += elementErrors(value, composite, object)
        }
        try finish(errors)
    }

    private static func predicateErrors(
        _ value: Any, _ property: NSPropertyDescription, _ object: NSManagedObject, _ path: String? = nil
    ) -> [NSError] {
        zip(property.validationPredicates, property.validationWarnings).compactMap { predicate, warning in
            guard !predicate.evaluate(with: value) else { return nil }
            let code = (warning as? NSNumber)?.intValue ?? (warning as? Int) ?? NSManagedObjectValidationError
            let text =
                (warning as? String) ?? "“\(object.layout.name).\(path ?? property.name)” is not valid: \(predicate)"
            return error(
                CocoaError.Code(rawValue: code), text, object, path ?? property.name, value,
                [NSValidationPredicateErrorKey: predicate])
        }
    }

    /// The elements of a composite attribute that has a value.
    private static func elementErrors(
        _ value: Any, _ composite: NSCompositeAttributeDescription, _ object: NSManagedObject
    ) -> [NSError] {
        CompositeValue.leaves(value, composite, composite.name).flatMap { path, element, value in
            if let value { return predicateErrors(value, element, object, path) }
            guard !element.isOptional else { return [NSError]() }
            return [
                error(
                    .validationMissingMandatoryProperty, "“\(object.layout.name).\(path)” is required and has no value",
                    object, path, nil)
            ]
        }
    }

    /// The counts of a to-many relationship hold when it is required or not empty.
    private static func countErrors(
        _ value: Any?, _ relationship: NSRelationshipDescription, _ object: NSManagedObject
    ) -> [NSError] {
        let count = (value as? NSSet)?.count ?? (value as? NSOrderedSet)?.count ?? 0
        let path = "“\(object.layout.name).\(relationship.name)”"
        if count == 0, relationship.isOptional { return [] }
        let least = relationship.minCount
        if count < least {
            return [
                error(
                    .validationRelationshipLacksMinimumCount, "\(path) holds \(count) objects and needs \(least)",
                    object,
                    relationship.name, value)
            ]
        }
        guard relationship.maxCount > 0, count > relationship.maxCount else { return [] }
        return [
            error(
                .validationRelationshipExceedsMaximumCount,
                "\(path) holds \(count) objects and can hold \(relationship.maxCount)", object, relationship.name, value
            )
        ]
    }

    /// Checks that a deleted object may be deleted.
    static func checkDeletion(of object: NSManagedObject) throws {
        var errors: [NSError] = []
        for index in object.layout.toOneSlots + object.layout.toManySlots {
            let slot = object.layout.slots[index]
            guard slot.deleteRule == .denyDeleteRule else { continue }
            let others =
                slot.kind == .toOne ? object.toOne(at: index).map { [$0] } ?? [] : object.toMany(at: index).members
            guard others.contains(where: { !$0.isMarkedDeleted }) else { continue }
            errors.append(deniedDeletion(object, index))
        }
        try finish(errors)
    }

    /// The error of an object that a relationship's delete rule keeps from being deleted.
    static func deniedDeletion(_ object: NSManagedObject, _ index: Int) -> NSError {
        let name = object.layout.slots[index].name
        return error(
            .validationRelationshipDeniedDelete,
            "“\(object.layout.name).\(name)” holds objects and denies that the object is deleted", object, name,
            object.anyValue(at: index))
    }

    /// The error of a relationship that leads to an object which is deleted.
    static func danglingReference(_ object: NSManagedObject, _ index: Int, _ other: NSManagedObject) -> NSError {
        let name = object.layout.slots[index].name
        return error(
            .managedObjectValidation,
            "“\(object.layout.name).\(name)” is a dangling reference to an invalid object: "
                + "\(other.objectID.uriRepresentation()) is deleted", object, name, other)
    }

    // MARK: Errors

    private static func error(
        _ code: CocoaError.Code, _ text: String, _ object: NSManagedObject, _ key: String, _ value: Any?,
        _ more: [String: Any] = [:]
    ) -> NSError {
        var userInfo = more
        userInfo[NSValidationObjectErrorKey] = object
        userInfo[NSValidationKeyErrorKey] = key
        if let value { userInfo[NSValidationValueErrorKey] = value }
        return CoreDataError.error(code, text, userInfo)
    }

    private static func finish(_ errors: [any Error]) throws {
        guard let first = errors.first else { return }
        throw errors.count == 1 ? first : combined(errors.map { $0 as NSError })
    }

    /// Several errors as one.
    static func combined(_ errors: [NSError]) -> NSError {
        CoreDataError.error(
            .validationMultipleErrors,
            "Multiple validation errors occurred: " + errors.map(\.localizedDescription).joined(separator: "; "),
            [NSDetailedErrorsKey: errors])
    }
}
