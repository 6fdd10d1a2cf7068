internal import Diagnostics

/// Decides whether diagnostics may show lines of a file.
///
/// A model from an untrusted repository must not print other files to a CI log. Lines of a file are therefore not shown
/// if a symbolic link points outside the model or, for a file outside models such as the settings, out of its folder.
struct ExcerptRule {
    private let files: any FileSystem
    private var cached: [String: Bool] = [:]

    init(files: any FileSystem) {
        self.files = files
    }

    /// Returns whether the lines of a file may be shown.
    mutating func mayShow(_ path: String) -> Bool {
        if let answer = cached[path] { return answer }
        let answer = isInPlace(path)
        cached[path] = answer
        return answer
    }

    /// Returns the lines of the files that findings are about or refer to, as far as they may be shown.
    mutating func shown(_ lines: [String: LineIndex], for diagnostics: [Diagnostic]) -> [String: LineIndex] {
        var result: [String: LineIndex] = [:]
        let paths = diagnostics.flatMap { [$0.file].compactMap { $0 } + $0.related.map(\.file) }
        for path in Set(paths) where mayShow(path) { result[path] = lines[path] }
        return result
    }

    /// Returns findings whose messages do not quote files whose lines may not be shown.
    ///
    /// For findings in text of any kind. Messages about models quote names only after the file was recognized as a
    /// model.
    mutating func withoutForeignText(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.map { diagnostic in
            guard let file = diagnostic.file, !mayShow(file) else { return diagnostic }
            return Diagnostic(
                diagnostic.severity, rule: diagnostic.rule,
                "the file is not valid; its text is not shown, because a symbolic link points outside the folder",
                file: file, range: diagnostic.range, help: "Replace the link with a copy of the file.")
        }
    }

    private func isInPlace(_ path: String) -> Bool {
        let folder =
            SourceProtection.modelFolder(of: path).flatMap { $0 == path ? nil : $0 } ?? PathName.parent(of: path)
        // The merge driver reports the path that the file will have in the repository.
        guard let file = files.canonicalPath(path) else { return true }
        guard let root = files.canonicalPath(folder) else { return false }
        return file.hasPrefix(root == "/" ? root : root + "/")
    }
}
