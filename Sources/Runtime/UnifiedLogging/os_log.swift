/// Writes a message to the standard error stream.
///
/// - Parameters:
///   - message: The format; values of `%@` and `%s` are hidden unless it says `%{public}@`.
///   - dso: Ignored.
///   - log: The subsystem and category.
///   - type: The level.
///   - args: The values.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ args: Any?...
) {
    LogSink.write(OSLogFormat.text("\(message)", args, showsPrivate: LogSink.isVerbose), type, log)
}

/// Writes a message to the standard error stream.
///
/// - Parameters:
///   - type: The level.
///   - dso: Ignored.
///   - log: The subsystem and category.
///   - message: The format; values of `%@` and `%s` are hidden unless it says `%{public}@`.
///   - args: The values.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString, _ args: Any?...
) {
    LogSink.write(OSLogFormat.text("\(message)", args, showsPrivate: LogSink.isVerbose), type, log)
}

/// Writes a message to the standard error stream.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { LogSink.write(message.text, .default, .default) }

/// Writes a message to the standard error stream.
///
/// - Parameters:
///   - type: The level.
///   - log: The subsystem and category.
///   - message: The message.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    LogSink.write(message.text, type, log)
}
