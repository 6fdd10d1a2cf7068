import PostgreSQLTestSupport
import RuntimeSupport
import TestSupport

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import PostgreSQLSchema

/// Two versions of a model, stores of the first one in databases, the steps between them, and programs that save
/// meanwhile.
enum OnlineMigrationFixture {
    static func attribute(_ name: String, _ type: String = "String", _ rest: String = "optional=\"YES\"")
        -> String
    {
        "<attribute name=\"\(name)\" attributeType=\"\(type)\" \(rest)/>"
    }

    static let first = """
        <entity name="Author">\(attribute("name"))\
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="author" inverseEntity="Book"/></entity>\
        <entity name="Book">\(attribute("code", "Integer 32"))\(attribute("former"))\(attribute("title"))\
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="books" inverseEntity="Author"/>\
        <fetchIndex name="byFormer"><fetchIndexElement property="former" type="Binary" order="ascending"/></fetchIndex>\
        <uniquenessConstraints><uniquenessConstraint><constraint value="former"/></uniquenessConstraint>\
        </uniquenessConstraints></entity>
        """
    /// New attributes with and without default values, one that is required from now on, one less, a new entity with
    /// relationships to an old one, an index and another unique constraint.
    static let second = """
        <entity name="Author">\(attribute("born", "Date"))\(attribute("name"))\
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="author" inverseEntity="Book"/></entity>\
        <entity name="Book">\(attribute("code", "Integer 32", "defaultValueString=\"9\""))\
        \(attribute("pages", "Integer 32", "defaultValueString=\"7\""))\
        \(attribute("rating", "Double", "optional=\"YES\" defaultValueString=\"1.5\""))\(attribute("title"))\
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="books" inverseEntity="Author"/>\
        <relationship name="shelf" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Shelf" \
        inverseName="books" inverseEntity="Shelf"/>\
        <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="books" inverseEntity="Tag"/>\
        <fetchIndex name="byPages"><fetchIndexElement property="pages" type="Binary" order="ascending"/></fetchIndex>\
        <uniquenessConstraints><uniquenessConstraint><constraint value="title"/></uniquenessConstraint>\
        </uniquenessConstraints></entity>\
        <entity name="Shelf">\(attribute("label"))\
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="shelf" inverseEntity="Book"/></entity>\
        <entity name="Tag">\(attribute("label"))\
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="tags" inverseEntity="Book"/></entity>
        """

    struct Mismatch: Error {
        var description: String
    }

    static var options: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true as NSNumber] }

    /// A store of the first version.
    static func stack(books: Int) throws -> PostgreSQLStack {
        let stack = try PostgreSQLStack(try MigrationFixture.model(first))
        let context = try stack.context(stack.coordinator(options))
        try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            for number in 0..<books {
                let book = context.make("Book", ["title": "old \(number)", "former": "\(number)", "author": author])
                if number % 2 == 0 { book.setValue(number, forKey: "code") }
            }
            try context.save()
        }
        try stack.close(context)
        return stack
    }

    static func apply(_ step: PostgreSQLOnlinePlan.Step, from old: PostgreSQLStack, to new: PostgreSQLStack)
        throws
    {
        let administration = try PostgreSQLAdministration(url: old.url.absoluteString)
        let script = try PostgreSQLPlanScript(
            from: old.model, to: new.model, entityNumbers: administration.entityNumbers())
        do {
            try administration.apply(script.text(online: step))
        } catch let failure as DatabaseFailure {
            throw Mismatch(description: failure.reason)
        }
    }

    /// A program that saves until it is stopped, or cannot.
    final class Program: @unchecked Sendable {
        private let lock = NSLock()
        private var isStopped = false
        private var state: (saved: Int, failure: NSError?) = (0, nil)
        private let done = DispatchSemaphore(value: 0)

        var saved: Int { lock.withLock { state.saved } }

        init(_ stack: PostgreSQLStack, _ name: String, _ fill: @escaping (NSManagedObject, Int) -> Void) throws {
            let context = try stack.context(stack.coordinator(OnlineMigrationFixture.options))
            let (box, fill) = (SendableBox((stack, context)), SendableBox(fill))
            Thread.detachNewThread { [self] in
                let (stack, context) = box.value
                while !lock.withLock({ isStopped }) {
                    do {
                        try context.performAndWait {
                            let number = saved
                            let book = context.make("Book", ["title": "\(name) \(number)"])
                            fill.value(book, number)
                            try context.save()
                            lock.withLock { state.saved += 1 }
                            // What was saved is read again, with changes of the other programs.
                            context.refreshAllObjects()
                            guard try context.all("Book").count > number else { throw Mismatch(description: "lost") }
                        }
                    } catch {
                        lock.withLock { state.failure = error as NSError }
                        break
                    }
                }
                context.performAndWait { context.reset() }
                try? stack.close(context)
                done.signal()
            }
        }

        /// Waits until the program has saved some objects, or has failed.
        func wait(for count: Int) {
            let goal = saved + count
            while lock.withLock({ state.saved < goal && state.failure == nil }) { Thread.sleep(forTimeInterval: 0.01) }
        }

        /// Ends the program, and returns the error that has ended it before.
        func stop() -> NSError? {
            lock.withLock { isStopped = true }
            done.wait()
            return lock.withLock { state.failure }
        }
    }
}
