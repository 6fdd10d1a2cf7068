import FlyingFox
import FlyingSocks
import Foundation
import StudioServer

/// The studio's web server, made of FlyingFox's.
struct FlyingFoxServer: WebServer {
    func run(
        port: UInt16, whenListening: @escaping @Sendable (UInt16, String) -> Void,
        respond: @escaping @Sendable (WebRequest, UInt16) async -> WebResponse
    ) async throws {
        let folder = try PrivateFolder()
        defer { withExtendedLifetime(folder) {} }
        let folderPath = folder.path
        let path = folderPath + "/socket"
        let gate = try ConnectionGate(port: port, forwardingTo: path)
        // The page limits how long it waits. A late answer is better than none to a request that was performed.
        let server = HTTPServer(address: sockaddr_un.unix(path: path), timeout: 3600, logger: .disabled)
        await server.appendRoute("*") { request in
            await Self.response(await respond(WebRequest(request), gate.port), to: request)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask {
                try await server.waitUntilListening()
                gate.start()
                whenListening(gate.port, folderPath)
            }
            try await group.next()
            try await group.next()
        }
    }

    private static func response(_ response: WebResponse, to request: HTTPRequest) async -> HTTPResponse {
        var headers = HTTPHeaders()
        for (name, value) in response.headers { headers[HTTPHeader(name)] = value }
        let status = HTTPStatusCode(response.status.rawValue, phrase: response.status.phrase)
        switch response.body {
        case .data(let data): return HTTPResponse(statusCode: status, headers: headers, body: data)
        case .chunks(let chunks):
            let body = HTTPBodySequence(from: ChunkedBody(chunks: chunks), suggestedBufferSize: 1 << 16)
            return HTTPResponse(statusCode: status, headers: headers, body: body)
        case .messages(let messages):
            let handler = MessageFrameWSHandler(handler: MessageSender(messages: messages))
            // An invalid upgrade gets the status of every rejected request.
            return (try? await WebSocketHTTPHandler(handler: handler).handleRequest(request))
                ?? HTTPResponse(statusCode: .forbidden)
        }
    }
}

extension WebRequest {
    /// Creates a request from FlyingFox's.
    fileprivate init(_ request: HTTPRequest) {
        self.init(
            method: request.method.rawValue, path: request.path, query: request.query.map { ($0.name, $0.value) },
            header: { request.headers[HTTPHeader($0)] }, body: { try await request.bodyData },
            discardBody: {
                var count = 0
                do {
                    for try await chunk in request.bodySequence {
                        count += chunk.count
                        if count > 1 << 28 { return }
                    }
                } catch {
                    // The connection has ended.
                }
            })
    }
}

/// A body that is read in chunks while it is sent.
private struct ChunkedBody: AsyncBufferedSequence {
    typealias Element = UInt8

    let chunks: @Sendable () -> AsyncThrowingStream<Data, any Error>

    struct AsyncIterator: AsyncBufferedIteratorProtocol {
        fileprivate var chunks: AsyncThrowingStream<Data, any Error>.AsyncIterator
        fileprivate var rest: [UInt8] = []

        mutating func next() async throws -> UInt8? {
            try await nextBuffer(suggested: 1)?.first
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            if rest.isEmpty {
                guard let chunk = try await chunks.next() else { return nil }
                rest = Array(chunk)
            }
            let buffer = Array(rest.prefix(Swift.max(count, 1 << 16)))
            rest.removeFirst(buffer.count)
            return buffer
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: chunks().makeAsyncIterator()) }
}

/// Sends the text messages of a stream to a WebSocket until either side ends.
private struct MessageSender: WSMessageHandler {
    let messages: AsyncStream<String>

    func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
        AsyncStream { continuation in
            let sender = Task {
                for await text in messages { continuation.yield(.text(text)) }
                continuation.finish()
            }
            let reader = Task {
                for await _ in client {}
                continuation.finish()
            }
            continuation.onTermination = { _ in
                sender.cancel()
                reader.cancel()
            }
        }
    }
}
