import CoreData
import Testing

/// Batch deletions in SQLite stores.
@Suite struct BatchDeleteTests {
    private func request(_ entity: String, _ predicate: NSPredicate? = nil) -> NSBatchDeleteRequest {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        fetch.predicate = predicate
        return NSBatchDeleteRequest(fetchRequest: fetch)
    }

    /// Checks that no key refers to a missing row, in any table.
    private func check(_ stack: HistoryStack) throws {
        for (column, table) in [
            ("ZAUTHOR", "ZAUTHOR"), ("ZSHELF", "ZSHELF"), ("ZSEQUEL", "ZBOOK"), ("ZPREQUEL", "ZBOOK"),
        ] {
            let dangling = try stack.rows(
                "SELECT count(*) FROM ZBOOK WHERE \(column) NOT NULL AND \(column) NOT IN (SELECT Z_PK FROM \(table))")
            #expect(dangling == [["0"]], "\(column)")
        }
        let joins = try stack.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z~_%TAGS' ESCAPE '~'")
        let table = try #require(joins.first?[0])
        let columns = try stack.rows("SELECT name FROM pragma_table_info('\(table)')").compactMap { $0[0] }
        let (tag, book) = (
            try #require(columns.first { $0.hasSuffix("TAGS") }), try #require(columns.first { $0.hasSuffix("BOOKS") })
        )
        #expect(
            try stack.rows(
                "SELECT count(*) FROM \(table) WHERE \(tag) NOT IN (SELECT Z_PK FROM ZTAG) "
                    + "OR \(book) NOT IN (SELECT Z_PK FROM ZBOOK)") == [["0"]])
        #expect(try stack.rows("PRAGMA integrity_check") == [["ok"]])
    }

    @Test func relationshipsStayConsistent() throws {
        let stack = try HistoryStack()
        let context = try stack.context()
        let authors = ["a", "b"].map { context.make("Author", ["name": $0]) }
        let tags = ["x", "y"].map { context.make("Tag", ["name": $0]) }
        let books = (0..<6).map { number in
            context.make(
                number % 2 == 0 ? "Book" : "Novel",
                ["title": "t\(number)", "author": authors[number / 3], "tags": NSSet(array: tags)])
        }
        books[0].setValue(books[1], forKey: "sequel")
        try context.save()
        let author = request("Author", NSPredicate(format: "name == 'a'"))
        author.resultType = .resultTypeObjectIDs
        let result = try #require(try context.execute(author) as? NSBatchDeleteResult)
        #expect(result.result as? [NSManagedObjectID] == [authors[0].objectID])
        try check(stack)
        // The books that lost their author have new versions.
        #expect(try stack.rows("SELECT count(*) FROM ZBOOK WHERE ZAUTHOR IS NULL AND Z_OPT = 2") == [["3"]])
        let changes = try #require(try context.history().last?.changes)
        #expect(changes.filter { $0.changeType == .delete }.map(\.changedObjectID) == [authors[0].objectID])
        #expect(
            Set(changes.filter { $0.changeType == .update }.map(\.changedObjectID))
                == Set(books[0..<3].map(\.objectID)))
        let some = NSBatchDeleteRequest(objectIDs: [books[1].objectID, books[5].objectID])
        some.resultType = .resultTypeCount
        #expect((try context.execute(some) as? NSBatchDeleteResult)?.result as? Int == 2)
        #expect((try context.execute(some) as? NSBatchDeleteResult)?.result as? Int == 0)
        try check(stack)
        try context.execute(request("Tag", NSPredicate(format: "name == 'x'")))
        try check(stack)
        context.reset()
        #expect(try context.all("Book").count == 4)
        #expect(try context.all("Tag").first?.names("books") == ["t0", "t2", "t3", "t4"])
    }

    @Test func orderLimitAndSubentitiesApply() throws {
        let stack = try HistoryStack()
        let context = try stack.context(stack.coordinator([:]))
        for number in 0..<10 { _ = context.make(number < 5 ? "Book" : "Novel", ["pages": number]) }
        try context.save()
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        fetch.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        fetch.fetchLimit = 2
        fetch.fetchOffset = 1
        try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        func pages() throws -> [String?] { try stack.rows("SELECT ZPAGES FROM ZBOOK ORDER BY 1").map { $0[0] } }
        #expect(try pages() == ["0", "1", "2", "3", "4", "5", "6", "9"])
        let own = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        own.includesSubentities = false
        try context.execute(NSBatchDeleteRequest(fetchRequest: own))
        #expect(try pages() == ["5", "6", "9"])
        // A predicate that SQL cannot express.
        try context.execute(request("Novel", NSPredicate(format: "title MATCHES 'Un.*' AND pages != 6")))
        #expect(try pages() == ["6"])
    }

    @Test func deleteRulesApply() throws {
        let cascading = try HistoryStack(Library.model(booksRule: .cascadeDeleteRule))
        var context = try cascading.context()
        for name in ["a", "b"] {
            let author = context.make("Author", ["name": name])
            for _ in 0..<3 { _ = context.make("Book", ["author": author]) }
        }
        try context.save()
        let deletion = request("Author", NSPredicate(format: "name == 'a'"))
        deletion.resultType = .resultTypeCount
        #expect((try context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int == 1)
        #expect(try cascading.rows("SELECT count(*), count(DISTINCT ZAUTHOR) FROM ZBOOK") == [["3", "1"]])
        #expect(try context.history().last?.changes?.filter { $0.changeType == .delete }.count == 4)

        let denying = try HistoryStack(Library.model(booksRule: .denyDeleteRule))
        context = try denying.context()
        let author = context.make("Author", ["name": "a"])
        let book = context.make("Book", ["author": author])
        try context.save()
        do {
            try context.execute(request("Author"))
            Issue.record("the author was deleted")
        } catch {
            #expect((error as NSError).code == NSValidationRelationshipDeniedDeleteError)
        }
        #expect(try denying.rows("SELECT count(*) FROM ZAUTHOR") == [["1"]])
        try context.execute(NSBatchDeleteRequest(objectIDs: [book.objectID]))
        try context.execute(request("Author"))
        #expect(try denying.rows("SELECT count(*) FROM ZAUTHOR") == [["0"]])
    }

    @Test func mandatoryRelationshipsPreventTheDeletion() throws {
        let model = Library.model()
        try #require(model.entitiesByName["Book"]?.relationshipsByName["author"]).isOptional = false
        let stack = try HistoryStack(model)
        let context = try stack.context(stack.coordinator([:]))
        let author = context.make("Author", ["name": "a"])
        _ = context.make("Book", ["author": author])
        _ = context.make("Author", ["name": "b"])
        try context.save()
        #expect(throws: (any Error).self) { try context.execute(request("Author")) }
        #expect(try stack.rows("SELECT count(*) FROM ZAUTHOR") == [["2"]])
        try context.execute(request("Author", NSPredicate(format: "books.@count == 0")))
        #expect(try stack.rows("SELECT ZNAME FROM ZAUTHOR") == [["a"]])
    }
}
