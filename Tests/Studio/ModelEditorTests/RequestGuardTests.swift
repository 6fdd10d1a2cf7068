import Testing

@testable import StudioServer

/// Requests from other pages or with other names for this computer are rejected.
@Suite struct RequestGuardTests {
    private let check = RequestGuard(token: "secret", port: 8080)
    private let host = "127.0.0.1:8080"
    private let origin = "http://127.0.0.1:8080"

    @Test func thePageItselfIsAnswered() {
        #expect(check.check(path: "/secret/", host: host, origin: nil, needsOrigin: false) == .accepted(path: ""))
        #expect(
            check.check(path: "/secret/api", host: host, origin: origin, needsOrigin: true) == .accepted(path: "api"))
        #expect(
            check.check(
                path: "/secret/api", host: "localhost:8080", origin: "http://localhost:8080", needsOrigin: true)
                == .accepted(path: "api"))
    }

    @Test(
        arguments: [
            // DNS rebinding: another name that resolves to this computer.
            ("/secret/api", "evil.example:8080", "http://evil.example:8080"), ("/secret/api", "127.0.0.1", nil),
            ("/secret/api", nil, nil),
            // A request from another page.
            ("/secret/api", "127.0.0.1:8080", "http://evil.example"), ("/secret/api", "127.0.0.1:8080", "null"),
            ("/secret/api", "127.0.0.1:8080", "http://127.0.0.1:9090"),
            ("/secret/api", "127.0.0.1:8080", "https://127.0.0.1:8080"), ("/secret/api", "127.0.0.1:8080", nil),
            // No secret, or a wrong one.
            ("/", "127.0.0.1:8080", "http://127.0.0.1:8080"), ("/api", "127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("/Secret/api", "127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("/secre/api", "127.0.0.1:8080", "http://127.0.0.1:8080"),
        ] as [(String, String?, String?)])
    func othersAreRejected(path: String, host: String?, origin: String?) {
        #expect(check.check(path: path, host: host, origin: origin, needsOrigin: true) == .rejected)
    }
}
