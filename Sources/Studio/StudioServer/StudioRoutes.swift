internal import Foundation
internal import StudioPage

/// The responses to the browser: the page's files, its requests and change events.
struct StudioRoutes: Sendable {
    /// The model; `nil` if there is only a store.
    let service: EditorServiceActor?
    let store: StoreRoutes
    let token: String
    /// Leads the browser that the studio opens to the page.
    let invitation: Invitation

    /// The maximum size of a request, in bytes; large enough for pasting a whole model. The page checks it, too.
    private static let requestLimit = 16 << 20

    /// Responds to a request, or rejects it if it does not come from the page.
    func respond(to request: WebRequest, port: UInt16) async -> WebResponse {
        do throws(WebRequest.BodyIsTooLarge) {
            return try await answer(to: request, port: port)
        } catch {
            return WebResponse(.contentTooLarge, line: "the request is too large")
        }
    }

    private func answer(
        to request: WebRequest, port: UInt16
    ) async throws(WebRequest.BodyIsTooLarge) -> WebResponse {
        if request.method == "GET", await invitation.accepts(request, port: port) {
            var response = WebResponse(.seeOther, line: "see the page")
            response.headers["Location"] = "/\(token)/"
            return response
        }
        let upgrades = request.header("Upgrade") != nil
        let decision = RequestGuard(token: token, port: port).check(
            path: request.path, host: request.header("Host"), origin: request.header("Origin"),
            needsOrigin: request.method != "GET" || upgrades)
        guard case .accepted(let path) = decision else { return Self.rejection }
        if let response = try await store.respond(to: request, path: path, limit: Self.requestLimit) {
            return response
        }
        switch (request.method, path) {
        case ("POST", "api"):
            guard let body = try await request.body(ofType: "application/json", limit: Self.requestLimit), let service
            else { return Self.rejection }
            return WebResponse(json: await service.respond(to: body))
        case ("GET", "events") where upgrades:
            guard let service else { return Self.rejection }
            return WebResponse(type: "", body: .messages(service.changes()))
        case ("GET", _):
            let name = path.isEmpty ? service == nil ? "data.html" : "index.html" : path
            guard let file = StudioPage.files.first(where: { $0.path == name }) else { return Self.rejection }
            return WebResponse(type: file.type, body: .data(Data(file.bytes)))
        default: return Self.rejection
        }
    }

    /// The response to every disallowed request, always the same so that it reveals nothing.
    private static let rejection = WebResponse(.forbidden, line: "forbidden")
}
