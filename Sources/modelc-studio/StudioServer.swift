#if Studio
import FlyingFox
import FlyingSocks
import Foundation
import StudioPage

/// The web server, which serves the page's files, requests and change events.
struct StudioServer: Sendable {
    /// The model; `nil` if there is only a store.
    let service: StudioServiceActor?
    let store: StoreRoutes
    let token: String

    /// The maximum size of a request, in bytes; large enough for pasting a whole model.
    private static let requestLimit = 16 << 20

    /// Serves until the task is cancelled.
    ///
    /// - Parameters:
    ///   - port: The port, or 0 for any free port.
    ///   - whenReady: Receives the address of the page.
    func run(port: UInt16, whenReady: @escaping @Sendable (String) -> Void) async throws {
        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
        await server.appendRoute("*") { request in
            guard let actual = await Self.port(of: server) else { return Self.rejection }
            return await respond(to: request, RequestGuard(token: token, port: actual))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask {
                try await server.waitUntilListening()
                guard let port = await Self.port(of: server) else { return }
                whenReady("http://127.0.0.1:\(port)/\(token)/")
            }
            try await group.next()
            try await group.next()
        }
    }

    private static func port(of server: HTTPServer) async -> UInt16? {
        if case .ip4(_, let port)? = await server.listeningAddress { return port }
        return nil
    }

    private func respond(to request: HTTPRequest, _ check: RequestGuard) async -> HTTPResponse {
        let isPlainRead = request.method == .GET && request.headers[.upgrade] == nil
        let decision = check.check(
            path: request.path, host: request.headers[.host], origin: request.headers[HTTPHeader("Origin")],
            needsOrigin: !isPlainRead)
        guard case .accepted(let path) = decision else { return Self.rejection }
        if let response = await store.respond(to: request, path: path, limit: Self.requestLimit) { return response }
        switch (request.method, path) {
        case (.POST, "api"):
            guard request.headers[.contentType]?.hasPrefix("application/json") == true,
                Int(request.headers[.contentLength] ?? "") ?? .max <= Self.requestLimit,
                let body = try? await request.bodyData
            else { return Self.rejection }
            guard let service else { return Self.rejection }
            let reply = await service.respond(to: [UInt8](body))
            return Self.response(Data(reply), type: "application/json")
        case (.GET, "events") where request.headers[.upgrade] != nil:
            guard let service else { return Self.rejection }
            let handler = WebSocketHTTPHandler(handler: MessageFrameWSHandler(handler: ChangeEvents(service: service)))
            return (try? await handler.handleRequest(request)) ?? Self.rejection
        case (.GET, _):
            let name = path.isEmpty ? service == nil ? "data.html" : "index.html" : path
            guard let file = StudioPage.files.first(where: { $0.path == name }) else { return Self.rejection }
            return Self.response(Data(file.bytes), type: file.type)
        default: return Self.rejection
        }
    }

    /// The response to every disallowed request, always the same so that it reveals nothing.
    private static let rejection = HTTPResponse(
        statusCode: .forbidden, headers: headers(type: "text/plain; charset=utf-8"), body: Data("forbidden\n".utf8))

    /// Returns a response with the headers common to all responses.
    static func response(_ body: Data, type: String, _ status: HTTPStatusCode = .ok) -> HTTPResponse {
        HTTPResponse(statusCode: status, headers: headers(type: type), body: body)
    }

    /// Returns the headers common to all responses.
    static func headers(type: String) -> HTTPHeaders {
        [
            .contentType: type,
            HTTPHeader("Cache-Control"): "no-store",
            HTTPHeader("Content-Security-Policy"):
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
            HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
            HTTPHeader("Referrer-Policy"): "no-referrer",
            HTTPHeader("X-Content-Type-Options"): "nosniff",
        ]
    }
}

/// Sends a tab the number of changes whenever it changes, through edits in any tab or on disk.
struct ChangeEvents: WSMessageHandler {
    let service: StudioServiceActor

    func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
        let service = service
        return AsyncStream { continuation in
            let task = Task {
                var last = -1
                while !Task.isCancelled {
                    let revision = await service.refresh()
                    if revision != last { continuation.yield(.text("{\"revision\":\(revision)}")) }
                    last = revision
                    try? await Task.sleep(nanoseconds: 1_000_000_000)
                }
            }
            let reader = Task {
                for await _ in client {}
                continuation.finish()
            }
            continuation.onTermination = { _ in
                task.cancel()
                reader.cancel()
            }
        }
    }
}
#endif
