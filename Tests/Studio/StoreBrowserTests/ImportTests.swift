import CoreData
import Foundation
import ModelcDriver
import Testing

@testable import StoreBrowser

/// Importing CSV and JSON files, and editing several objects at once.
@Suite struct ImportTests {
    private func service(_ store: BookStore) -> StoreService {
        StoreService(
            path: store.url.path, modelPath: nil, journalFolder: store.folder.path + "/cache", isWritable: true,
            isReadOnly: false, files: POSIXFileSystem())
    }

    private func importing(
        _ text: String, _ service: StoreService, entity: String = "Book", _ format: ExportFormat = .csv,
        skips: Bool = false
    ) -> StoreReply {
        service.reply(to: .importRows(entity: entity, format: format, text: text, skipsInvalidRows: skips))
    }

    private func rows(_ service: StoreService, _ entity: String = "Book") throws -> [ListRow] {
        try #require(service.reply(to: .rows(query: ListQuery(entity: entity), offset: 0, limit: 500)).page).rows
    }

    private func texts(_ service: StoreService, _ name: String, _ entity: String = "Book") throws -> [String?] {
        let state = try #require(service.reply(to: .open).state)
        let properties = try #require(state.entities.first { $0.name == entity }).properties
        let column = try #require(properties.firstIndex { $0.name == name })
        return try rows(service, entity).map { $0.cells[column].text }
    }

    @Test func rowsOfACSVFileAreInsertedAsOneStepAndSaved() throws {
        let store = try BookStore()
        let service = service(store)
        let text =
            "title,pages,price,published,author,entity,genre\r\n"
            + "\"A, \"\"quoted\"\"\nbook\",12,0.1,2024-02-29T12:00:00Z,Author/1,Novel,\r\n\r\nSecond,,,,,,\r\n"
        let reply = importing(text, service)
        #expect(reply.problem == nil)
        #expect(reply.imported?.rows == 2 && reply.imported?.imported == 2)
        #expect(reply.imported?.unreadable == [] && reply.imported?.invalid == [] && reply.imported?.ignored == [])
        // In the order of the file, before what is in the store.
        #expect(try texts(service, "title").prefix(2) == ["A, \"quoted\"\nbook", "Second"])
        #expect(try rows(service).map(\.change) == ["inserted", "inserted", nil])
        _ = service.reply(to: .undo)
        #expect(try rows(service).count == 1)
        _ = service.reply(to: .redo)
        #expect(service.reply(to: .save).notice == "Saved")
        try store.change { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Novel")
            request.predicate = NSPredicate(format: "pages == 12")
            let book = try #require(try context.fetch(request).first)
            #expect(book.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "0.1"))
            #expect((book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "Ursula")
            #expect(book.value(forKey: "genre") == nil)
        }
    }

    @Test func unreadableValuesAreReportedByRowAndColumn() throws {
        let store = try BookStore()
        let service = service(store)
        let text =
            "title;pages;author;unknown;tags\n\"two\nlines\";x;Author/1;a;b\nGood;1;;;\nBad;2;Author/99;;\nShort;3\nWorse;4;Book/1;;\n"
        let report = try #require(importing(text, service).imported)
        #expect(report.imported == 0 && report.rows == 5 && report.unreadableRows == 4)
        #expect(
            report.unreadable == [
                .init(row: 1, line: 2, column: "pages", message: "“x” is not a value of type Integer 32"),
                .init(row: 3, line: 5, column: "author", message: "object not found: Author/99"),
                .init(row: 4, line: 6, column: nil, message: "the row has 2 fields for 5 columns"),
                .init(
                    row: 5, line: 7, column: "author", message: "the relationship's destination is “Author”, not “Book”"
                ),
            ])
        #expect(report.ignored == ["unknown (no such property)", "tags (not editable)"])
        #expect(try rows(service).count == 1)
        let second = try #require(importing(text, service, skips: true).imported)
        #expect(second.imported == 1 && second.unreadableRows == 4)
        #expect(try texts(service, "title").first == "Good")
    }

    @Test func importedValuesAreValidatedLikeEdits() throws {
        let store = try BookStore()
        let service = service(store)
        let reply = importing("pages,title\n5,Fine\n-5,Negative\n7,\n", service)
        let report = try #require(reply.imported)
        #expect(report.imported == 3)
        #expect(report.invalid.map(\.row) == [2] && report.invalid.map(\.column) == ["pages"])
        #expect(reply.invalid?.count == 1)
        #expect(service.reply(to: .save).problem != nil)
        // A required text without a value is an empty text.
        #expect(try texts(service, "title").prefix(3) == ["Fine", "Negative", ""])
    }

    @Test func jsonKeepsDigitsAndLeavesOutWhatIsMissing() throws {
        let store = try BookStore()
        let service = service(store)
        let text = """
            [{"title": "One", "price": 12345678901234567890.123456789, "pages": 9007199254740993, "cover": "AQI="},
             {"title": 7, "pages": null, "price": "0.30"}, [1], {"title": ["a"]}]
            """
        let report = try #require(importing(text, service, .json).imported)
        #expect(
            report.unreadable.map(\.message) == [
                "“9007199254740993” is not a value of type Integer 32", "the element is an array, not an object",
                "an array is not a value of type String",
            ])
        let fixed = text.replacingOccurrences(of: "9007199254740993", with: "5")
        #expect(importing(fixed, service, .json, skips: true).imported?.imported == 2)
        #expect(try texts(service, "price").prefix(2) == ["12345678901234567890.123456789", "0.3"])
        #expect(try texts(service, "title").prefix(2) == ["One", "7"])
    }

    @Test func wholeJSONNumbersAreIntegersHoweverTheyAreWritten() throws {
        let store = try BookStore()
        let service = service(store)
        let text = #"[{"title": "A", "pages": 1e3}, {"title": "B", "pages": 12.0}, {"title": "C", "pages": 1.5}]"#
        let report = try #require(importing(text, service, .json, skips: true).imported)
        #expect(report.unreadable.map(\.message) == ["“1.5” is not a value of type Integer 32"])
        #expect(try texts(service, "pages").prefix(2) == ["1000", "12"])
    }

    @Test(arguments: [
        ("", ExportFormat.csv, "the file is empty"), ("title\n", .csv, "the file has no rows"),
        ("title\n\"open", .csv, "the quote in line 2 is not closed"),
        ("title,title\na,b\n", .csv, "two columns have the name “title”"),
        ("a,b\n1,2\n", .csv, "the file has no column of “Book”"), ("{\"a\": 1}", .json, "the file is not an array"),
        ("[{\"a\": ", .json, "the file is not valid JSON"), ("[]", .json, "the file has no rows"),
    ])
    func filesThatCannotBeImportedAreExplained(text: String, format: ExportFormat, message: String) throws {
        let store = try BookStore()
        let reply = importing(text, service(store), format)
        #expect(reply.imported == nil)
        #expect(reply.problem?.message.hasPrefix(message) == true, "\(reply.problem?.message ?? "")")
    }

    @Test(arguments: [ExportFormat.csv, .json])
    func anExportCanBeImported(format: ExportFormat) throws {
        let store = try BookStore(books: 12)
        let service = service(store)
        let query = ListQuery(entity: "Book", predicate: "code == nil")
        let text = try service.export(query, as: format).text()
        let report = try #require(importing(text, service, format).imported)
        #expect(report.imported == 12 && report.unreadable == [] && report.ignored == [])
        #expect(service.reply(to: .save).notice == "Saved")
        for name in ["title", "pages", "author", "price", "code"] {
            let all = try texts(service, name)
            #expect(all.count == 25 && all.dropFirst(1).prefix(12) == all.suffix(12), "\(name)")
        }
    }

    /// To-many relationships are lists in JSON, and separated by spaces in CSV.
    @Test(arguments: [ExportFormat.csv, .json], [false, true])
    func toManyRelationshipsOfAnExportAreImported(format: ExportFormat, isOrdered: Bool) throws {
        let store = try BookStore(books: 6, isOrdered: isOrdered)
        let service = service(store)
        let authors = ListQuery(entity: "Author")
        let text = try service.export(authors, as: format).text()
        let old = try #require(service.reply(to: .rows(query: authors, offset: 0, limit: 1)).page).rows[0].uri
        func books(_ uri: String) throws -> [String] {
            let scope = ListQuery(entity: "Book", scope: .init(object: uri, relationship: "books"))
            return try #require(service.reply(to: .rows(query: scope, offset: 0, limit: 10)).page).rows.map(\.uri)
        }
        let before = try books(old)
        #expect(before.count == 3)
        let report = try #require(importing(text, service, entity: "Author", format).imported)
        #expect(report.imported == 1 && report.unreadable == [] && report.ignored == [])
        let new = try #require(service.reply(to: .rows(query: authors, offset: 0, limit: 1)).page).rows[0].uri
        #expect(try isOrdered ? books(new) == before : Set(books(new)) == Set(before))
        #expect(service.reply(to: .save).notice == "Saved")
        let all = try #require(service.reply(to: .rows(query: authors, offset: 0, limit: 2)).page).rows.map(\.uri)
        let saved = try #require(all.first { $0 != old })
        #expect(try isOrdered ? books(saved) == before : Set(books(saved)) == Set(before))
        #expect(try books(old) == [])
    }

    @Test func aKeyIsEnoughIfAllDestinationsAreOfOneEntity() throws {
        let store = try BookStore(books: 1)
        let service = service(store)
        #expect(importing("title,author\nOne,1\n", service).imported?.imported == 1)
        #expect(try texts(service, "author").first == "Author 1 · Ursula")
        let text = "[{\"name\": \"A\", \"books\": [\"2\"]}, {\"name\": \"B\", \"books\": [[]]}]"
        #expect(
            importing(text, service, entity: "Author", .json).imported?.unreadable.map(\.message) == [
                "“2” is not a reference such as Book/12", "an array is not a reference such as Book/12",
            ])
    }

    @Test func moreRowsThanTheLimitAreRejected() throws {
        let store = try BookStore()
        let service = service(store)
        let text = "title\n" + String(repeating: "x\n", count: StoreService.rowLimit + 1)
        #expect(
            importing(text, service).problem?.message
                == "the file has 10001 rows; at most 10000 can be imported at once")
        let uri = try rows(service)[0].uri
        let edits = (0...StoreService.rowLimit).map { StoreEdit.set(uri: "\(uri)\($0)", key: "title", text: "x") }
        let reply = service.reply(to: .edit(.group(edits)))
        #expect(reply.problem?.message == "more than 10000 objects cannot be edited at once")
        // Several values of an object count once.
        let values = (0...StoreService.rowLimit).map { StoreEdit.set(uri: uri, key: "pages", text: "\($0)") }
        #expect(service.reply(to: .edit(.group(values))).problem == nil)
        #expect(try texts(service, "pages") == ["10000"])
    }

    @Test func importsAndGroupsSurviveTheServer() throws {
        let store = try BookStore()
        do {
            let service = service(store)
            #expect(importing("title,author\nOne,Author/1\nTwo,\n", service).imported?.imported == 2)
            let uris = try rows(service).filter { $0.change == "inserted" }.map(\.uri)
            let group = StoreEdit.group(uris.map { .set(uri: $0, key: "pages", text: "3") })
            #expect(service.reply(to: .edit(group)).problem == nil)
        }
        let service = service(store)
        #expect(service.reply(to: .recover).notice == "Restored 2 edits")
        #expect(try texts(service, "pages").prefix(2) == ["3", "3"])
        #expect(try texts(service, "author").prefix(2) == ["Author 1 · Ursula", nil])
        #expect(service.reply(to: .save).notice == "Saved")
    }

    // MARK: Several objects

    @Test func aValueIsSetInSeveralObjectsAsOneStep() throws {
        let store = try BookStore(books: 20)
        let service = service(store)
        let uris = try #require(
            service.reply(to: .uris(query: ListQuery(entity: "Book", sort: [.init("title")]), offset: 2, limit: 10))
                .uris)
        let expected = try sorted(service)[2..<12]
        #expect(uris == Array(expected))
        let before = try texts(service, "pages")
        _ = service.reply(to: .edit(.group(uris.map { .set(uri: $0, key: "pages", text: "777") })))
        #expect(try texts(service, "pages").filter { $0 == "777" }.count == 10)
        _ = service.reply(to: .undo)
        #expect(try texts(service, "pages") == before)
        // One object that does not exist any more: none is changed.
        let gone = uris[0] + "999"
        let edits = (uris + [gone]).map { StoreEdit.set(uri: $0, key: "pages", text: "5") }
        #expect(service.reply(to: .edit(.group(edits))).problem != nil)
        #expect(service.reply(to: .edit(.group(uris.map { .set(uri: $0, key: "pages", text: "x") }))).problem != nil)
        #expect(try texts(service, "pages") == before)
        _ = service.reply(to: .edit(.group(uris.map { .link(uri: $0, key: "author", destination: nil) })))
        _ = service.reply(to: .edit(.group(uris.map { .delete(uri: $0) })))
        #expect(try rows(service).filter { $0.change == "deleted" }.count == 10)
        #expect(service.reply(to: .save).notice == "Saved")
        #expect(try rows(service).count == 11)
        let other = StoreEdit.moveMember(uri: try rows(service)[0].uri, key: "author", destination: "", distance: 1)
        #expect(service.reply(to: .edit(.group([other]))).problem != nil)
    }

    private func sorted(_ service: StoreService) throws -> [String] {
        let query = ListQuery(entity: "Book", sort: [.init("title")])
        return try #require(service.reply(to: .rows(query: query, offset: 0, limit: 100)).page).rows.map(\.uri)
    }
}
