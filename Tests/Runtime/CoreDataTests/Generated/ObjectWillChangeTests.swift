import CoreData
import Testing

/// `objectWillChange` of managed objects, as Combine's `ObservableObject` is documented: the publisher emits before the
/// object has changed.
@Suite struct ObjectWillChangeTests {
    private static func gadget() throws -> (Gadget, NSManagedObjectContext) {
        let contents = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Gadgets.xcdatamodeld/Gadgets.xcdatamodel/contents")
        let model = try CompiledFixture().load(String(contentsOf: contents, encoding: .utf8))
        let context = try Library.context(try Library.coordinator(model))
        let gadget = Gadget(context: context)
        gadget.name = "a"
        try context.save()
        return (gadget, context)
    }

    /// Returns whether a change has arrived, without waiting for one.
    private static func hasChange(_ values: AsyncStream<Void>) async -> Bool {
        let task = Task {
            for await _ in values { return true }
            return false
        }
        for _ in 0..<20 { await Task.yield() }
        task.cancel()
        return await task.value
    }

    @Test(arguments: ["accessor", "key", "scalar", "to-one", "to-many", "willChangeValue", "send"])
    func changesAreSent(kind: String) async throws {
        let (gadget, context) = try Self.gadget()
        let values = gadget.objectWillChange.values
        switch kind {
        case "accessor": gadget.name = "b"
        case "key": gadget.setValue("b", forKey: "name")
        case "scalar": gadget.count64 = 3
        case "to-one": gadget.crate = Crate(context: context)
        case "to-many": gadget.addToParts(Part(context: context))
        case "willChangeValue":
            gadget.willChangeValue(forKey: "name")
            gadget.didChangeValue(forKey: "name")
        default: gadget.objectWillChange.send()
        }
        #expect(await Self.hasChange(values))
    }

    @Test func theInverseObjectSendsItsChange() async throws {
        let (gadget, context) = try Self.gadget()
        let crate = Crate(context: context)
        let values = crate.objectWillChange.values
        gadget.crate = crate
        #expect(await Self.hasChange(values))
    }

    @Test func rollbackAndRefreshSendChanges() async throws {
        let (gadget, context) = try Self.gadget()
        gadget.name = "b"
        let rolledBack = gadget.objectWillChange.values
        context.rollback()
        #expect(await Self.hasChange(rolledBack))
        let other = gadget.objectWillChange.values
        context.refresh(gadget, mergeChanges: false)
        #expect(await Self.hasChange(other))
    }

    @Test func readsAndPrimitiveValuesSendNothing() async throws {
        let (gadget, context) = try Self.gadget()
        let values = gadget.objectWillChange.values
        _ = gadget.name
        _ = gadget.parts
        gadget.setPrimitiveValue("b", forKey: "name")
        try context.save()
        #expect(await !Self.hasChange(values))
    }

    @Test func unconsumedChangesAreCoalesced() async throws {
        let (gadget, _) = try Self.gadget()
        var iterator = gadget.objectWillChange.values.makeAsyncIterator()
        for number in 1...10 { gadget.count64 = Int64(number) }
        await iterator.next()
        #expect(gadget.count64 == 10)
        let values = gadget.objectWillChange.values
        #expect(await !Self.hasChange(values))
    }

    @Test func sequencesEndWithTheObject() async throws {
        var values: AsyncStream<Void>?
        do {
            let (gadget, context) = try Self.gadget()
            values = gadget.objectWillChange.values
            context.reset()
            withExtendedLifetime(gadget) {}
        }
        let sequence = try #require(values)
        var count = 0
        for await _ in sequence { count += 1 }
        #expect(count <= 1)
    }

    @Test func observationEndsWithTheLastSubscription() async throws {
        let (gadget, _) = try Self.gadget()
        let task = Task { [values = gadget.objectWillChange.values] in for await _ in values {} }
        task.cancel()
        await task.value
        // Ended subscriptions are noticed at the next change; key-path observation is independent of them.
        gadget.name = "b"
        var seen: [String?] = []
        let observation = gadget.observe(\.name, options: .new) { seen.append($1.newValue ?? nil) }
        gadget.name = "c"
        observation.invalidate()
        gadget.name = "d"
        #expect(seen == ["c"] && gadget.name == "d")
    }

    @Test func sendingWithoutSubscribersDoesNothing() throws {
        let (gadget, context) = try Self.gadget()
        gadget.objectWillChange.send()
        #expect(!gadget.hasChanges && !context.hasChanges)
    }
}
