internal import Foundation
internal import RuntimeSupport

/// The checks before a save (Documentation/Formats/RuntimeBehavior.md, 4.2).
enum Validation {
    /// Checks all properties of a new or changed object, each with `validateValue(_:forKey:)` if the class customizes
    /// it.
    static func checkAll(of object: NSManagedObject) throws {
        var errors: [any Error] = []
        let objectClass = type(of: object)
        let isPlain = !MethodOverrides.checksValues(objectClass) && !KeyMethods.hasValidators(objectClass)
        for index in checkedSlots(objectClass, object.layout) {
            let slot = object.layout.slots[index]
            // Most conditions are that there is a value.
            if isPlain, slot.needsOnlyValue, !object.realizedSlots()[index].isNull { continue }
            guard slot.kind != .fetched else { continue }
            var value = object.anyValue(at: index).map { $0 as AnyObject }
            let before = value
            do {
                try object.validateValue(&value, forKey: slot.name)
                // Setting an equal value would count as a change and cause another round of validation.
                if value !== before, !isSame(value, before) { object.setAnyValue(value, at: index) }
            } catch {
                errors.append(error)
            }
        }
        try finish(errors)
    }

    /// Returns the slots whose values are validated. A class that overrides `validateValue(_:forKey:)` may check any
    /// property; otherwise only those with a condition or a method `validate<Key>`: a relationship would have to be
    /// looked up.
    private static func checkedSlots(_ objectClass: NSManagedObject.Type, _ layout: EntityLayout) -> [Int] {
        if MethodOverrides.checksValues(objectClass) { return Array(layout.slots.indices) }
        guard KeyMethods.hasValidators(objectClass) else { return layout.conditionSlots }
        return layout.slots.indices.filter { index in
            layout.slots[index].hasConditions
                || KeyMethods.validator(of: objectClass, forKey: layout.slots[index].name) != nil
        }
    }

    private static func isSame(_ one: AnyObject?, _ other: AnyObject?) -> Bool {
        guard let one = one as? NSObject, let other = other as? NSObject else { return false }
        return one.isEqual(other)
    }

    /// Returns whether new and changed objects of a class are always valid: neither the model nor the class has
    /// conditions.
    static func isTrivial(_ objectClass: NSManagedObject.Type, _ layout: EntityLayout) -> Bool {
        layout.conditionSlots.isEmpty && !MethodOverrides.checksObjects(objectClass)
            && !MethodOverrides.checksValues(objectClass) && !KeyMethods.hasValidators(objectClass)
    }

    /// Returns whether objects of a class may always be deleted: neither the model nor the class denies it.
    static func isDeletionTrivial(_ objectClass: NSManagedObject.Type, _ layout: EntityLayout) -> Bool {
        layout.denyingSlots.isEmpty && !MethodOverrides.checksDeletions(objectClass)
    }

    /// Checks one property.
    static func check(_ value: Any?, at index: Int, of object: NSManagedObject) throws {
        let slot = object.layout.slots[index]
        guard slot.hasConditions else { return }
        let value = Unwrapping.value(value)
        let subject = Subject(object)
        if case .toMany = slot.kind, let relationship = slot.property as? NSRelationshipDescription {
            let predicateErrors =
                value.map { self.predicateErrors($0, property: slot.property, subject: subject) } ?? []
            return try finish(countErrors(value, relationship: relationship, subject: subject) + predicateErrors)
        }
        try finish(valueErrors(value, slot: slot, subject: subject))
    }

    /// Checks the attributes and the presence of to-one destinations in a row without a managed object.
    static func check(_ row: [SlotValue], _ layout: EntityLayout) throws {
        let subject = Subject(layout)
        var errors: [NSError] = []
        for index in layout.conditionSlots where layout.isInRow(index) {
            let slot = layout.slots[index]
            if case .attribute = slot.kind {
                errors += valueErrors(row[index].anyValue, slot: slot, subject: subject)
            } else if row[index].isNull {
                errors += valueErrors(nil, slot: slot, subject: subject)
            }
        }
        try finish(errors)
    }

    /// The subject of validation: an object, or a row without one.
    private struct Subject {
        let layout: EntityLayout
        let object: NSManagedObject?

        init(_ object: NSManagedObject) { (layout, self.object) = (object.layout, object) }

        init(_ layout: EntityLayout) { (self.layout, object) = (layout, nil) }
    }

    /// Returns the errors of an attribute or a to-one relationship.
    private static func valueErrors(_ value: Any?, slot: EntityLayout.Slot, subject: Subject) -> [NSError] {
        guard let value else {
            guard !slot.isOptional else { return [] }
            let text = "“\(subject.layout.name).\(slot.name)” is required and has no value"
            return [
                error(.validationMissingMandatoryProperty, text: text, subject: subject, key: slot.name, value: nil)
            ]
        }
        var errors = predicateErrors(value, property: slot.property, subject: subject)
        if let composite = slot.property as? NSCompositeAttributeDescription {
            errors += elementErrors(value, composite: composite, prefix: composite.name, subject: subject)
        }
        return errors
    }

    private static func predicateErrors(
        _ value: Any, property: NSPropertyDescription, subject: Subject, path: String? = nil
    ) -> [NSError] {
        zip(property.validationPredicates, property.validationWarnings).compactMap { predicate, warning in
            guard !predicate.evaluate(with: value) else { return nil }
            let code = (warning as? NSNumber)?.intValue ?? (warning as? Int) ?? NSManagedObjectValidationError
            let text =
                (warning as? String) ?? "“\(subject.layout.name).\(path ?? property.name)” is not valid: \(predicate)"
            return error(
                CocoaError.Code(rawValue: code), text: text, subject: subject, key: path ?? property.name, value: value,
                more: [NSValidationPredicateErrorKey: predicate])
        }
    }

    /// Returns the errors of the elements of a composite attribute that has a value.
    private static func elementErrors(
        _ value: Any?, composite: NSCompositeAttributeDescription, prefix: String, subject: Subject
    ) -> [NSError] {
        let values = value as? [String: Any] ?? [:]
        return composite.elements.flatMap { element -> [NSError] in
            let (path, value) = ("\(prefix).\(element.name)", values[element.name])
            if let group = element as? NSCompositeAttributeDescription {
                // An optional group may be missing, regardless of what its elements require. Stores read an empty one
                // as missing.
                let isMissing = (value as? [String: Any])?.isEmpty ?? true
                guard !isMissing || !group.isOptional else { return [] }
                return elementErrors(value, composite: group, prefix: path, subject: subject)
            }
            if let value { return predicateErrors(value, property: element, subject: subject, path: path) }
            guard !element.isOptional else { return [] }
            return [
                error(
                    .validationMissingMandatoryProperty,
                    text: "“\(subject.layout.name).\(path)” is required and has no value",
                    subject: subject, key: path, value: nil)
            ]
        }
    }

    /// Returns the errors of a to-many relationship's count, whose limits apply if it is required or not empty.
    private static func countErrors(
        _ value: Any?, relationship: NSRelationshipDescription, subject: Subject
    ) -> [NSError] {
        let count = (value as? NSSet)?.count ?? (value as? NSOrderedSet)?.count ?? 0
        let path = "“\(subject.layout.name).\(relationship.name)”"
        if count == 0, relationship.isOptional { return [] }
        let least = relationship.minCount
        if count < least {
            return [
                error(
                    .validationRelationshipLacksMinimumCount, text: "\(path) holds \(count) objects and needs \(least)",
                    subject: subject,
                    key: relationship.name, value: value)
            ]
        }
        guard relationship.maxCount > 0, count > relationship.maxCount else { return [] }
        return [
            error(
                .validationRelationshipExceedsMaximumCount,
                text: "\(path) holds \(count) objects and can hold \(relationship.maxCount)", subject: subject,
                key: relationship.name,
                value: value
            )
        ]
    }

    /// Checks that a deleted object may be deleted.
    static func checkDeletion(of object: NSManagedObject) throws {
        var errors: [NSError] = []
        for index in object.layout.denyingSlots {
            let slot = object.layout.slots[index]
            let others =
                slot.kind == .toOne ? object.toOne(at: index).map { [$0] } ?? [] : object.toMany(at: index).members
            guard others.contains(where: { !$0.isMarkedDeleted }) else { continue }
            errors.append(deniedDeletion(object, index))
        }
        try finish(errors)
    }

    /// Returns the error for an object whose deletion a relationship's delete rule denies.
    static func deniedDeletion(_ object: NSManagedObject, _ index: Int) -> NSError {
        let name = object.layout.slots[index].name
        return error(
            .validationRelationshipDeniedDelete,
            text: "“\(object.layout.name).\(name)” holds objects and denies that the object is deleted",
            subject: Subject(object),
            key: name,
            value: object.anyValue(at: index))
    }

    /// Returns the error for a relationship to a deleted object.
    static func danglingReference(_ object: NSManagedObject, index: Int, other: NSManagedObject) -> NSError {
        let name = object.layout.slots[index].name
        return error(
            .managedObjectValidation,
            text: "“\(object.layout.name).\(name)” is a dangling reference to an invalid object: "
                + "\(other.objectID.uriRepresentation()) is deleted", subject: Subject(object), key: name, value: other)
    }

    // MARK: Errors

    private static func error(
        _ code: CocoaError.Code, text: String, subject: Subject, key: String, value: Any?,
        more: [String: Any] = [:]
    ) -> NSError {
        var userInfo = more
        if let object = subject.object { userInfo[NSValidationObjectErrorKey] = object }
        userInfo[NSValidationKeyErrorKey] = key
        if let value { userInfo[NSValidationValueErrorKey] = value }
        return CoreDataError.error(code, text: text, userInfo: userInfo)
    }

    private static func finish(_ errors: [any Error]) throws {
        guard let first = errors.first else { return }
        throw errors.count == 1 ? first : combined(errors.map { $0 as NSError })
    }

    static func combined(_ errors: [NSError]) -> NSError {
        CoreDataError.error(
            .validationMultipleErrors,
            text: "Multiple validation errors occurred: " + errors.map(\.localizedDescription).joined(separator: "; "),
            userInfo: [NSDetailedErrorsKey: errors])
    }
}
