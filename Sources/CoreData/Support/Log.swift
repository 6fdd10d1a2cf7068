internal import Foundation

/// Messages for which Core Data's API has no error to throw: on the standard error stream, as Apple's framework
/// says it in the system log.
enum Log {
    /// Says that something failed, and why.
    static func error(_ message: String) {
        FileHandle.standardError.write(Data("CoreData: error: \(Redaction.text(message))\n".utf8))
    }
}
