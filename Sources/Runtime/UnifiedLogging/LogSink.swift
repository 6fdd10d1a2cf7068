internal import Foundation

/// Writes log messages to the standard error stream.
enum LogSink {
    /// Whether messages of all levels are written, and private values shown, as in Xcode's console.
    static let isVerbose = shows(ProcessInfo.processInfo.environment["OS_ACTIVITY_DT_MODE"])

    static func shows(_ setting: String?) -> Bool {
        setting.map { ["1", "enable", "yes", "true"].contains($0.lowercased()) } ?? false
    }

    /// Returns whether messages of a level are written.
    static func isEnabled(_ type: OSLogType) -> Bool { isVerbose || type != .debug && type != .info }

    /// Returns the line of a message: `subsystem [category] error: text`.
    static func line(_ text: String, _ type: OSLogType, subsystem: String, category: String) -> String {
        var line = subsystem
        if !category.isEmpty { line += (line.isEmpty ? "" : " ") + "[\(category)]" }
        if let level = type.levelName { line += (line.isEmpty ? "" : " ") + "\(level):" }
        return (line.isEmpty ? text : "\(line) \(text)") + "\n"
    }

    static func write(_ text: @autoclosure () -> String, _ type: OSLogType, _ log: OSLog) {
        guard log.isEnabled(type: type) else { return }
        let line = line(text(), type, subsystem: log.subsystem, category: log.category)
        // `write(_:)` would end the program if the stream cannot be written.
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
}
