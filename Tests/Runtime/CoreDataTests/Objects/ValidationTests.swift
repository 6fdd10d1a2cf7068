import CoreData
import Testing

/// A class with custom validation, and one that inherits it.
class CheckingThing: NSManagedObject {
    override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        try super.validateValue(value, forKey: key)
        if key == "value", value.pointee as? String == "bad" { throw CocoaError(.managedObjectValidation) }
        if key == "value", value.pointee as? String == "loud" { value.pointee = "quiet" as NSString }
    }
}

final class InheritingThing: CheckingThing {
    override func willSave() {
        super.willSave()
    }
}

/// A class that does not override validation.
final class PlainThing: NSManagedObject {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue("fresh", forKey: "value")
    }
}

/// Validation errors that prevent saving.
@Suite(.overAllStores) struct ValidationTests {
    private static func model(_ configure: (NSAttributeDescription, NSRelationshipDescription) -> Void)
        -> NSManagedObjectModel
    {
        let entity = NSEntityDescription()
        entity.name = "Thing"
        let value = NSAttributeDescription()
        value.name = "value"
        value.attributeType = .stringAttributeType
        let others = NSRelationshipDescription()
        others.name = "others"
        others.destinationEntity = entity
        others.maxCount = 0
        configure(value, others)
        entity.properties = [value, others]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    @Test(arguments: [CheckingThing.self, InheritingThing.self, PlainThing.self] as [NSManagedObject.Type])
    func classesCanValidateAnyProperty(_ objectClass: NSManagedObject.Type) throws {
        let model = Self.model { _, _ in }
        let context = try Library.context(Library.coordinator(model))
        let entity = try #require(model.entitiesByName["Thing"])
        let thing = objectClass.init(entity: entity, insertInto: context)
        let checks = objectClass is CheckingThing.Type
        thing.setValue("bad", forKey: "value")
        if checks {
            #expect(throws: CocoaError.self) { try context.save() }
            #expect(thing.isInserted)
        } else {
            try context.save()
        }
        thing.setValue("loud", forKey: "value")
        try context.save()
        #expect(thing.value(forKey: "value") as? String == (checks ? "quiet" : "loud"))
    }

    private static func errors(
        _ model: NSManagedObjectModel, _ change: (NSManagedObject, NSManagedObjectContext) -> Void
    ) throws -> [NSError] {
        let context = try Library.context(Library.coordinator(model))
        let thing = context.make("Thing")
        change(thing, context)
        do {
            try context.save()
            return []
        } catch {
            let error = error as NSError
            #expect(error.domain == NSCocoaErrorDomain)
            guard error.code == NSValidationMultipleErrorsError else { return [error] }
            return try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
        }
    }

    @Test func missingMandatoryValuesAreErrors() throws {
        let model = Self.model { value, _ in value.isOptional = false }
        let errors = try Self.errors(model) { _, _ in }
        #expect(errors.map(\.code) == [NSValidationMissingMandatoryPropertyError])
        #expect(errors.first?.userInfo[NSValidationKeyErrorKey] as? String == "value")
        #expect(errors.first?.userInfo[NSValidationObjectErrorKey] is NSManagedObject)
        #expect(try Self.errors(model) { thing, _ in thing.setValue("x", forKey: "value") }.isEmpty)
    }

    @Test func validationPredicatesApply() throws {
        let model = Self.model { value, _ in
            value.setValidationPredicates(
                [NSPredicate(format: "length >= 2"), NSPredicate(format: "SELF MATCHES %@", "[a-z]+")],
                withValidationWarnings: [
                    NSNumber(value: NSValidationStringTooShortError),
                    NSNumber(value: NSValidationStringPatternMatchingError),
                ] as [Any])
        }
        #expect(try Self.errors(model) { thing, _ in thing.setValue("abc", forKey: "value") }.isEmpty)
        let errors = try Self.errors(model) { thing, _ in thing.setValue("1", forKey: "value") }
        #expect(errors.map(\.code) == [NSValidationStringTooShortError, NSValidationStringPatternMatchingError])
        #expect(errors.first?.userInfo[NSValidationValueErrorKey] as? String == "1")
        #expect(errors.first?.userInfo[NSValidationPredicateErrorKey] is NSPredicate)
    }

    @Test func relationshipCountsApply() throws {
        let model = Self.model { _, others in
            others.minCount = 2
            others.maxCount = 3
        }
        func others(_ count: Int) -> (NSManagedObject, NSManagedObjectContext) -> Void {
            { thing, context in
                thing.setValue(NSSet(array: (0..<count).map { _ in context.make("Thing") }), forKey: "others")
            }
        }
        // An optional relationship may be empty.
        #expect(try Self.errors(model, others(0)).isEmpty)
        #expect(try Self.errors(model, others(1)).map(\.code) == [NSValidationRelationshipLacksMinimumCountError])
        #expect(try Self.errors(model, others(3)).isEmpty)
        #expect(try Self.errors(model, others(4)).map(\.code) == [NSValidationRelationshipExceedsMaximumCountError])
    }

    @Test func errorsOfSeveralObjectsAreCombined() throws {
        let model = Self.model { value, _ in value.isOptional = false }
        let errors = try Self.errors(model) { _, context in _ = context.make("Thing") }
        #expect(
            errors.map(\.code) == [
                NSValidationMissingMandatoryPropertyError, NSValidationMissingMandatoryPropertyError,
            ])
    }

    @Test func errorsAreCocoaErrors() throws {
        let context = try Library.context()
        _ = context.make("Book", ["title": nil])
        do {
            try context.save()
            Issue.record("no error")
        } catch let error as CocoaError {
            #expect(error.code == .validationMissingMandatoryProperty)
        }
    }

    @Test func updatesAreValidatedLikeInsertions() throws {
        // Updates are validated like insertions.
        let context = try Library.context()
        let book = context.make("Book")
        try context.save()
        book.setValue(nil, forKey: "title")
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(book.isUpdated)
        context.rollback()
        #expect(book.value(forKey: "title") as? String == "Untitled")
    }
}
