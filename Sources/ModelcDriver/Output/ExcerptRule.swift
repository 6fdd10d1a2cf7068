/// Decides whose lines diagnostics may show.
///
/// A model from an untrusted repository must not print other files into a CI log. So lines are shown of files in their own place
/// only: not if a symbolic link leads out of the model, or, for a file outside of models such as the settings, out of its folder.
struct ExcerptRule {
    private let files: any FileSystem
    private var known: [String: Bool] = [:]

    init(files: any FileSystem) {
        self.files = files
    }

    /// Returns whether the lines of a file may be shown.
    mutating func mayShow(_ path: String) -> Bool {
        if let answer = known[path] { return answer }
        let answer = isInPlace(path)
        known[path] = answer
        return answer
    }

    private func isInPlace(_ path: String) -> Bool {
        let folder = SourceProtection.modelFolder(of: path).flatMap { $0 == path ? nil : $0 } ?? PathName.parent(of: path)
        // The merge driver's text has the path that it will have in the repository.
        guard let file = files.canonicalPath(path) else { return true }
        guard let root = files.canonicalPath(folder) else { return false }
        return file.hasPrefix(root == "/" ? root : root + "/")
    }
}
