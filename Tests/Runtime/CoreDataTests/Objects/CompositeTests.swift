import CoreData
import Testing

/// Composite attributes, as shown in "What's new in Core Data" (WWDC 2023): a dictionary whose keys are the elements'
/// names, and key paths into it.
@Suite struct CompositeTests {
    static func coordinator(
        primaryIsOptional: Bool = true, finIsOptional: Bool = true
    ) throws -> NSPersistentStoreCoordinator {
        let inner = NSCompositeAttributeDescription()
        inner.name = "tail"
        inner.isOptional = true
        let fin = attribute("fin", .stringAttributeType)
        fin.isOptional = finIsOptional
        inner.elements = [fin, attribute("length", .integer64AttributeType)]
        let scheme = NSCompositeAttributeDescription()
        scheme.name = "colorScheme"
        scheme.isOptional = true
        let (primary, coats) = (attribute("primary", .stringAttributeType), attribute("coats", .integer64AttributeType))
        primary.isOptional = primaryIsOptional
        coats.setValidationPredicates([NSPredicate(format: "SELF < 10")], withValidationWarnings: [1610])
        scheme.elements = [primary, coats, inner]
        let aircraft = NSEntityDescription()
        aircraft.name = "Aircraft"
        aircraft.properties = [attribute("name", .stringAttributeType), scheme]
        let model = NSManagedObjectModel()
        model.entities = [aircraft]
        return try Library.coordinator(model)
    }

    @Test func dictionariesRoundTrip() throws {
        let coordinator = try Self.coordinator()
        let context = try Library.context(coordinator)
        let plane = context.make("Aircraft", ["name": "a"])
        #expect(plane.value(forKey: "colorScheme") == nil)
        plane.setValue(["primary": "red", "coats": 2, "tail": ["fin": "blue"]] as [String: Any], forKey: "colorScheme")
        try context.save()
        let other = try Library.context(coordinator)
        let same = try #require(try other.all("Aircraft").first)
        let scheme = try #require(same.value(forKey: "colorScheme") as? [String: Any])
        #expect(scheme["primary"] as? String == "red" && scheme["coats"] as? Int == 2)
        #expect(same.value(forKeyPath: "colorScheme.primary") as? String == "red")
        #expect(same.value(forKeyPath: "colorScheme.tail.fin") as? String == "blue")
        var changed = scheme
        changed["primary"] = "green"
        same.setValue(changed, forKey: "colorScheme")
        #expect(same.hasPersistentChangedValues && same.changedValues().keys.sorted() == ["colorScheme"])
        same.setValue(scheme, forKey: "colorScheme")
        #expect(!same.hasPersistentChangedValues)
    }

    @Test func predicatesAndSortsReadElements() throws {
        let context = try Library.context(try Self.coordinator())
        for (number, color) in ["red", "blue", "red"].enumerated() {
            _ = context.make(
                "Aircraft",
                [
                    "name": "\(number)",
                    "colorScheme": ["primary": color, "coats": 3 - number, "tail": ["fin": color]] as [String: Any],
                ])
        }
        _ = context.make("Aircraft", ["name": "bare"])
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Aircraft")
        request.predicate = NSPredicate(format: "colorScheme.primary == %@ AND colorScheme.tail.fin == 'red'", "red")
        request.sortDescriptors = [NSSortDescriptor(key: "colorScheme.coats", ascending: true)]
        #expect(try context.fetch(request).map { $0.value(forKey: "name") as? String } == ["2", "0"])
        request.predicate = NSPredicate(format: "colorScheme == nil")
        #expect(try context.fetch(request).map { $0.value(forKey: "name") as? String } == ["bare"])
        request.predicate = NSPredicate(format: "colorScheme.primary == nil")
        #expect(try context.count(for: request) == 1)
    }

    @Test func elementsHaveTheirTypes() throws {
        let context = try Library.context(try Self.coordinator())
        let plane = context.make("Aircraft", ["name": "a"])
        plane.setValue(["coats": Int16(1), "primary": NSNull()] as [String: Any], forKey: "colorScheme")
        let scheme = try #require(plane.value(forKey: "colorScheme") as? [String: Any])
        #expect(scheme["coats"] as? Int64 == 1 && scheme["primary"] == nil)
    }

    @Test func elementsAreValidated() throws {
        let context = try Library.context(try Self.coordinator(primaryIsOptional: false))
        let plane = context.make("Aircraft", ["name": "a"])
        try plane.validateForInsert()
        plane.setValue(["primary": "red"], forKey: "colorScheme")
        try plane.validateForInsert()
        plane.setValue(["coats": 3], forKey: "colorScheme")
        for check in [plane.validateForInsert, context.save] {
            #expect(
                try #require(#expect(throws: CocoaError.self) { try check() }).code
                    == .validationMissingMandatoryProperty)
        }
        plane.setValue(["coats": 11, "primary": "red"] as [String: Any], forKey: "colorScheme")
        #expect {
            try context.save()
        } throws: {
            ($0 as NSError).userInfo[NSValidationKeyErrorKey] as? String == "colorScheme.coats"
        }
    }

    /// An optional group inside a composite may be missing, like an optional composite attribute; a group with values
    /// needs those that it requires.
    @Test func requiredElementsOfMissingGroupsAreNotRequired() throws {
        let coordinator = try Self.coordinator(finIsOptional: false)
        let context = try Library.context(coordinator)
        let plane = context.make("Aircraft", ["colorScheme": ["primary": "red"]])
        try context.save()
        let length = ["primary": "red", "tail": ["length": 2]] as [String: Any]
        plane.setValue(length, forKey: "colorScheme")
        #expect {
            try context.save()
        } throws: {
            ($0 as NSError).userInfo[NSValidationKeyErrorKey] as? String == "colorScheme.tail.fin"
        }
    }

    @Test func unknownElementsTrap() async {
        await #expect(processExitsWith: .failure) {
            let plane = try Library.context(try CompositeTests.coordinator()).make("Aircraft", [:])
            plane.setValue(["colour": "red"], forKey: "colorScheme")
        }
        await #expect(processExitsWith: .failure) {
            let plane = try Library.context(try CompositeTests.coordinator()).make("Aircraft", [:])
            plane.setValue("red", forKey: "colorScheme")
        }
    }
}
