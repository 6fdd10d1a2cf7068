internal import Diagnostics
internal import Foundation
internal import ModelcDriver

extension TemporaryFolder {
    /// Creates a folder for work whose result is elsewhere, in the system's folder for temporary files.
    ///
    /// - Parameter path: The path of what the work is on, for messages.
    static func scratch(for path: String, _ files: any FileSystem) throws(InputFailure) -> TemporaryFolder {
        do throws(FileSystemError) {
            return try .forStores(
                beside: PathName.joined(FileManager.default.temporaryDirectory.path, "store"), files)
        } catch {
            throw InputFailure(
                path, rule: .fileSystem, message: "a temporary folder cannot be created: \(error.reason)",
                help: "Set TMPDIR to a folder that can be written.")
        }
    }

    /// Creates a folder that has a folder for stores.
    static func forStores(
        beside path: String, _ files: any FileSystem
    ) throws(FileSystemError) -> TemporaryFolder {
        let folder = try TemporaryFolder(beside: path, files)
        do throws(FileSystemError) {
            try files.createDirectory(folder.work)
        } catch {
            folder.discard()
            throw error
        }
        return folder
    }

    /// The path of the folder inside it for stores. A migration locks the folder of its store, and would wait for ever
    /// for the lock of the temporary folder.
    var work: String { PathName.joined(path, "work") }

    /// Returns the path of a store in the folder for stores.
    func store(_ files: any FileSystem) -> String { files.systemPath(PathName.joined(work, "store.sqlite")) }
}
