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

    private final class Counter: @unchecked Sendable {
        private(set) var value = 0
        func add() { value += 1 }
    }
}
