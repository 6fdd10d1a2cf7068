public import Foundation

/// A web server for this computer alone, which the executable provides: `StudioServer` depends on no server library.
public protocol WebServer: Sendable {
    /// Serves requests to 127.0.0.1 until the task is cancelled.
    ///
    /// - Parameters:
    ///   - port: The port, or 0 for any free port.
    ///   - whenListening: Receives the actual port, and the path of the server's temporary folder, when the
    ///     server accepts connections.
    ///   - respond: Responds to a request, given the actual port. Called for several requests at the same time.
    /// - Throws: ``WebServerError/portIsInUse`` if another program listens on the port, or the server's own error.
    func run(
        port: UInt16, whenListening: @escaping @Sendable (UInt16, String) -> Void,
        respond: @escaping @Sendable (WebRequest, UInt16) async -> WebResponse
    ) async throws
}

/// A reason for which a server cannot run that has its own message.
public enum WebServerError: Error {
    /// Another program listens on the port.
    case portIsInUse
}

/// A request of the browser.
public struct WebRequest: Sendable {
    /// The method, in upper case.
    public let method: String
    /// The path, with percent escapes decoded, and without the query.
    public let path: String
    /// The items of the query, with percent escapes decoded.
    public let query: [(name: String, value: String)]
    /// Returns the value of a header, whose name is case-insensitive; `nil` if the request does not have it.
    public let header: @Sendable (String) -> String?
    /// Reads the body.
    public let body: @Sendable () async throws -> Data
    /// Reads the body without keeping it: a browser expects an answer only after it has sent everything.
    public let discardBody: @Sendable () async -> Void

    /// Creates a request.
    public init(
        method: String, path: String, query: [(name: String, value: String)],
        header: @escaping @Sendable (String) -> String?, body: @escaping @Sendable () async throws -> Data,
        discardBody: @escaping @Sendable () async -> Void = {}
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.header = header
        self.body = body
        self.discardBody = discardBody
    }

    /// Returns the value of a query item; `nil` if the query does not have it.
    func item(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// A body that is larger than allowed.
    struct BodyIsTooLarge: Error {}

    /// Reads the body of a POST request.
    ///
    /// - Returns: `nil` if the body has another type, no length, or does not arrive.
    /// - Throws: `BodyIsTooLarge` if it is larger than `limit` bytes.
    func body(ofType type: String, limit: Int) async throws(BodyIsTooLarge) -> [UInt8]? {
        guard header("Content-Type")?.hasPrefix(type) == true,
            let length = header("Content-Length").flatMap({ Int($0) })
        else { return nil }
        guard length <= limit else {
            await discardBody()
            throw BodyIsTooLarge()
        }
        return (try? await body()).map { [UInt8]($0) }
    }
}

/// A response to the browser.
public struct WebResponse: Sendable {
    /// The status codes that the studio uses.
    public enum Status: Int, Sendable {
        case ok = 200
        case noContent = 204
        case seeOther = 303
        case badRequest = 400
        case forbidden = 403
        case contentTooLarge = 413
        case serviceUnavailable = 503

        /// The reason phrase of the status line.
        public var phrase: String {
            switch self {
            case .ok: "OK"
            case .noContent: "No Content"
            case .seeOther: "See Other"
            case .badRequest: "Bad Request"
            case .forbidden: "Forbidden"
            case .contentTooLarge: "Content Too Large"
            case .serviceUnavailable: "Service Unavailable"
            }
        }
    }

    /// The content of a response.
    public enum Body: Sendable {
        /// Bytes.
        case data(Data)
        /// Bytes that are read while they are sent, in chunked transfer encoding.
        case chunks(@Sendable () -> AsyncThrowingStream<Data, any Error>)
        /// Text messages that are sent through a WebSocket, to which the connection is upgraded. The status and headers
        /// are the server's.
        case messages(AsyncStream<String>)
    }

    /// The status.
    public let status: Status
    /// The headers.
    public internal(set) var headers: [String: String]
    /// The content.
    public let body: Body

    /// Creates a response with the headers common to all responses.
    init(_ status: Status = .ok, type: String, body: Body) {
        self.status = status
        self.body = body
        headers = [
            "Content-Type": type,
            "Cache-Control": "no-store",
            "Content-Security-Policy":
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        ]
    }

    /// Creates a response with JSON.
    init(json: [UInt8]) { self.init(type: "application/json", body: .data(Data(json))) }

    /// Creates a response with a line of text.
    init(_ status: Status, line: String) {
        self.init(status, type: "text/plain; charset=utf-8", body: .data(Data((line + "\n").utf8)))
    }
}
