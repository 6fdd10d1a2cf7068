internal import Foundation
internal import StoreBrowser

/// The responses of the data browser.
struct StoreRoutes: Sendable {
    /// The store; `nil` if the studio has only a model.
    let service: StoreServiceActor?

    /// Responds to a request whose token, host and origin were checked.
    ///
    /// - Returns: `nil` if the path does not belong to the data browser.
    /// - Throws: `BodyIsTooLarge` if it is.
    func respond(
        to request: WebRequest, path: String, limit: Int
    ) async throws(WebRequest.BodyIsTooLarge) -> WebResponse? {
        switch (request.method, path) {
        case ("POST", "store"):
            // The model editor's page asks whether there is a store.
            guard let service else { return WebResponse(json: Array("{}".utf8)) }
            guard let body = try await request.body(ofType: "application/json", limit: limit) else { return nil }
            return WebResponse(json: await service.respond(to: body))
        case ("GET", "blob"):
            guard let service, let uri = request.item("object"), let key = request.item("key") else { return nil }
            if await service.isLocked {
                return WebResponse(.serviceUnavailable, line: "the store is locked by another program")
            }
            do {
                // A page that was drawn before the store changed may still request values that no longer exist.
                let blob = try await service.blob(uri: uri, key: key)
                return blob.map(Self.response) ?? WebResponse(.noContent, type: "text/plain", body: .data(Data()))
            } catch {
                return nil
            }
        case ("POST", "blob"): return try await upload(request)
        case ("GET", "export"): return await export(request)
        default: return nil
        }
    }

    /// Replaces a binary value by the bytes of a file that the user has picked.
    private func upload(_ request: WebRequest) async throws(WebRequest.BodyIsTooLarge) -> WebResponse? {
        guard let service, let uri = request.item("object"), let key = request.item("key"),
            let body = try await request.body(ofType: "application/octet-stream", limit: StoreService.byteLimit)
        else { return nil }
        return WebResponse(json: await service.replaceBytes(uri: uri, key: key, with: body))
    }

    /// Images are shown, all other bytes are downloaded: nothing of a store is ever a document.
    private static func response(_ blob: (bytes: [UInt8], type: String)) -> WebResponse {
        var response = WebResponse(type: blob.type, body: .data(Data(blob.bytes)))
        response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
        response.headers["Content-Disposition"] =
            blob.type.hasPrefix("image/") ? "inline" : "attachment; filename=\"value.bin\""
        return response
    }

    private func export(_ request: WebRequest) async -> WebResponse? {
        guard let service, let text = request.item("query"), let name = request.item("format"),
            let format = ExportFormat(rawValue: name),
            let list = try? JSONDecoder().decode(ListQuery.self, from: Data(text.utf8))
        else { return nil }
        let chunks: @Sendable () -> AsyncThrowingStream<Data, any Error>
        do {
            // An invalid predicate must yield an error, not a partial file, and so must a store that cannot be read.
            chunks = try await service.export(list, as: format).chunks()
        } catch {
            return WebResponse(.badRequest, line: StoreProblem(error).message)
        }
        let type = format == .csv ? "text/csv; charset=utf-8" : "application/json"
        var response = WebResponse(type: type, body: .chunks(chunks))
        let file = list.entity.filter { $0.isLetter && $0.isASCII || $0.isNumber && $0.isASCII || $0 == "_" }
        response.headers["Content-Disposition"] = "attachment; filename=\"\(file).\(format.rawValue)\""
        return response
    }
}
