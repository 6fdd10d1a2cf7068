import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Synchronization
import Testing

/// A listener, and the sessions that notify it.
@Suite(.needsPostgreSQL) struct NotificationListenerTests {
    /// The events reported by a listener.
    private final class Recorder: Sendable {
        let events = Mutex<[NotificationListener.Event]>([])

        /// Waits until a condition holds for the events.
        func wait(_ condition: ([NotificationListener.Event]) -> Bool) -> Bool {
            let end = Date(timeIntervalSinceNow: 60)
            while Date() < end {
                if condition(events.withLock { $0 }) { return true }
                Thread.sleep(forTimeInterval: 0.005)
            }
            return false
        }
    }

    private static func listen(
        _ parameters: ConnectionParameters, _ channel: String
    ) throws -> (NotificationListener, Recorder) {
        let recorder = Recorder()
        let listener = try NotificationListener(parameters, channels: [channel]) { event in
            recorder.events.withLock { $0.append(event) }
        }
        return (listener, recorder)
    }

    private static func payloads(_ events: [NotificationListener.Event]) -> [String] {
        events.compactMap { if case .notified(_, let payload, _) = $0 { payload } else { nil } }
    }

    @Test func notificationsArriveInOrderWhenTheyAreCommitted() throws {
        let parameters = try PostgreSQLCluster.shared.get().parameters()
        let (listener, recorder) = try Self.listen(parameters, "channel_1")
        defer { listener.stop() }
        #expect(recorder.wait { $0.contains(.connected) })
        let sender = try PostgreSQLConnection(parameters)
        try sender.begin()
        for number in 0..<100 { try sender.execute("SELECT pg_notify('channel_1', $1)", [.text("\(number)")]) }
        #expect(Self.payloads(recorder.events.withLock { $0 }).isEmpty)
        try sender.commit()
        #expect(recorder.wait { Self.payloads($0).count == 100 })
        #expect(Self.payloads(recorder.events.withLock { $0 }) == (0..<100).map { "\($0)" })
        guard case .notified("channel_1", _, let process)? = recorder.events.withLock({ $0.last }) else {
            Issue.record("no notification")
            return
        }
        #expect(process == sender.backendProcess)
    }

    @Test func listenerReconnectsAfterItsBackendWasKilled() throws {
        let parameters = try PostgreSQLCluster.shared.get().parameters().merging(["application_name": "listener_2"])
        let (listener, recorder) = try Self.listen(parameters, "channel_2")
        defer { listener.stop() }
        #expect(recorder.wait { $0.contains(.connected) })
        let sender = try PostgreSQLConnection(PostgreSQLCluster.shared.get().parameters())
        try sender.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listener_2'")
        #expect(recorder.wait { $0.filter { $0 == .connected }.count == 2 })
        #expect(recorder.events.withLock { $0 }.contains { if case .disconnected = $0 { true } else { false } })
        try sender.execute("SELECT pg_notify('channel_2', 'again')")
        #expect(recorder.wait { Self.payloads($0) == ["again"] })
    }

    @Test func listenerStartsBeforeItsServer() throws {
        let cluster = try PostgreSQLCluster()
        cluster.stop()
        let (listener, recorder) = try Self.listen(cluster.parameters(), "channel_3")
        defer { listener.stop() }
        #expect(recorder.wait { !$0.isEmpty })
        #expect(!recorder.events.withLock { $0 }.contains(.connected))
        try cluster.start()
        #expect(recorder.wait { $0.contains(.connected) })
    }

    @Test func stoppedListenerReportsNothing() throws {
        let parameters = try PostgreSQLCluster.shared.get().parameters()
        let (listener, recorder) = try Self.listen(parameters, "channel_4")
        #expect(recorder.wait { $0.contains(.connected) })
        listener.stop()
        try PostgreSQLConnection(parameters).execute("SELECT pg_notify('channel_4', 'late')")
        Thread.sleep(forTimeInterval: 0.1)
        #expect(recorder.events.withLock { $0 } == [.connected])
    }

    /// A server that does not answer does not keep the listener from being stopped: otherwise this waits for ever.
    @Test(.timeLimit(.minutes(5))) func listenerStopsWithoutAnAnswer() throws {
        let server = try StubServer()
        let parameters = try ConnectionParameters("postgresql:///x?host=\(server.folder.path)&user=x")
        let (listener, recorder) = try Self.listen(parameters, "channel_5")
        server.waitForClient()
        listener.stop()
        server.stop()
        #expect(recorder.events.withLock { $0 }.isEmpty)
    }

    /// A stopped listener is released with its thread and its pipe.
    @Test func stoppedListenerIsReleased() throws {
        final class Object: Sendable {}
        weak var released: Object?
        let parameters = try PostgreSQLCluster.shared.get().parameters()
        do {
            let object = Object()
            released = object
            let listener = try NotificationListener(parameters, channels: ["channel_6"]) { [object] _ in
                withExtendedLifetime(object) {}
            }
            listener.stop()
        }
        let end = Date(timeIntervalSinceNow: 60)
        while released != nil, Date() < end { Thread.sleep(forTimeInterval: 0.005) }
        #expect(released == nil)
    }

    @Test(arguments: ["", "Upper", "a b", "a\"; DROP TABLE t", "1a", String(repeating: "a", count: 64), "ä"])
    func channelThatNeedsQuotesIsRefused(channel: String) throws {
        let parameters = try PostgreSQLCluster.shared.get().parameters()
        #expect(throws: PostgreSQLError.self) { try NotificationListener(parameters, channels: [channel]) { _ in } }
    }
}
