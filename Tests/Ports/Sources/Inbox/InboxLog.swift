import OSLog
import os.signpost

enum InboxLog {
    static let logger = Logger(subsystem: "org.example.inbox", category: "store")
    static let log = OSLog(subsystem: "org.example.inbox", category: .pointsOfInterest)
    private static let opened = OSAllocatedUnfairLock(initialState: 0)

    static func open(_ name: String) -> Int {
        os_signpost(.begin, log: log, name: "open", "%{public}@", name)
        defer { os_signpost(.end, log: log, name: "open") }
        logger.debug("opens \(name, privacy: .public) \(3.5, format: .fixed(precision: 1))")
        os_log("opened %{private}@ (%d)", log: log, type: .debug, name, 1)
        return opened.withLock { count in
            count += 1
            return count
        }
    }
}
