public import Foundation

/// The checkout of the repository that the tests belong to.
public enum Checkout {
    /// Its folder, which contains `Package.swift`.
    public static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        repeat {
            folder.deleteLastPathComponent()
        } while folder.path != "/"
            && !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        return folder
    }()
}
