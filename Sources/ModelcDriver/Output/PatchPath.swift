/// The paths in the headers of patches.
enum PatchPath {
    /// Returns a path that `patch -p1` and `git apply` accept behind `a/` and `b/`: relative to the working directory for files
    /// below it, otherwise relative to the root of the file system.
    static func path(of file: String, in files: any FileSystem) -> String {
        var parts = file.split(separator: "/").filter { $0 != "." }
        guard file.hasPrefix("/") || parts.contains("..") else { return parts.joined(separator: "/") }
        // A folder that does not exist yet is below one that does.
        var tail = parts.popLast().map { [$0] } ?? []
        let root = file.hasPrefix("/") ? "/" : ""
        var folder = files.canonicalPath(root + parts.joined(separator: "/"))
        while folder == nil, let part = parts.popLast() {
            tail.insert(part, at: 0)
            folder = files.canonicalPath(root + parts.joined(separator: "/"))
        }
        let whole = (folder ?? "/").split(separator: "/") + tail
        let working = (files.canonicalPath(".") ?? "/").split(separator: "/")
        let isBelow = whole.count > working.count && whole.starts(with: working)
        return whole.dropFirst(isBelow ? working.count : 0).joined(separator: "/")
    }
}

extension DriverEnvironment {
    /// Prints the difference between two texts of a file as a patch for the working directory.
    ///
    /// - Parameters:
    ///   - old: The current text; `nil` if the file is new.
    ///   - new: The new text; `nil` if the file is removed.
    ///   - file: The path of the file.
    func outputPatch(_ old: String?, _ new: String?, of file: String) {
        outputData(UnifiedDiff.between(old, new, path: PatchPath.path(of: file, in: files)))
    }
}
