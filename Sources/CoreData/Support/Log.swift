internal import Foundation

/// What Core Data has to say where its API has no error to throw: on the standard error stream, as Apple's framework
/// says it in the system log.
enum Log {
    /// Says that something failed, and why.
    static func error(_ message: String) {
        FileHandle.standardError.write(Data("CoreData: error: \(message)\n".utf8))
    }
}
