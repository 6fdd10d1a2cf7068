import CoreData
import Testing

/// Generated accessors of deleted objects.
@Suite struct GeneratedDeletionTests {
    /// Generated code writes values in place: those of a deleted object may be shared with the store.
    @Test func writingADeletedObjectKeepsItsSavedValues() throws {
        let contents = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Gadgets.xcdatamodeld/Gadgets.xcdatamodel/contents")
        let coordinator = try Library.coordinator(CompiledFixture().load(String(contentsOf: contents, encoding: .utf8)))
        let writer = try Library.context(coordinator)
        Gadget(context: writer).name = "saved"
        try writer.save()
        let context = try Library.context(coordinator)
        let gadget = try #require(try context.fetch(NSFetchRequest<Gadget>(entityName: "Gadget")).first)
        #expect(gadget.name == "saved")
        context.delete(gadget)
        gadget.name = "changed"
        gadget.name = "changed again"
        #expect(gadget.name == "changed again")
        #expect(gadget.committedValues(forKeys: ["name"])["name"] as? String == "saved")
        let other = try Library.context(coordinator)
        #expect(try other.fetch(NSFetchRequest<Gadget>(entityName: "Gadget")).first?.name == "saved")
        context.rollback()
        #expect(gadget.name == "saved")
    }
}
