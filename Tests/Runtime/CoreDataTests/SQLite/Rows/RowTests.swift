import Foundation
import Testing

@testable import CoreData

/// The rows that stores, caches and objects share.
@Suite struct RowTests {
    private static let texts =
        ["", "a", "ä", "0123456789abcde", "0123456789abcdef", "\0", "🙂", "e\u{301}"]
        + [Row.textLimit - 1, Row.textLimit, Row.textLimit + 1, 10_000].map { String(repeating: "x", count: $0) }

    @Test func rowsHoldValuesOfEveryKind() throws {
        let object = NSObject()
        let box = ValueBox(URL(fileURLWithPath: "/tmp"))
        var values: [SlotValue] = [
            .null, .boolean(true), .boolean(false), .integer(.min), .integer(.max), .double(-0.0), .double(.infinity),
            .float(1.5), .date(Date(timeIntervalSinceReferenceDate: 0.1)), .uuid(UUID()), .data(Data([1, 2, 3])),
            .data(Data(count: 1000)), .object(object), .boxed(box), .null,
        ]
        values += Self.texts.map { .string($0) }
        let row = Row.make(values, version: 7)
        #expect(row.version == 7 && row.count == values.count && !row.isStale)
        for (slot, value) in values.enumerated() {
            let areEqual = row[slot].isEqual(value) && row.reader[slot].isEqual(value)
            #expect(areEqual, "slot \(slot)")
        }
        guard case .float = row[7], case .object(let same) = row[12] else { throw CancellationError() }
        let isSame = ObjectIdentifier(same) == ObjectIdentifier(object)
        #expect(isSame)
        #expect(Row.make([], version: 1).count == 0)
    }

    @Test func textsAreReadFromTheirBytes() {
        let row = Row.make(count: 3, version: 1, textSize: 9) { fields in
            Array("Grüße".utf8).withUnsafeBytes { fields.setText($0, at: 2) }
            // Not valid UTF-8.
            ([0xFF, 0x41] as [UInt8]).withUnsafeBytes { fields.setText($0, at: 0) }
        }
        guard case .string(let text) = row[2], case .string(let repaired) = row[0], case .null = row[1] else {
            Issue.record("\(row[0]) \(row[1]) \(row[2])")
            return
        }
        #expect(text == "Grüße" && repaired == "\u{FFFD}A")
        // An object's own copies are recognized, other texts are not.
        let isOwn = withUnsafePointer(to: row[2]) { row.fields.isSame(2, as: $0) }
        let isOther = withUnsafePointer(to: SlotValue.string("Grüsse")) { row.fields.isSame(2, as: $0) }
        #expect(isOwn && !isOther)
    }

    @Test func rowsReleaseTheirValues() {
        weak var released: NSObject?
        weak var box: ValueBox?
        do {
            let (object, made) = (NSObject(), ValueBox(1))
            (released, box) = (object, made)
            var row: Row? = Row.make(
                [.object(object), .string("a text of more than fifteen bytes"), .boxed(made)], version: 1)
            guard case .object? = row?[0] else { return }
            row = nil
        }
        #expect(released == nil && box == nil)
    }

    @Test func fetchedTextsOfAnyLengthAreTheSame() throws {
        let store = try TestStore()
        let context = try store.open()
        try context.performAndWait {
            for (number, text) in Self.texts.enumerated() { _ = context.make("Author", ["name": text, "age": number]) }
            _ = context.make("Author", ["age": Self.texts.count])
            try context.save()
        }
        let other = try store.open()
        try other.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
            let found = try other.fetch(request)
            #expect(found.count == Self.texts.count + 1)
            for (object, text) in zip(found, Self.texts) {
                #expect((object.value(forKey: "name") as? String).map { Array($0.utf8) } == Array(text.utf8))
                // The same value is no change, another one is.
                object.setValue(text, forKey: "name")
                #expect(object.changedValues().isEmpty)
                object.setValue(text + "!", forKey: "name")
                #expect(Set(object.changedValues().keys) == ["name"])
                #expect(object.committedValues(forKeys: ["name"])["name"] as? String == text)
            }
            #expect(found.last?.value(forKey: "name") == nil)
            other.rollback()
            #expect(zip(found, Self.texts).allSatisfy { $0.value(forKey: "name") as? String == $1 })
        }
    }

    /// Other programs may have written values of other types, and texts that are not UTF-8.
    @Test func textsOfOtherTypesAreConverted() throws {
        let store = try TestStore()
        let context = try store.open()
        try context.performAndWait {
            for number in 0..<4 { _ = context.make("Author", ["name": "author \(number)", "age": number]) }
            try context.save()
        }
        let database = try store.database()
        for (number, value) in ["12", "1.5", "x'4142'", "CAST(x'41FF42' AS TEXT)"].enumerated() {
            try database.run("UPDATE ZAUTHOR SET ZNAME = \(value) WHERE ZAGE = \(number)")
        }
        let other = try store.open()
        try other.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
            let names = try other.fetch(request).map { $0.value(forKey: "name") as? String }
            #expect(names == ["12", "1.5", "AB", "A\u{FFFD}B"])
        }
    }

    @Test func valuesStayTheSameHoweverOftenTheyAreRead() throws {
        let store = try TestStore()
        let context = try store.open()
        let name = "a name that is longer than fifteen bytes"
        try context.performAndWait {
            _ = context.make("Author", ["name": name, "age": 7])
            try context.save()
            context.reset()
            let author = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first)
            for _ in 0..<200 {
                #expect(author.value(forKey: "name") as? String == name && author.value(forKey: "age") as? Int == 7)
            }
            #expect(!author.hasChanges && author.changedValues().isEmpty && !context.hasChanges)
            context.refresh(author, mergeChanges: false)
            #expect(author.isFault && author.value(forKey: "name") as? String == name)
            author.setValue(8, forKey: "age")
            try context.save()
            #expect(author.value(forKey: "name") as? String == name && author.value(forKey: "age") as? Int == 8)
        }
    }
}
