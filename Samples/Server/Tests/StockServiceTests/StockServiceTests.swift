import CoreData
import Foundation
import Hummingbird
import HummingbirdTesting
import Stock
import Testing

@testable import StockService

private let database = ProcessInfo.processInfo.environment["DATABASE_URL"]

/// Each test uses items with its own prefix. `Tests/ServerSample/run.py` starts a server for them.
@Suite(.enabled(if: database != nil, "set DATABASE_URL to the URL of an empty database"))
struct StockServiceTests {
    private func open() throws -> NSPersistentContainer { try Stock.load(database ?? "") }

    @Test func itemsAreCreatedReadChangedAndDeleted() async throws {
        try await makeApplication(open()).test(.router) { client in
            let created = try await client.send(.post, "/items", #"{"name": "crud é/1", "count": 3}"#)
            #expect(created.status == .created)
            let url = try #require(created.headers[.location])
            #expect(url == "/items/crud%20%C3%A9%2F1")
            let read = try await client.send(.get, url)
            #expect(try read.item() == Item(name: "crud é/1", count: 3))
            let tag = try #require(read.headers[.eTag])
            #expect(created.headers[.eTag] == tag)
            #expect(try await client.send(.get, url, headers: [.ifNoneMatch: tag]).status == .notModified)
            let changed = try await client.send(.put, url, #"{"count": 4}"#, headers: [.ifMatch: "\"0\", \(tag)"])
            #expect(try changed.item().count == 4)
            #expect(try await client.send(.get, url).headers[.eTag] == changed.headers[.eTag])
            #expect(try await client.send(.delete, url, headers: [.ifMatch: tag]).status == .preconditionFailed)
            #expect(try await client.send(.delete, url, headers: [.ifMatch: "*"]).status == .noContent)
            #expect(try await client.send(.get, url).status == .notFound)
        }
    }

    @Test(arguments: [
        ("/items?limit=0", "", 400), ("/items?limit=x", "", 400), ("/items/missing", "", 404),
        ("/items", #"{"name": "invalid"}"#, 400), ("/items", #"{"name": "", "count": 1}"#, 400),
        ("/items", #"{"name": "invalid", "count": -1}"#, 400), ("/items", #"{"name": "a\u0000b", "count": 1}"#, 400),
        ("/items", "{\"name\": \"e\(String(repeating: "\u{301}", count: 2000))\", \"count\": 1}", 400),
        ("/items", "nothing", 400), ("/items/a%00", "", 404), ("/items/%FF", "", 400),
        ("/items", #"{"name": "invalid", "count": 99999999999999999999}"#, 400),
    ])
    func invalidRequestsAreExplained(path: String, body: String, status: Int) async throws {
        try await makeApplication(open()).test(.router) { client in
            let response = try await client.send(body.isEmpty ? .get : .post, path, body)
            #expect(response.status.code == status)
            #expect(String(buffer: response.body).contains("message"), "\(String(buffer: response.body))")
        }
    }

    @Test func namesAreUnique() async throws {
        try await makeApplication(open()).test(.router) { client in
            let body = #"{"name": "unique", "count": 1}"#
            let first = try await client.send(.post, "/items", body)
            #expect(first.status == .created)
            let second = try await client.send(.post, "/items", body)
            #expect(second.status == .conflict)
        }
    }

    @Test func changesNeedTheCurrentTag() async throws {
        let (container, other) = (try open(), try open())
        try await makeApplication(container).test(.router) { client in
            let created = try await client.send(.post, "/items", #"{"name": "tag", "count": 1}"#)
            let tag = try #require(created.headers[.eTag])
            #expect(try await client.send(.put, "/items/tag", #"{"count": 9}"#).status == .preconditionRequired)
            #expect(try await client.send(.delete, "/items/tag").status == .preconditionRequired)
            try await other.save("tag", 2)
            let late = try await client.send(.put, "/items/tag", #"{"count": 9}"#, headers: [.ifMatch: tag])
            #expect(late.status == .preconditionFailed)
            #expect(try await client.send(.get, "/items/tag").item().count == 2)
        }
    }

    @Test func incrementsOfTwoProgramsAreNotLost() async throws {
        let containers = [try open(), try open()]
        try await containers[0].save("counter", 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                let application = makeApplication(containers[index % 2])
                group.addTask {
                    try await application.test(.router) { client in
                        for _ in 0..<10 { try await client.increment("/items/counter") }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await makeApplication(containers[0]).test(.router) { client in
            let item = try await client.send(.get, "/items/counter").item()
            #expect(item.count == 80)
        }
    }

    @Test func pagesAreCompleteWhileOthersInsert() async throws {
        let (container, other) = (try open(), try open())
        let expected = (100..<200).map { "page-\($0)" }
        for name in expected { try await other.save(name, 1) }
        let inserting = Task {
            var number = 0
            while !Task.isCancelled {
                try await other.save("page-\(100 + number * 37 % 100)-\(number)", 2)
                number += 1
            }
        }
        try await makeApplication(container).test(.router) { client in
            for limit in [1, 7, 1000] {
                var (names, next): ([String], String?) = ([], "")
                while let after = next {
                    let path = "/items?name=page-&limit=\(limit)&after=\(after)"
                    let page = try await client.send(.get, path).page()
                    names += page.items.map(\.name)
                    next = page.next
                }
                #expect(names == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
                #expect(Set(names).count == names.count)
                #expect(Set(names).isSuperset(of: expected))
            }
        }
        inserting.cancel()
        try await inserting.value
    }

    @Test func followersSeeTheChangesOfOtherPrograms() async throws {
        let (container, other) = (try open(), try open())
        let changes = StockChanges(container, ContextPool(container, size: 1))
        let running = Task { await changes.run() }
        defer { running.cancel() }
        var events = try await changes.follow().filter { String(buffer: $0.bytes).contains("live") }.makeAsyncIterator()
        try await other.save("live", 1)
        #expect(try await events.next()?.bytes == ServerSentEvent("saved", Item(name: "live", count: 1)).bytes)
        try await other.save("live", 2)
        #expect(try await events.next()?.bytes == ServerSentEvent("saved", Item(name: "live", count: 2)).bytes)
        try await other.delete("live")
        #expect(try await events.next()?.bytes == ServerSentEvent("deleted", ["name": "live"]).bytes)
    }
}

extension TestClientProtocol {
    fileprivate func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "", headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        try await execute(
            uri: path, method: method, headers: headers, body: body.isEmpty ? nil : ByteBuffer(string: body))
    }

    /// Adds 1 to the count of an item, as often as others are faster.
    fileprivate func increment(_ path: String) async throws {
        while true {
            let read = try await send(.get, path)
            let body = "{\"count\": \(try read.item().count + 1)}"
            let tag = try #require(read.headers[.eTag])
            let response = try await send(.put, path, body, headers: [.ifMatch: tag])
            if response.status == .ok { return }
            try #require(response.status == .preconditionFailed)
        }
    }
}

extension TestResponse {
    fileprivate func item() throws -> Item { try JSONDecoder().decode(Item.self, from: Data(buffer: body)) }

    fileprivate func page() throws -> (items: [Item], next: String?) {
        struct Content: Decodable {
            let items: [Item]
            let next: String?
        }
        let content = try JSONDecoder().decode(Content.self, from: Data(buffer: body))
        return (content.items, content.next)
    }
}

extension NSPersistentContainer {
    /// Saves an item as another program would.
    fileprivate func save(_ name: String, _ count: Int) async throws {
        try await performBackgroundTask { context in
            let request = Stock.request
            request.predicate = NSPredicate(format: "name == %@", name)
            let item =
                try context.fetch(request).first
                ?? NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(name, forKey: "name")
            item.setValue(count, forKey: "count")
            try context.save()
        }
    }

    /// Deletes an item as another program would.
    fileprivate func delete(_ name: String) async throws {
        try await performBackgroundTask { context in
            let request = Stock.request
            request.predicate = NSPredicate(format: "name == %@", name)
            for item in try context.fetch(request) { context.delete(item) }
            try context.save()
        }
    }
}
