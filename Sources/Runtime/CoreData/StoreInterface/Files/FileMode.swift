internal import Foundation

enum FileMode {
    /// Returns the mode of a file; `nil` if it does not exist.
    static func of(_ url: URL) -> mode_t? {
        var status = stat()
        return stat(url.path, &status) == 0 ? status.st_mode & 0o777 : nil
    }
}
