import CoreData
import Testing

class NamedThing: NSManagedObject {
    func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        switch value.pointee as? String {
        case "bad": throw NameError.bad
        case "loud": value.pointee = "quiet" as NSString
        default: break
        }
    }

    class func keyPathsForValuesAffectingSummary() -> Set<String> { ["value", "others"] }
}

final class RenamedThing: NamedThing {
    override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        if value.pointee as? String == "worse" { throw NameError.worse }
        try super.validateValue(value)
    }
}

enum NameError: Error { case bad, worse }

/// The class that modelc's build plugin generates for a module.
final class _ManagedKeyMethods: ManagedKeyMethods {
    override class var validators: [Validator] {
        [
            (
                NamedThing.self, "Value",
                { object, value in try unsafeDowncast(object, to: NamedThing.self).validateValue(value) }
            )
        ]
    }
    override class var dependencies: [Dependency] {
        [(NamedThing.self, "Summary", { NamedThing.keyPathsForValuesAffectingSummary() })]
    }
    override class var classNames: [String: NSManagedObject.Type] { ["OldName": RenamedThing.self] }
}

/// `validate<Key>` and similar methods, as documented for `NSManagedObject.validateValue(_:forKey:)`: the model's rules
/// are checked first, then the method is called, which may replace the value.
@Suite struct KeyMethodTests {
    private static func context(isOptional: Bool = true) throws -> NSManagedObjectContext {
        let entity = NSEntityDescription()
        entity.name = "Thing"
        entity.managedObjectClassName = "OldName"
        let value = NSAttributeDescription()
        value.name = "value"
        value.attributeType = .stringAttributeType
        value.isOptional = isOptional
        entity.properties = [value]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return try Library.context(Library.coordinator(model))
    }

    @Test func entitiesFindClassesByTheirObjectiveCNames() throws {
        let context = try Self.context()
        let object = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        #expect(object is RenamedThing)
        #expect(RenamedThing(context: context).entity.name == "Thing")
    }

    @Test func aSaveCallsValidationMethodsOfTheClassAndItsSuperclass() throws {
        let context = try Self.context()
        let object = RenamedThing(context: context)
        object.setValue("loud", forKey: "value")
        try context.save()
        #expect(object.value(forKey: "value") as? String == "quiet")
        object.setValue("bad", forKey: "value")
        #expect(throws: NameError.bad) { try context.save() }
        object.setValue("worse", forKey: "value")
        #expect(throws: NameError.worse) { try context.save() }
    }

    @Test func theModelValidatesBeforeTheMethod() throws {
        let context = try Self.context(isOptional: false)
        let object = RenamedThing(context: context)
        var value: AnyObject?
        let error = #expect(throws: CocoaError.self) { try object.validateValue(&value, forKey: "value") }
        #expect(error?.code == .validationMissingMandatoryProperty)
        value = "bad" as NSString
        #expect(throws: NameError.bad) { try object.validateValue(&value, forKey: "value") }
    }

    @Test func dependentKeysComeFromTheMethod() {
        #expect(RenamedThing.keyPathsForValuesAffectingValue(forKey: "summary") == ["value", "others"])
        #expect(RenamedThing.keyPathsForValuesAffectingValue(forKey: "value") == [])
    }
}
