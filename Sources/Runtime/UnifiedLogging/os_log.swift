/// Writes a message to the standard error stream.
///
/// - Parameters:
///   - message: the format; values of `%@` and `%s` are hidden unless it says `%{public}@`.
///   - dso: ignored.
///   - log: the subsystem and category.
///   - type: the level.
///   - args: the values.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ args: Any?...
) {
    LogSink.write(OSLogFormat.text("\(message)", args, showsPrivate: LogSink.isVerbose), type, log)
}

/// Writes a message to the standard error stream.
///
/// - Parameters:
///   - type: the level.
///   - dso: ignored.
///   - log: the subsystem and category.
///   - message: the format; values of `%@` and `%s` are hidden unless it says `%{public}@`.
///   - args: the values.
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
///   - type: the level.
///   - log: the subsystem and category.
///   - message: the message.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    LogSink.write(message.text, type, log)
}
