import OSLog

public let log = OSLog.default
