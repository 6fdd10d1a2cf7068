@testable import StoreBrowser

extension StoreExport {
    /// Returns the text.
    func text() throws -> String {
        try prepare()
        var bytes: [UInt8] = []
        while let part = try next() { bytes += part }
        return String(decoding: bytes, as: UTF8.self)
    }
}
