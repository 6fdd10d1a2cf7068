/// The level of a log message. Raw values equal Apple's.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// The raw value.
    public let rawValue: UInt8

    /// Creates a level.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Creates a level.
    public init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A message that helps to find a problem.
    public static let `default` = OSLogType(rawValue: 0)
    /// A message that is written only if `OS_ACTIVITY_DT_MODE` is set.
    public static let info = OSLogType(rawValue: 1)
    /// A message for developers, which is written only if `OS_ACTIVITY_DT_MODE` is set.
    public static let debug = OSLogType(rawValue: 2)
    /// An error of the program.
    public static let error = OSLogType(rawValue: 0x10)
    /// An error in the program.
    public static let fault = OSLogType(rawValue: 0x11)

    var levelName: String? {
        switch self {
        case .info: "info"
        case .debug: "debug"
        case .error: "error"
        case .fault: "fault"
        default: nil
        }
    }
}

/// The subsystem and category of log messages.
///
/// ```swift
/// let log = OSLog(subsystem: "org.example.library", category: "store")
/// os_log("saved %d books", log: log, type: .info, count)
/// ```
public final class OSLog: Sendable {
    /// A category with a meaning to Apple's tools.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The name of the category.
        public let rawValue: String

        /// Creates a category.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Points of interest.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        /// Signposts that are off by default.
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        /// Signposts with a backtrace.
        public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    }

    let subsystem: String
    let category: String
    private let isOn: Bool

    /// Creates a log.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem, category, isOn: true)
    }

    /// Creates a log.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem, category.rawValue, isOn: true)
    }

    private init(_ subsystem: String, _ category: String, isOn: Bool) {
        self.subsystem = subsystem
        self.category = category
        self.isOn = isOn
    }

    /// The log without subsystem and category.
    public static let `default` = OSLog("", "", isOn: true)
    /// A log whose messages are dropped.
    public static let disabled = OSLog("", "", isOn: false)

    /// Returns whether messages of a level are written.
    public func isEnabled(type: OSLogType) -> Bool { isOn && LogSink.isEnabled(type) }

    /// Whether signposts are recorded: never.
    public var signpostsEnabled: Bool { false }
}
