package import Foundation

/// Receives events of the connections to a server, on the threads that use them.
package struct ClientObserver: Sendable {
    /// An event that operators log or count.
    package enum Event: Sendable {
        /// A round trip took longer than the limit. The statements contain no values.
        case slow(statements: [String], seconds: TimeInterval)
        /// A thread has waited because all connections of a pool were in use.
        case waited(seconds: TimeInterval, limit: Int)
    }

    /// The time, in seconds, from which a round trip is reported.
    private let slowLimit: TimeInterval
    /// Receives the events.
    private let report: @Sendable (Event) -> Void

    package init(slowLimit: TimeInterval, report: @escaping @Sendable (Event) -> Void) {
        self.slowLimit = slowLimit
        self.report = report
    }

    /// Reports a round trip that has ended, if it was slow.
    func roundTripEnded(_ statements: @autoclosure () -> [String], start: TimeInterval) {
        let seconds = Self.now - start
        if seconds >= slowLimit { report(.slow(statements: statements(), seconds: seconds)) }
    }

    /// Reports a wait for a connection.
    func waitEnded(start: TimeInterval, limit: Int) { report(.waited(seconds: Self.now - start, limit: limit)) }

    /// The time, in seconds, since the system started.
    static var now: TimeInterval { ProcessInfo.processInfo.systemUptime }
}
