internal import Diagnostics
internal import Foundation
internal import ModelcDriver

extension TemporaryFolder {
    /// Creates a folder for work whose result is elsewhere, in the system's folder for temporary files.
    ///
    /// - Parameter path: The path of what the work is on, for messages.
    static func scratch(for path: String, _ files: any FileSystem) throws(InputFailure) -> TemporaryFolder {
        do throws(FileSystemError) {
            return try TemporaryFolder(
                beside: PathName.joined(FileManager.default.temporaryDirectory.path, "store"), files)
        } catch {
            throw InputFailure(
                path, rule: .fileSystem, message: "a temporary folder cannot be created: \(error.reason)",
                help: "Set TMPDIR to a folder that can be written.")
        }
    }

    /// Returns the path of a store in the folder.
    func store(_ files: any FileSystem) -> String { files.systemPath(PathName.joined(path, "store.sqlite")) }
}
