internal import Foundation

/// The standard error stream, for lines that may be lost, as on a full disk.
public enum StandardError {
    /// Writes text. `FileHandle.write(_:)` would end the program if that fails. Any thread.
    public static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
