#if Studio
import FlyingFox
import Foundation
import StudioStore

/// The routes of the data browser.
struct StoreRoutes: Sendable {
    /// The store; `nil` if the studio has only a model.
    let service: StoreServiceActor?

    /// Responds to a request whose token, host and origin were checked.
    ///
    /// - Returns: `nil` if the path does not belong to the data browser.
    func respond(to request: HTTPRequest, path: String, limit: Int) async -> HTTPResponse? {
        switch (request.method, path) {
        case (.POST, "store"):
            // The model editor's page asks whether there is a store.
            guard let service else { return StudioServer.response(Data("{}".utf8), type: "application/json") }
            guard request.headers[.contentType]?.hasPrefix("application/json") == true,
                Int(request.headers[.contentLength] ?? "") ?? .max <= limit, let body = try? await request.bodyData
            else { return nil }
            return StudioServer.response(Data(await service.respond(to: [UInt8](body))), type: "application/json")
        case (.GET, "blob"):
            guard let service, let uri = query("object", request), let key = query("key", request) else { return nil }
            if await service.isLocked {
                return StudioServer.response(
                    Data("the store is locked by another program\n".utf8), type: "text/plain; charset=utf-8",
                    .serviceUnavailable)
            }
            return await service.blob(uri: uri, key: key).map(Self.response)
        case (.POST, "blob"): return await upload(request)
        case (.GET, "export"): return await export(request)
        default: return nil
        }
    }

    private func query(_ name: String, _ request: HTTPRequest) -> String? {
        request.query.first { $0.name == name }.flatMap { $0.value.removingPercentEncoding ?? $0.value }
    }

    /// Replaces a binary value by the bytes of a file that the user has picked.
    private func upload(_ request: HTTPRequest) async -> HTTPResponse? {
        guard let service, let uri = query("object", request), let key = query("key", request),
            request.headers[.contentType] == "application/octet-stream",
            Int(request.headers[.contentLength] ?? "") ?? .max <= StoreService.byteLimit,
            let body = try? await request.bodyData
        else { return nil }
        let reply = await service.replaceBytes(uri: uri, key: key, with: [UInt8](body))
        return StudioServer.response(Data(reply), type: "application/json")
    }

    /// Images are shown, all other bytes are downloaded: nothing of a store is ever a document.
    private static func response(_ blob: (bytes: [UInt8], type: String)) -> HTTPResponse {
        var response = StudioServer.response(Data(blob.bytes), type: blob.type)
        response.headers[HTTPHeader("Content-Security-Policy")] = "default-src 'none'; sandbox"
        response.headers[HTTPHeader("Content-Disposition")] =
            blob.type.hasPrefix("image/") ? "inline" : "attachment; filename=\"value.bin\""
        return response
    }

    private func export(_ request: HTTPRequest) async -> HTTPResponse? {
        guard let service, let text = query("query", request), let name = query("format", request),
            let format = ExportFormat(rawValue: name),
            let list = try? JSONDecoder().decode(ListQuery.self, from: Data(text.utf8))
        else { return nil }
        let type = format == .csv ? "text/csv; charset=utf-8" : "application/json"
        do {
            // An invalid predicate must yield an error, not a partial file.
            _ = try await service.export(list, as: format, from: 0, limit: 1)
        } catch {
            return StudioServer.response(
                Data((error.message + "\n").utf8), type: "text/plain; charset=utf-8", .badRequest)
        }
        let body = HTTPBodySequence(
            from: ExportBody(service: service, query: list, format: format), suggestedBufferSize: 1 << 16)
        var headers = StudioServer.headers(type: type)
        let file = list.entity.filter { $0.isLetter && $0.isASCII || $0.isNumber && $0.isASCII || $0 == "_" }
        headers[HTTPHeader("Content-Disposition")] = "attachment; filename=\"\(file).\(format.rawValue)\""
        return HTTPResponse(statusCode: .ok, headers: headers, body: body)
    }
}
#endif
