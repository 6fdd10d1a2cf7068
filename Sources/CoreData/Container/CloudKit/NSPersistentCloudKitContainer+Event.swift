public import Foundation

extension NSPersistentCloudKitContainer {
    /// What a container does with CloudKit, with the values of Apple's framework.
    public enum EventType: Int, Sendable {
        /// The container is set up.
        case setup = 0
        /// Changes are received.
        case `import` = 1
        /// Changes are sent.
        case export = 2
    }

    /// A step of the synchronization with CloudKit. This runtime creates no events; the type lets observers of
    /// `eventChangedNotification` compile.
    public final class Event: NSObject, NSCopying, @unchecked Sendable {
        /// The event's identity.
        public let identifier: UUID
        /// The identifier of the store that is synchronized.
        public let storeIdentifier: String
        /// What is done.
        public let type: EventType
        /// When it began.
        public let startDate: Date
        /// When it ended; `nil` until then.
        public let endDate: Date?
        /// Whether it ended without an error.
        public let succeeded: Bool
        /// Why it failed.
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

        /// Returns the event itself, which does not change.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }
}
