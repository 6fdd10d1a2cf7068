internal import Diagnostics
internal import ModelcDriver

extension FileSystem {
    /// Throws if there is no file at the path of a store.
    func requireStore(_ path: String) throws(InputFailure) {
        guard case .file? = kind(of: path) else {
            throw InputFailure(
                path, rule: .noSuchFile, message: "there is no file at this path", help: "Specify a SQLite store.")
        }
    }
}
