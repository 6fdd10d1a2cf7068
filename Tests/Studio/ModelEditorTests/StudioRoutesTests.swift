import Foundation
import ModelcDriver
import Testing

@testable import StudioServer

/// The answers to requests, without a web server.
@Suite struct StudioRoutesTests {
    private let routes = StudioRoutes(
        service: nil, store: StoreRoutes(service: nil), token: "token", invitation: Invitation(secret: "secret"))

    private func request(
        _ method: String, _ path: String, headers: [String: String] = [:], isRead: @escaping @Sendable () -> Void = {}
    ) -> WebRequest {
        let all = ["Host": "127.0.0.1:80", "Origin": "http://127.0.0.1:80"].merging(headers) { $1 }
        return WebRequest(
            method: method, path: path, query: [], header: { all[$0] }, body: { Data() }, discardBody: { isRead() })
    }

    /// All users of a computer see the arguments of the browser.
    @Test func theAddressThatTheBrowserIsStartedWithIsUsedOnce() async {
        let other = await routes.respond(to: request("GET", "/secre/"), port: 80)
        #expect(other.status == .forbidden)
        let first = await routes.respond(to: request("GET", "/secret/"), port: 80)
        #expect(first.status == .seeOther && first.headers["Location"] == "/token/")
        let second = await routes.respond(to: request("GET", "/secret/"), port: 80)
        #expect(second.status == .forbidden && second.headers["Location"] == nil)
        let page = await routes.respond(to: request("GET", "/token/"), port: 80)
        #expect(page.status == .ok)
    }

    /// A browser waits until it has sent everything.
    @Test func aRequestThatIsTooLargeIsReadAndRejected() async {
        for length in ["16777217", "99999999999999999999"] {
            let counter = Counter()
            let response = await routes.respond(
                to: request(
                    "POST", "/token/api", headers: ["Content-Type": "application/json", "Content-Length": length],
                    isRead: { counter.add() }), port: 80)
            let isNumber = Int(length) != nil
            #expect(response.status == (isNumber ? .contentTooLarge : .forbidden))
            #expect(counter.value == (isNumber ? 1 : 0))
        }
    }

    // MARK: Heads

    private func head(_ text: String, limit: Int = 100, size: Int = 7) -> RequestHead.Outcome {
        var rest = Array(text.utf8)[...]
        return RequestHead.read(limit: limit) { count in
            let part = rest.prefix(min(count, size))
            rest = rest.dropFirst(part.count)
            return Array(part)
        }
    }

    private func forwarded(_ text: String, size: Int) -> String? {
        guard case .complete(let head) = head(text, size: size) else { return nil }
        return String(decoding: head.forwarded, as: UTF8.self)
    }

    @Test(arguments: [1, 7, 1000])
    func aConnectionHasOneRequest(size: Int) {
        #expect(
            forwarded("GET / HTTP/1.1\r\nconnection : keep-alive\r\nA: b\r\n\r\n", size: size)
                == "GET / HTTP/1.1\r\nA: b\r\nConnection: close\r\n\r\n")
        #expect(
            forwarded("GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", size: size)
                == "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n")
        let body = forwarded("POST / HTTP/1.1\r\nA: b\r\n\r\n\n\n", size: 1000)
        #expect(body?.hasSuffix("close\r\n\r\n\n\n") == true)
    }

    @Test func headsThatAreTooLargeOrMalformedAreRejected() {
        let long = String(repeating: "x", count: 200)
        #expect(head("GET /\(long)") == .tooLarge)
        #expect(head("GET / HTTP/1.1\r\nA: \(long)\r\n\r\n") == .tooLarge)
        #expect(head("GET / HTTP/1.1\n\nGET / HTTP/1.1\r\n\r\n") == .malformed)
        #expect(head("\nGET / HTTP/1.1\r\n\r\n") == .malformed)
        #expect(head("GET / HTTP/1.1\r\nA: b") == .ended)
        #expect(head("") == .ended)
        let exact = "GET / HTTP/1.1\r\nA: " + String(repeating: "b", count: 100 - 23) + "\r\n\r\n"
        #expect(exact.utf8.count == 100)
        if case .complete = head(exact) {} else { Issue.record("a head of the limit is rejected") }
        // The bytes after a head do not count.
        if case .complete = head(exact + long, size: 1000) {} else { Issue.record("a body is part of the head") }
    }

    private final class Counter: @unchecked Sendable {
        private(set) var value = 0
        func add() { value += 1 }
    }
}
