import CoreData
import Testing

/// A class whose title depends on other properties.
final class Titled: NSManagedObject {
    override static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "name" ? ["count32", "crate.gadgets"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }
}

/// Key-value observing with blocks, as Apple's Key-Value Observing Programming Guide and the header of
/// `NSKeyValueObserving` describe it.
@Suite struct ObservingTests {
    private static func stack() throws -> (NSManagedObjectContext, NSPersistentStoreCoordinator) {
        let contents = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Gadgets.xcdatamodeld/Gadgets.xcdatamodel/contents")
        let model = try CompiledFixture().load(String(contentsOf: contents, encoding: .utf8))
        let coordinator = try Library.coordinator(model)
        return (try Library.context(coordinator), coordinator)
    }

    @Test func settingAnAttributeNotifies() throws {
        let (context, _) = try Self.stack()
        let gadget = Gadget(context: context)
        gadget.name = "a"
        var seen: [String] = []
        let observation = gadget.observe(\.name, options: [.old, .new]) { object, change in
            #expect(object === gadget && change.kind == .setting && !change.isPrior)
            seen.append("\(change.oldValue??.description ?? "-") \(change.newValue??.description ?? "-")")
        }
        gadget.name = "b"
        gadget.setValue("c", forKey: "name")
        gadget.name = nil
        gadget.count32 = 5
        gadget.setPrimitiveValue("d", forKey: "name")
        #expect(seen == ["a b", "b c", "c -"])
        observation.invalidate()
        gadget.name = "e"
        #expect(seen.count == 3 && gadget.name == "e")
    }

    @Test func scalarsNotifyAccordingToOptions() throws {
        let (context, _) = try Self.stack()
        let gadget = Gadget(context: context)
        var seen: [String] = []
        var observation: NSKeyValueObservation? = gadget.observe(\.count64, options: [.initial, .prior, .new, .old]) {
            seen.append("\($1.isPrior) \($1.oldValue ?? -1) \($1.newValue ?? -1)")
        }
        gadget.count64 = 3
        #expect(seen == ["false -1 0", "true 0 -1", "false 0 3"])
        _ = observation
        observation = nil
        gadget.count64 = 4
        #expect(seen.count == 3)
    }

    @Test func changesHaveNoValuesWithoutOptions() throws {
        let (context, _) = try Self.stack()
        let gadget = Gadget(context: context)
        var count = 0
        let observation = gadget.observe(\.price) { _, change in
            #expect(change.newValue == nil && change.oldValue == nil)
            count += 1
        }
        gadget.price = 2
        gadget.price = 2
        #expect(count == 2)
        observation.invalidate()
    }

    @Test func bothSidesOfARelationshipNotify() throws {
        let (context, _) = try Self.stack()
        let (gadget, part) = (Gadget(context: context), Part(context: context))
        var seen: [String] = []
        let parts = gadget.observe(\.parts, options: [.new, .old]) { _, change in
            seen.append("parts \(change.kind) \(change.oldValue??.count ?? -1) \(change.newValue??.count ?? -1)")
        }
        let owner = part.observe(\.gadget, options: [.new]) { object, change in
            seen.append("gadget \(change.newValue.map { $0 === gadget } ?? false)")
        }
        part.gadget = gadget
        #expect(seen == ["parts insertion -1 1", "gadget true"])
        seen = []
        gadget.removeFromParts(part)
        #expect(seen == ["gadget false", "parts removal 1 -1"])
        seen = []
        gadget.parts = NSSet(array: [part])
        #expect(seen == ["gadget true", "parts setting 0 1"])
        seen = []
        context.delete(part)
        context.processPendingChanges()
        #expect(seen == ["parts removal 1 -1"])
        parts.invalidate()
        owner.invalidate()
    }

    @Test func orderedChangesHaveIndexes() throws {
        let (context, _) = try Self.stack()
        let crate = Crate(context: context)
        let gadgets = (0..<3).map { _ in Gadget(context: context) }
        var seen: [IndexSet?] = []
        let observation = crate.observe(\.gadgets) { seen.append($1.indexes) }
        for gadget in gadgets { crate.addToGadgets(gadget) }
        crate.removeFromGadgets(gadgets[1])
        gadgets[2].crate = nil
        #expect(seen == [[0], [1], [2], [1], [1]])
        observation.invalidate()
    }

    @Test func pathsFollowTheirObjects() throws {
        let (context, _) = try Self.stack()
        let part = Part(context: context)
        let gadgets = ["a", "b"].map { name in
            let gadget = Gadget(context: context)
            gadget.name = name
            return gadget
        }
        var seen: [String] = []
        let observation = part.observe(\.gadget?.name, options: [.old, .new]) {
            seen.append("\($1.oldValue??.description ?? "-") \($1.newValue??.description ?? "-")")
        }
        gadgets[0].name = "x"
        part.gadget = gadgets[0]
        gadgets[0].name = "y"
        part.gadget = gadgets[1]
        gadgets[0].name = "z"
        gadgets[1].name = "c"
        #expect(seen == ["- x", "x y", "y b", "b c"])
        observation.invalidate()
        gadgets[1].name = "d"
        #expect(seen.count == 4)
    }

    @Test func undoRollbackAndRefreshNotify() throws {
        let (context, coordinator) = try Self.stack()
        let gadget = Gadget(context: context)
        gadget.name = "a"
        try context.save()
        context.undoManager = UndoManager()
        var seen: [String?] = []
        let observation = gadget.observe(\.name, options: .new) { seen.append($1.newValue ?? nil) }
        gadget.name = "b"
        context.undo()
        #expect(seen == ["b", "a"])
        gadget.name = "c"
        context.rollback()
        #expect(seen == ["b", "a", "c", "a"])
        // Another context's save.
        let other = try Library.context(coordinator)
        try other.fetch(Gadget.fetchRequest()).first?.name = "d"
        try other.save()
        context.refresh(gadget, mergeChanges: true)
        #expect(seen.suffix(1) == ["d"])
        let count = seen.count
        gadget.count32 = 9
        context.refresh(gadget, mergeChanges: true)
        #expect(seen.count == count && gadget.name == "d")
        observation.invalidate()
    }

    @Test func dependentKeysNotify() throws {
        let (context, _) = try Self.stack()
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Gadget", in: context))
        let titled = Titled(entity: entity, insertInto: context)
        #expect(Titled.keyPathsForValuesAffectingValue(forKey: "price").isEmpty)
        var count = 0
        let observation = titled.observe(\.anyName) { _, _ in count += 1 }
        titled.setValue(3, forKey: "count32")
        titled.setValue("x", forKey: "name")
        titled.setValue(1.5, forKey: "price")
        #expect(count == 2)
        observation.invalidate()
    }

    @Test func handlersMayInvalidateTheirObservation() throws {
        let (context, _) = try Self.stack()
        let gadget = Gadget(context: context)
        var count = 0
        var observations: [NSKeyValueObservation] = []
        for _ in 0..<2 {
            observations.append(
                gadget.observe(\.name) { _, _ in
                    count += 1
                    for observation in observations { observation.invalidate() }
                })
        }
        gadget.name = "a"
        gadget.name = "b"
        #expect(count == 1)
    }

    @Test func objectsMayBeReleasedBeforeTheirObservation() throws {
        let (context, _) = try Self.stack()
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Gadget", in: context))
        var gadget: Gadget? = Gadget(entity: entity, insertInto: nil)
        weak let weakly = gadget
        let observation = gadget?.observe(\.name) { _, _ in }
        gadget = nil
        #expect(weakly == nil)
        observation?.invalidate()
        context.rollback()
    }

    @Test func manualSetMutationsNotify() throws {
        let (context, _) = try Self.stack()
        let (gadget, part) = (Gadget(context: context), Part(context: context))
        var count = 0
        let observation = gadget.observe(\.parts) { _, _ in count += 1 }
        gadget.willChangeValue(forKey: "parts", withSetMutation: .union, using: [part])
        (gadget.primitiveValue(forKey: "parts") as? NSMutableSet)?.add(part)
        gadget.didChangeValue(forKey: "parts", withSetMutation: .union, using: [part])
        #expect(part.gadget === gadget && count == 1)
        gadget.willChangeValue(forKey: "parts", withSetMutation: .minus, using: [part])
        (gadget.primitiveValue(forKey: "parts") as? NSMutableSet)?.remove(part)
        gadget.didChangeValue(forKey: "parts", withSetMutation: .minus, using: [part])
        #expect(part.gadget == nil && gadget.parts?.count == 0 && count == 2)
        observation.invalidate()
    }
}

extension Titled {
    /// A custom accessor.
    var anyName: String? { primitiveValue(forKey: "name") as? String }
}
