/// A filter that accepts requests from the page itself and from nothing else in the browser or on the network.
struct RequestGuard: Sendable {
    /// The secret that every path begins with.
    let token: String
    let port: UInt16

    /// The outcome of a check.
    enum Decision: Equatable {
        /// The request is accepted; `path` is the path after the token.
        case accepted(path: String)
        /// The request is rejected.
        case rejected
    }

    /// Checks a request.
    ///
    /// `Host` must name this computer: with a name that an attacker has pointed at 127.0.0.1, the attacker's page would
    /// have the same origin. `Origin` must be that of the page; requests that change something or open a WebSocket must
    /// have one.
    ///
    /// - Parameter needsOrigin: Whether a request without `Origin` is rejected.
    func check(path: String, host: String?, origin: String?, needsOrigin: Bool) -> Decision {
        guard let host, hosts.contains(host.lowercased()) else { return .rejected }
        if let origin {
            guard origin.lowercased() == "http://\(host.lowercased())" else { return .rejected }
        } else if needsOrigin {
            return .rejected
        }
        let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: true)
        guard let first = parts.first, isToken(first) else { return .rejected }
        return .accepted(path: parts.count > 1 ? String(parts[1]) : "")
    }

    private var hosts: [String] { ["127.0.0.1:\(port)", "localhost:\(port)"] }

    /// Compares a text with the token in constant time.
    private func isToken(_ text: Substring) -> Bool {
        let (one, other) = (Array(text.utf8), Array(token.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
