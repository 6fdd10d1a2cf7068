import CoreData
import Foundation
import Hummingbird
import ServiceLifecycle

/// Creates the service over an open store.
///
/// On a graceful shutdown, it finishes the requests that it has received, with their saves, and closes the streams.
public func makeApplication(
    _ container: NSPersistentContainer, configuration: ApplicationConfiguration = ApplicationConfiguration()
) -> some ApplicationProtocol {
    let contexts = ContextPool(container, size: 8)
    let changes = StockChanges(container, contexts)
    let router = Router(context: StockRequestContext.self)
    router.add(middleware: LogRequestsMiddleware(.debug))
    router.add(middleware: StoreErrors())
    ItemRoutes(contexts: contexts).add(to: router.group("items"))
    router.get("events") { request, _ in
        let events = try await changes.follow()
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
            body: ResponseBody { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    // The client has missed what happened before, and should read the list now.
                    try await writer.write(ServerSentEvent("ready", [String: String]()).bytes)
                    for await event in events.cancelOnGracefulShutdown() { try await writer.write(event.bytes) }
                }
                try await writer.finish(nil)
            })
    }
    router.get("health") { _, _ in
        try await contexts.perform { context in
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Item")
            fetch.fetchLimit = 1
            _ = try context.fetch(fetch)
            return ["status": "ok"]
        }
    }
    return Application(router: router, configuration: configuration, services: [changes])
}

/// The context of a request, whose body may have 16 KB.
struct StockRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }

    var maxUploadSize: Int { 16_384 }
}
