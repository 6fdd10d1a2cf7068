internal import Foundation

/// The standard error stream of a program whose code knows nothing of its streams: a line that cannot be written, because
/// the disk is full or the stream is closed, is lost.
public enum StandardError {
    /// Writes text. `FileHandle.write(_:)` would end the program if that fails. Any thread.
    public static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
