// Signposts are for Instruments: they do nothing here.

/// The number of a signpost.
public struct OSSignpostID: Hashable, Comparable, Sendable {
    /// The raw value.
    public let rawValue: UInt64

    /// Creates an ID.
    public init(_ value: UInt64) {
        rawValue = value
    }

    /// Creates an ID for a log.
    public init(log: OSLog) {
        rawValue = OSSignpostID.exclusive.rawValue
    }

    /// Creates an ID for an object of a log.
    public init(log: OSLog, object: AnyObject) {
        rawValue = UInt64(UInt(bitPattern: ObjectIdentifier(object)))
    }

    /// The ID of the only interval of a name.
    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
    /// An invalid ID.
    public static let invalid = OSSignpostID(UInt64.max)
    /// No ID.
    public static let null = OSSignpostID(0)

    /// Returns whether an ID is smaller than another.
    public static func < (left: OSSignpostID, right: OSSignpostID) -> Bool { left.rawValue < right.rawValue }
}

/// The kind of a signpost.
public enum OSSignpostType: UInt8, Sendable {
    /// A point in time.
    case event
    /// The start of an interval.
    case begin
    /// The end of an interval.
    case end
}

/// Does nothing: signposts are for Instruments.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {}

/// Does nothing: signposts are for Instruments.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: Any?...
) {}

/// An interval that has begun.
public final class OSSignpostIntervalState: Sendable {
    /// The interval's ID.
    public let signpostID: OSSignpostID

    init(_ signpostID: OSSignpostID) {
        self.signpostID = signpostID
    }

    /// Creates the state of an interval that another thread has begun.
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { OSSignpostIntervalState(id) }
}

/// Marks intervals for Instruments, which does nothing here.
public struct OSSignposter: Sendable {
    /// Creates a signposter.
    public init() {}

    /// Creates a signposter.
    public init(subsystem: String, category: String) {}

    /// Creates a signposter.
    public init(subsystem: String, category: OSLog.Category) {}

    /// Creates a signposter for a log.
    public init(logHandle: OSLog) {}

    /// Creates a signposter for a logger.
    public init(logger: Logger) {}

    /// A signposter that is off.
    public static let disabled = OSSignposter()

    /// Whether signposts are recorded: never.
    public var isEnabled: Bool { false }

    /// Returns an ID.
    public func makeSignpostID() -> OSSignpostID { .exclusive }

    /// Returns the ID of an object.
    public func makeSignpostID(from object: AnyObject) -> OSSignpostID {
        OSSignpostID(UInt64(UInt(bitPattern: ObjectIdentifier(object))))
    }

    /// Begins an interval.
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        OSSignpostIntervalState(id)
    }

    /// Begins an interval.
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> OSLogMessage
    ) -> OSSignpostIntervalState {
        OSSignpostIntervalState(id)
    }

    /// Ends an interval.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}

    /// Ends an interval.
    public func endInterval(
        _ name: StaticString, _ state: OSSignpostIntervalState, _ message: @autoclosure () -> OSLogMessage
    ) {}

    /// Marks a point in time.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {}

    /// Marks a point in time.
    public func emitEvent(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> OSLogMessage
    ) {}

    /// Runs a block.
    public func withIntervalSignpost<Result>(
        _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> Result
    ) rethrows -> Result { try task() }

    /// Runs a block.
    public func withIntervalSignpost<Result>(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> OSLogMessage,
        around task: () throws -> Result
    ) rethrows -> Result { try task() }
}
