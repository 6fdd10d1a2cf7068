internal import Foundation

/// Logs problems that Core Data's API cannot report by throwing an error. Messages are written to the standard error
/// stream; Apple's framework writes them to the system log.
public enum Log {
    /// Logs an error message.
    public static func error(_ message: String) {
        FileHandle.standardError.write(Data("CoreData: error: \(Redaction.text(message))\n".utf8))
    }
}
