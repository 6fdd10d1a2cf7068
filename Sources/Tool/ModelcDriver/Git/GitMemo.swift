internal import CLibrary

/// Caches the answers of git during one run, because each costs a process.
final class GitMemo: Sendable {
    /// A file in a commit.
    struct Entry: Sendable {
        var mode: String
        var type: String
        var id: String
        /// The path from the top of the repository.
        var path: String
    }

    /// The files of a folder of the work tree.
    struct WorkTreeFiles: Sendable {
        /// The names of those that git tracks, from the folder.
        var tracked: [String] = []
        /// The names of those that it does not track, without ignored ones.
        var others: [String] = []
    }

    private struct State {
        /// The tops of work trees as git names them, by canonical path.
        var tops: [String: String] = [:]
        /// The commits of revisions, by the top of the repository and the revision.
        var commits: [[String]: String] = [:]
        /// The files below paths in a commit, by the top of the repository, the commit and the path.
        var listings: [[String]: [Entry]] = [:]
        var workTrees: [String: WorkTreeFiles] = [:]
        /// The canonical path of the work tree whose base was asked.
        var baseTop: String?
        /// The commits of submodules, by revision of the repository around them and path; `nil` for one without a
        /// commit.
        var submodules: [[String]: String?] = [:]
    }

    private let state = Locked(State())

    /// Returns the top of the work tree with a folder, if it is known and no other repository is between them.
    ///
    /// - Parameter folder: The canonical path.
    func top(of folder: String, _ files: any FileSystem) -> String? {
        let tops = state.withLock { $0.tops }
        guard !tops.isEmpty else { return nil }
        var current = folder
        while true {
            if let top = tops[current] { return top }
            guard current != "/", !current.isEmpty, files.kind(of: PathName.joined(current, ".git")) == nil else {
                return nil
            }
            current = PathName.parent(of: current)
        }
    }

    func note(top: String, canonical: String) { state.withLock { $0.tops[canonical] = top } }

    func commit(_ revision: String, in top: String) -> String? { state.withLock { $0.commits[[top, revision]] } }

    func note(commit: String, of revision: String, in top: String) {
        state.withLock { $0.commits[[top, revision]] = commit }
    }

    /// Returns the files at and below a path in a commit, if those of the path or a folder around it were listed.
    func listing(of path: String, in commit: String, top: String) -> [Entry]? {
        state.withLock { state in
            var current = path
            while !current.isEmpty {
                if let listing = state.listings[[top, commit, current]] {
                    return listing.filter { $0.path == path || $0.path.hasPrefix(path + "/") }
                }
                current = PathName.parent(of: current)
            }
            return nil
        }
    }

    func note(listing: [Entry], of path: String, in commit: String, top: String) {
        state.withLock { $0.listings[[top, commit, path]] = listing }
    }

    var baseTop: String? { state.withLock { $0.baseTop } }

    func note(baseTop: String?) { state.withLock { $0.baseTop = baseTop } }

    /// Returns the commit of a submodule in a revision, which is searched for once.
    func submoduleCommit(
        _ path: String, of revision: String, find: () throws(InputFailure) -> String?
    ) throws(InputFailure) -> String? {
        if let cached = state.withLock({ $0.submodules[[revision, path]] }) { return cached }
        let commit = try find()
        state.withLock { $0.submodules[[revision, path]] = .some(commit) }
        return commit
    }

    /// Returns the files of a folder of the work tree, which are listed once.
    func workTreeFiles(
        _ folder: String, list: () throws(InputFailure) -> WorkTreeFiles
    ) throws(InputFailure) -> WorkTreeFiles {
        if let cached = state.withLock({ $0.workTrees[folder] }) { return cached }
        let files = try list()
        state.withLock { $0.workTrees[folder] = files }
        return files
    }
}
