import CoreData
import TestSupport
import Testing

/// Triggers that Apple's framework made for a model and that the runtime does not make itself.
@Suite struct AppleTriggerTests {
    /// The form of `ZT_ZDETECTEDFACE_ZASSETVISIBLE_ZASSET_INSERT_INCREMENT` in the stores of Photos.
    @Test func rowsWithCountingTriggersAreSaved() throws {
        let store = try TestStore()
        var context = try store.open()
        let author = context.make("Author", ["name": "Ann", "age": 0])
        try context.save()
        try TestStore.close(context)
        try store.database().run(
            """
            CREATE TRIGGER ZT_ZAUTHOR_ZAGE_ZBOOK_INSERT_INCREMENT AFTER INSERT ON ZBOOK FOR EACH ROW WHEN NEW.ZPAGES > 0 BEGIN
            UPDATE ZAUTHOR SET ZAGE = IFNULL(ZAGE, 0) + 1 WHERE Z_PK = NEW.ZAUTHOR;
            SELECT NSCoreDataTriggerUpdateAffectedObjectValue('ZAUTHOR', Z_ENT, Z_PK, 'ZAGE', ZAGE)
            FROM ZAUTHOR WHERE Z_PK = NEW.ZAUTHOR; END
            """)
        context = try store.open()
        let uri = author.objectID.uriRepresentation()
        let id = try #require(context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
        let owner = context.object(with: id)
        #expect(owner.value(forKey: "age") as? Int == 0)
        for pages in [0, 5, 7] { _ = context.make("Book", ["pages": pages, "author": owner]) }
        try context.save()
        context.refresh(owner, mergeChanges: false)
        #expect(owner.value(forKey: "age") as? Int == 2)
        try TestStore.close(context)
    }
}
