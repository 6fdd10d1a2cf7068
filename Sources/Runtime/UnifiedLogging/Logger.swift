/// Writes log messages to the standard error stream, in place of Apple's unified log.
///
/// ```swift
/// let logger = Logger(subsystem: "org.example.library", category: "store")
/// logger.error("cannot save: \(error.localizedDescription)")
/// ```
///
/// Messages below `notice` are written, and private values shown, only if the environment variable
/// `OS_ACTIVITY_DT_MODE` is `1`.
public struct Logger: Sendable {
    let destination: OSLog

    /// Creates a logger without subsystem and category.
    public init() {
        destination = .default
    }

    /// Creates a logger.
    public init(subsystem: String, category: String) {
        destination = OSLog(subsystem: subsystem, category: category)
    }

    /// Creates a logger for a log.
    public init(_ logObj: OSLog) {
        destination = logObj
    }

    /// Writes a message.
    public func log(_ message: @autoclosure () -> OSLogMessage) { log(level: .default, message()) }

    /// Writes a message of a level.
    public func log(level: OSLogType, _ message: @autoclosure () -> OSLogMessage) {
        LogSink.write(message().text, level, destination)
    }

    /// Writes a message of the level `debug`.
    public func trace(_ message: @autoclosure () -> OSLogMessage) { log(level: .debug, message()) }

    /// Writes a message of the level `debug`.
    public func debug(_ message: @autoclosure () -> OSLogMessage) { log(level: .debug, message()) }

    /// Writes a message of the level `info`.
    public func info(_ message: @autoclosure () -> OSLogMessage) { log(level: .info, message()) }

    /// Writes a message of the level `default`.
    public func notice(_ message: @autoclosure () -> OSLogMessage) { log(level: .default, message()) }

    /// Writes a message of the level `error`.
    public func warning(_ message: @autoclosure () -> OSLogMessage) { log(level: .error, message()) }

    /// Writes a message of the level `error`.
    public func error(_ message: @autoclosure () -> OSLogMessage) { log(level: .error, message()) }

    /// Writes a message of the level `fault`.
    public func critical(_ message: @autoclosure () -> OSLogMessage) { log(level: .fault, message()) }

    /// Writes a message of the level `fault`.
    public func fault(_ message: @autoclosure () -> OSLogMessage) { log(level: .fault, message()) }
}
