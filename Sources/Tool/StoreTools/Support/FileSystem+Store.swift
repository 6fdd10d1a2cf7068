internal import Diagnostics
internal import ModelcDriver

extension FileSystem {
    /// Throws if there is no file at the path of a store.
    func requireStore(_ path: String) throws(InputFailure) {
        let kind = kind(of: path)
        if case .file? = kind { return }
        throw InputFailure(
            path, rule: .noSuchFile,
            message: kind == .directory ? "the path is that of a folder" : "there is no file at this path",
            help: "Specify a SQLite store.")
    }
}
