import CoreData
import Foundation
import Hummingbird

/// The routes below `/items`.
struct ItemRoutes {
    let contexts: ContextPool

    func add(to group: RouterGroup<StockRequestContext>) {
        group.get(use: list)
        group.post(use: create)
        group.get("{name}", use: show)
        group.put("{name}", use: update)
        group.delete("{name}", use: delete)
    }

    /// `GET /items?after=NAME&limit=COUNT&name=PREFIX`: items by name, beginning after one.
    @Sendable func list(_ request: Request, _ context: StockRequestContext) async throws -> Page {
        let query = request.uri.queryParameters
        let limit = try query.get("limit").map { text in
            guard let limit = Int(text), (1...1000).contains(limit) else {
                throw HTTPError(.badRequest, message: "“limit” is not a number from 1 to 1000")
            }
            return limit
        }
        let (after, prefix, count) = (query.get("after") ?? "", query.get("name") ?? "", limit ?? 50)
        return try await contexts.perform { context in
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Item")
            // [n] compares by bytes, as the sort descriptor does: the server finds the page by its index.
            var conditions = [NSPredicate(format: "name >[n] %@", after)]
            if !prefix.isEmpty { conditions.append(NSPredicate(format: "name BEGINSWITH[n] %@", prefix)) }
            fetch.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
            fetch.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            fetch.fetchLimit = count + 1
            let items = try context.fetch(fetch).map { Item($0) }
            let page = Array(items.prefix(count))
            return Page(items: page, next: items.count > count ? page.last?.name : nil)
        }
    }

    /// `POST /items`
    @Sendable func create(_ request: Request, _ context: StockRequestContext) async throws -> Response {
        let item = try await request.decode(as: Item.self, context: context)
        try await contexts.perform { context in
            let object = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            object.setValue(item.name, forKey: "name")
            object.setValue(item.count, forKey: "count")
            try context.save()
        }
        var response = try item.response(.created, from: request, context: context)
        response.headers[.location] =
            "/items/" + (item.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        return response
    }

    /// `GET /items/NAME`
    @Sendable func show(_ request: Request, _ context: StockRequestContext) async throws -> Response {
        let name = try name(in: context)
        let item = try await contexts.perform { Item(try object(named: name, in: $0)) }
        return try await request.ifNoneMatch(eTag: item.tag, context: context) { item }
    }

    /// `PUT /items/NAME`, with `If-Match`
    @Sendable func update(_ request: Request, _ context: StockRequestContext) async throws -> Response {
        struct Body: Decodable { let count: Int64 }
        let (name, tags) = (try name(in: context), try tags(of: request))
        let item = try Item(name: name, count: try await request.decode(as: Body.self, context: context).count)
        try await contexts.perform { context in
            let object = try object(named: name, matching: tags, in: context)
            object.setValue(item.count, forKey: "count")
            // Fails if another program has saved the item since it was fetched.
            try context.save()
        }
        return try item.response(.ok, from: request, context: context)
    }

    /// `DELETE /items/NAME`, with `If-Match`
    @Sendable func delete(_ request: Request, _ context: StockRequestContext) async throws -> HTTPResponse.Status {
        let (name, tags) = (try name(in: context), try tags(of: request))
        try await contexts.perform { context in
            context.delete(try object(named: name, matching: tags, in: context))
            try context.save()
        }
        return .noContent
    }

    private func name(in context: StockRequestContext) throws -> String {
        guard let name = try context.parameters.require("name").removingPercentEncoding else {
            throw HTTPError(.badRequest, message: "the name in the URL is not valid UTF-8")
        }
        return name
    }

    /// Returns the entity tags in `If-Match`, without which no item is changed.
    private func tags(of request: Request) throws -> Set<String> {
        let tags = request.headers[values: .ifMatch].flatMap { $0.split(separator: ",") }
        guard !tags.isEmpty else {
            throw HTTPError(.preconditionRequired, message: "send the item's ETag as If-Match")
        }
        return Set(tags.map { $0.trimmingCharacters(in: .whitespaces) })
    }

    private func object(named name: String, in context: NSManagedObjectContext) throws -> NSManagedObject {
        let fetch = NSFetchRequest<NSManagedObject>(entityName: "Item")
        fetch.predicate = NSPredicate(format: "name == %@", name)
        guard let object = try context.fetch(fetch).first else {
            throw HTTPError(.notFound, message: "there is no item “\(name)”")
        }
        return object
    }

    private func object(
        named name: String, matching tags: Set<String>, in context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        let object = try object(named: name, in: context)
        guard tags.contains(Item(object).tag) || tags.contains("*") else { throw StoreErrors.changedItem }
        return object
    }
}
