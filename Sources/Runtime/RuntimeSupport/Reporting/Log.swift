internal import Foundation

/// Logs problems that Core Data's API cannot report by throwing an error. Messages are written to the standard error
/// stream; Apple's framework writes them to the system log.
public enum Log {
    /// Logs an error message.
    public static func error(_ message: String) { write("error", message) }

    /// Logs a warning: something works, but not as it should.
    public static func warning(_ message: String) { write("warning", message) }

    private static func write(_ kind: String, _ message: String) {
        StandardError.write("CoreData: \(kind): \(Redaction.text(message))\n")
    }
}
