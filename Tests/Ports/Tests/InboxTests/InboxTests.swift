import XCTest

@testable import Inbox

// Core Data is used without an import of it.
final class InboxTests: XCTestCase {
    private let store = MessageStore()
    private var context: NSManagedObjectContext { store.container.viewContext }

    private func insert(_ titles: String...) throws {
        for title in titles { Message(context: context).title = title }
        try context.save()
    }

    func testRequestsOfOneTypeBecomeRequestsOfAnother() throws {
        try insert("b", "a")
        XCTAssertEqual(try context.fetch(Message.all()).map(\.title), ["a", "b"])
        let unread = try XCTUnwrap(Message.unread())
        XCTAssertEqual(unread.fetchLimit, 10)
        XCTAssertEqual(try context.fetch(unread).count, 2)
        XCTAssertEqual(try store.count(), 2)
    }

    func testAModelOfTheModuleHasOnlyItsEntities() {
        let model = store.container.managedObjectModel
        XCTAssertEqual(model.entities.map(\.name), ["Entry"])
        XCTAssertEqual(model.entities.first?.managedObjectClassName, "Message")
        XCTAssertEqual(store.modelFiles.map(\.lastPathComponent), ["Inbox.momd"])
        XCTAssertTrue(MessageStore.identifier.hasSuffix(".messages") && MessageStore.identifier.count > 9)
    }

    func testObjectsAreMadeOfMetatypes() throws {
        XCTAssertTrue(type(of: Message.make(in: context)) == Message.self)
        XCTAssertNil(Message.made(of: Message.entity()).managedObjectContext)
        Labels.insert(Message.self, context).title = "a"
        XCTAssertEqual(Labels.insert([Message.self], context).map { $0.entity.name }, ["Entry"])
        XCTAssertEqual(context.insertedObjects.count, 3)
    }

    func testSetsHaveLiterals() {
        XCTAssertEqual(Labels.important, NSSet(array: ["family", "work"]))
        Labels.hidden?.add("spam")
        XCTAssertEqual(Labels.hidden?.count, 1)
        XCTAssertEqual(Labels.counted().count(for: "work"), 2)
        XCTAssertTrue(Labels.isImportant(["family"]))
        XCTAssertFalse(Labels.isImportant(["spam"]))
    }

    func testNotificationsCallMethods() throws {
        var observer: SaveObserver? = SaveObserver(context)
        try insert("a", "b")
        NotificationCenter.default.post(name: SaveObserver.other, object: "sender")
        XCTAssertEqual(observer?.count("willSave"), 1)
        XCTAssertEqual(observer?.count("didSave 2"), 1)
        XCTAssertEqual(observer?.count("other sender"), 1)
        observer?.stop()
        try insert("c")
        XCTAssertEqual(observer?.count("willSave"), 2)
        XCTAssertEqual(observer?.count("didSave 1"), 0)
        weak var released: SaveObserver?
        released = observer
        observer = nil
        XCTAssertNil(released)
        NotificationCenter.default.post(name: SaveObserver.other, object: nil)
    }

    func testTimersCallMethods() {
        let observer = SaveObserver(context)
        observer.runTimer()
        XCTAssertEqual(observer.count("tick"), 1)
    }

    private final class Delegate: InboxDelegate {
        var calls: [String] = []
        func inboxDidOpen() { calls.append("open") }
        func inbox(_ name: String, didReceive count: Int) { calls.append("\(name) \(count)") }
    }

    func testOptionalRequirementsMayBeMissing() {
        let inbox = Inbox()
        let delegate = Delegate()
        inbox.delegate = delegate
        inbox.others.add(delegate)
        inbox.run()
        XCTAssertEqual(delegate.calls, ["open", "Inbox 3"])
        XCTAssertEqual(inbox.delay, 2_000_000_000)
        XCTAssertEqual(inbox.summary(3), "3 messages")
    }

    func testLogsAreWritten() {
        XCTAssertEqual(InboxLog.open("a"), 1)
        XCTAssertEqual(InboxLog.open("b"), 2)
    }
}
