import CSQLite3
import CoreData
import Foundation
import ModelcDriver
import Testing

@testable import StoreBrowser

/// Predicates: their results, errors and SQL.
@Suite struct PredicateTests {
    private static func service(_ store: BookStore) -> StoreService {
        StoreService(
            path: store.url.path, modelPath: nil, journalFolder: nil, isWritable: false, isReadOnly: true,
            files: POSIXFileSystem())
    }

    @Test(arguments: [
        ("title BEGINSWITH[cd] \"book 1\"", 11), ("pages BETWEEN {0, 100}", 2), ("author.name == \"Ursula\"", 8),
        ("code == \"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"", 1), ("published < \"2001-01-02\"", 1),
        ("published >= \"2001-01-01T00:00:01Z\"", 0), ("title MATCHES \".*Dis.*\"", 1), ("author == nil", 13),
        ("NOT (pages > 0) OR author.books.@count > 3", 8), ("title IN {\"Book 1\", \"Book 2\"}", 2),
        ("ANY author.books.title == \"Book 3\"", 8), ("SUBQUERY(author.books, $b, $b.pages > 780).@count > 0", 8),
        ("pages * 2 > 1890", 1), ("price > 100", 1), ("TRUEPREDICATE", 21), ("genre == nil", -1), ("tags != nil", 1),
        ("tags == nil", 20),
    ])
    func findsWhatItSays(predicate: String, count: Int) throws {
        let store = try BookStore(books: 20)
        let query = ListQuery(entity: "Book", predicate: predicate)
        let reply = Self.service(store).reply(to: .rows(query: query, offset: 0, limit: 100))
        guard count >= 0 else {
            #expect(reply.problem?.message.contains("no property") == true)
            return
        }
        #expect(reply.problem == nil)
        #expect(reply.page?.rows.count == count && reply.page?.total == count)
        let sql = try #require(Self.service(store).reply(to: .explain(query: query)).sql?.text)
        #expect(sql.hasPrefix("SELECT t0.Z_PK") && !sql.contains("?"))
        // A plain connection has no REGEXP, which the sqlite3 program has.
        if !predicate.contains("MATCHES") { #expect(try Self.rows(of: sql, store) == count, "\(sql)") }
    }

    /// Runs a statement on a connection without the functions of the runtime, and returns the number of its rows.
    private static func rows(of sql: String, _ store: BookStore) throws -> Int {
        var handle: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(handle)
        }
        guard sqlite3_open(store.url.path, &handle) == SQLITE_OK,
            sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK
        else { throw StoreProblem(String(cString: sqlite3_errmsg(handle))) }
        var count = 0
        while sqlite3_step(statement) == SQLITE_ROW { count += 1 }
        return count
    }

    /// A store of objects whose attributes have the names of keywords.
    @Test func keysMayBeNamedLikeKeywords() throws {
        let names = ["any", "in", "like", "no", "null", "some"]
        let entity = NSEntityDescription()
        entity.name = "Word"
        entity.properties = names.map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let store = try BookStore(model: model) { context in
            for name in names {
                let word = NSEntityDescription.insertNewObject(forEntityName: "Word", into: context)
                word.setValue("Value", forKey: name)
            }
        }
        let service = Self.service(store)
        func count(_ query: ListQuery) -> Int? {
            let reply = service.reply(to: .rows(query: query, offset: 0, limit: 10))
            #expect(reply.problem == nil)
            return reply.page?.total
        }
        for name in names {
            let found = PredicateCompletion.completions(name, at: name.utf16.count, entity)
            let key = try #require(found.items.first { $0.text.hasSuffix(name) }?.text)
            #expect(count(ListQuery(entity: "Word", predicate: "\(key) == 'Value'")) == 1, "\(key)")
            // What is typed after the sign is completed, too, and operators follow the key.
            let escaped = PredicateCompletion.completions("#" + name, at: name.utf16.count + 1, entity)
            #expect(escaped.start == 0 && escaped.items.contains { $0.text == key }, "\(key)")
            let next = PredicateCompletion.completions(key + " ", at: key.utf16.count + 1, entity)
            #expect(next.items.contains { $0.text == "CONTAINS[cd] " }, "\(key)")
        }
        #expect(count(ListQuery(entity: "Word", text: "VAL")) == 6)
        #expect(count(ListQuery(entity: "Word", text: "other", key: "3")) == 1)
    }

    @Test func functionsThatSQLiteDoesNotHaveAreNamed() throws {
        let service = Self.service(try BookStore())
        func note(_ predicate: String) -> String? {
            service.reply(to: .explain(query: ListQuery(entity: "Book", predicate: predicate))).sql?.note
        }
        #expect(note("pages > 1") == nil)
        #expect(note("title CONTAINS[cd] \"a\"")?.contains("for sqlite3") == true)
    }

    @Test func theSQLHasItsValues() throws {
        let query = ListQuery(entity: "Author", predicate: "name == \"O'Hara?\"")
        let sql = try #require(Self.service(try BookStore()).reply(to: .explain(query: query)).sql?.text)
        #expect(sql.contains("'O''Hara?'"))
    }

    /// Each would trap in the runtime or silently find nothing.
    @Test(arguments: [
        ("pages >", [7, 7]), ("titel == \"a\"", [0, 5]), ("author.nam == \"a\"", [7, 10]), ("title > 5", [0, 5]),
        ("pages BEGINSWITH \"a\"", [0, 5]), ("title == %@", [9, 11]), ("pages == $x", [9, 11]),
        ("title MATCHES \"[\"", [15, 16]), ("books.title == \"a\"", [0, 5]), ("tags == \"a\"", [0, 4]),
        ("tags > nil", [0, 4]), ("tags IN {nil}", [0, 4]), ("tags == tags", [0, 4]),
        ("published > \"yesterday\"", [13, 22]), ("code == \"1\"", [9, 10]), ("é == 1 AND titel == 2", [0, 1]),
    ])
    func errorsAreLocated(predicate: String, range: [Int]) throws {
        let reply = Self.service(try BookStore()).reply(
            to: .rows(query: ListQuery(entity: "Book", predicate: predicate), offset: 0, limit: 10))
        #expect(reply.problem?.range == range, "\(reply.problem?.message ?? "")")
    }

    @Test(arguments: [
        ("titel == \"a\"", "title"), ("author.nmae == \"a\"", "name"), ("auth.name == nil", "author"),
        ("title BEGINWITH \"a\"", "BEGINSWITH"), ("pages > 1 ADN pages < 3", "AND"),
        ("title contians[cd] \"a\"", "CONTAINS"),
        ("zzz == 1", nil), ("title ==", nil), ("title FOO \"a\"", nil),
    ])
    func misspelledWordsHaveSuggestions(predicate: String, expected: String?) throws {
        let reply = Self.service(try BookStore()).reply(
            to: .rows(query: ListQuery(entity: "Book", predicate: predicate), offset: 0, limit: 10))
        let help = try #require(reply.problem).help ?? ""
        #expect(help.contains("Did you mean") == (expected != nil), "\(help)")
        if let expected { #expect(help == "Did you mean “\(expected)”?") }
    }

    @Test(arguments: [
        ("code >= \"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"", ">= cannot compare a UUID: such values have no order"),
        ("code > 5", "> cannot compare a UUID with a number"),
        ("tags == 1", "== cannot compare a transformable value with a number"),
    ])
    func mismatchesNameTheReason(predicate: String, message: String) throws {
        let reply = Self.service(try BookStore()).reply(
            to: .rows(query: ListQuery(entity: "Book", predicate: predicate), offset: 0, limit: 10))
        #expect(reply.problem?.message == message)
        #expect(reply.problem?.help != nil)
    }

    /// None of these may terminate the process.
    @Test(arguments: [
        "FUNCTION(self, \"delete\")", "FUNCTION(\"a\", \"length\") > 0", "CAST(\"x\", \"Nope\") == nil", "1 / 0 == 1",
        "ANYKEY == 1",
        "FETCH(a, b, NO) != nil", "title[0] == \"a\"", "TERNARY(1 == 1, 1, 2) == 1", "title + 1 == 2",
        "pages BETWEEN {1}",
        "ANY pages == 1", "author == 5", "author == \"x-coredata://a/b\"", "SELF == 1", "title IN 5", "5 IN title",
        "@count > 1",
        "author.books.@sum.title > 1", "author.books.@max.title > \"a\"", "pages.@count == 1",
        "SELF.author.books CONTAINS SELF",
        "title ==[cd] nil", "title CONTAINS nil", "nil == nil", "{1, \"a\"} CONTAINS pages",
        "pages == 9999999999999999999999",
        "title LIKE \"[*\"", "author.entity.name == \"a\"", "objectID == nil", "(pages > 1) == TRUE",
        "now() > published",
        "pages IN {}", "title == \"%K\"", "pages == -1 AND NOT title LIKE[c] \"*?\"", "author.books == nil", "$a := 1",
        "length:(title) > 1", "title < uppercase:(title)", "published == 0", "code < \"a\"", "cover == nil",
        "ALL author.books.pages > 1",
    ])
    func noPredicateTraps(predicate: String) throws {
        let service = Self.service(try BookStore(books: 3))
        for entity in ["Book", "Author"] {
            let query = ListQuery(entity: entity, predicate: predicate)
            let reply = service.reply(to: .rows(query: query, offset: 0, limit: 10))
            #expect((reply.problem == nil) != (reply.page == nil))
        }
    }

    @Test(arguments: [
        ("", "title"), ("ti", "title"), ("author.", "author.name"), ("author.books.@c", "author.books.@count"),
        ("title ", "CONTAINS[cd] "), ("pages ", ">= "), ("pages > 5 ", "AND "), ("pages > 5 AND aut", "author"),
        ("title == \"a\" ", "OR "),
    ])
    func completionsFitThePosition(text: String, expected: String) throws {
        let reply = Self.service(try BookStore()).reply(
            to: .complete(entity: "Book", text: text, position: text.utf16.count))
        #expect(try #require(reply.completions).items.map(\.text).contains(expected))
    }
}
