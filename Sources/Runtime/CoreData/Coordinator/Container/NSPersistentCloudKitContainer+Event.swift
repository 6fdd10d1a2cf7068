public import Foundation

extension NSPersistentCloudKitContainer {
    /// The phases of synchronization with CloudKit. Raw values equal Apple's.
    ///
    /// ```swift
    /// let names: [NSPersistentCloudKitContainer.EventType: String] = [
    ///     .setup: "set-up", .import: "import", .export: "export",
    /// ]
    /// ```
    public enum EventType: Int, Sendable {
        /// The container is being set up.
        case setup = 0
        /// Changes are being imported from CloudKit.
        case `import` = 1
        /// Changes are being exported to CloudKit.
        case export = 2
    }

    /// A step of the synchronization with CloudKit. This runtime creates no events; the type lets observers of
    /// `eventChangedNotification` compile.
    ///
    /// ```swift
    /// let key = NSPersistentCloudKitContainer.eventNotificationUserInfoKey
    /// NotificationCenter.default.addObserver(
    ///     forName: NSPersistentCloudKitContainer.eventChangedNotification, object: container, queue: nil
    /// ) { notification in
    ///     let event = notification.userInfo?[key] as? NSPersistentCloudKitContainer.Event
    ///     print(event?.succeeded ?? true)
    /// }
    /// ```
    public final class Event: NSObject, NSCopying, @unchecked Sendable {
        /// The event's identity.
        public let identifier: UUID
        /// The identifier of the store that is synchronized.
        public let storeIdentifier: String
        /// The phase of the synchronization.
        public let type: EventType
        /// The time at which the event began.
        public let startDate: Date
        /// The time at which the event ended; `nil` until then.
        public let endDate: Date?
        /// Whether the event ended without an error.
        public let succeeded: Bool
        /// The error with which the event failed, if any.
        public let error: (any Error)?

        /// Creates an event.
        init(storeIdentifier: String, type: EventType, startDate: Date) {
            identifier = UUID()
            self.storeIdentifier = storeIdentifier
            self.type = type
            self.startDate = startDate
            endDate = nil
            succeeded = false
            error = nil
            super.init()
        }

        /// Returns the event itself, which is immutable.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }
}
