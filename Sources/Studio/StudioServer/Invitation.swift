/// A secret that is worth the token once.
///
/// The browser's arguments are visible to all users of the computer, so the address that it is started with leads to
/// the page only the first time.
actor Invitation {
    private var secret: String?

    init(secret: String) { self.secret = secret }

    /// Returns whether a request has the secret, which is of no use from then on.
    func accepts(_ request: WebRequest, port: UInt16) -> Bool {
        guard let secret else { return false }
        let decision = RequestGuard(token: secret, port: port).check(
            path: request.path, host: request.header("Host"), origin: request.header("Origin"), needsOrigin: false)
        guard decision == .accepted(path: "") else { return false }
        self.secret = nil
        return true
    }
}
