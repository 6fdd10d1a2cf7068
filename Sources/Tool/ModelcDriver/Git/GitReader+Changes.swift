internal import Diagnostics

/// What has changed in a work tree since a commit.
extension GitReader {
    /// A state that the work tree is compared with.
    struct Base: Hashable {
        /// What git resolves: `HEAD`, a branch or a commit.
        var revision: String
    }

    /// Returns the state that the work of a branch began with: the merge base with another branch, or the revision
    /// itself if it is not a branch.
    ///
    /// - Parameters:
    ///   - name: The branch, or another revision; `nil` for the default branch.
    ///   - folder: A folder of the work tree.
    /// - Throws: If there is no repository, no commit, or no common commit.
    func base(_ name: String?, of folder: String) throws(InputFailure) -> Base {
        let location = Location(revision: "HEAD", ofModel: folder)
        let resolved = try resolve(location)
        guard resolved.hasWorkTree else {
            throw failure(
                location, "the repository has no work tree here",
                help: "Run modelc in a work tree of the repository; “git worktree add” makes one.")
        }
        memo.note(baseTop: files.canonicalPath(resolved.top))
        var branches: [String]
        if name == Self.latestTagName { return Base(revision: try latestTag(resolved, location)) }
        if let name {
            let full = try run(resolved, ["rev-parse", "--symbolic-full-name", "--end-of-options", name])
            let text = Self.line(full.output).split(separator: "\n").last.map(String.init) ?? ""
            guard full.exitCode == 0, text.hasPrefix("refs/heads/") || text.hasPrefix("refs/remotes/") else {
                return Base(revision: name)
            }
            branches = [text]
        } else {
            branches = [
                Self.remoteHead, "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main",
                "refs/heads/master",
            ]
        }
        let listing = try git(resolved, ["for-each-ref", "--format=%(refname) %(objectname) %(symref)"] + branches)
        var tips: [String: String] = [:]
        for line in String(decoding: listing, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 2 else { continue }
            tips[words[0]] = words[1]
            // The default branch has the name that the remote's HEAD stands for.
            if words[0] == Self.remoteHead, words.count == 3, branches.first == Self.remoteHead {
                branches[0] = words[2]
                tips[words[2]] = words[1]
            }
        }
        guard let branch = branches.first(where: { tips[$0] != nil }) else {
            if let name { return Base(revision: name) }
            return try baseWithoutUsualBranches(resolved, location, of: folder)
        }
        if tips[branch] == resolved.commit { return Base(revision: "HEAD") }
        let found = try run(resolved, ["merge-base", resolved.commit, branch])
        let short = branch.replacing("refs/heads/", with: "").replacing("refs/remotes/", with: "")
        guard found.exitCode == 0 else {
            throw failure(
                location, "HEAD and “\(short)” have no common commit here",
                help: "Fetch the history, for example with “git fetch --unshallow”, or on GitHub Actions with "
                    + "“fetch-depth: 0” for actions/checkout.")
        }
        let commit = Self.line(found.output)
        if commit == resolved.commit { return Base(revision: "HEAD") }
        return Base(revision: commit == tips[branch] ? short : String(commit.prefix(12)))
    }

    /// Returns the base in a repository without a branch that is usually the default one: the branch of the setting
    /// `init.defaultBranch`, or the only branch.
    ///
    /// - Throws: If there are other branches or repositories: a comparison of HEAD with itself would find nothing.
    private func baseWithoutUsualBranches(
        _ resolved: Resolved, _ location: Location, of folder: String
    ) throws(InputFailure) -> Base {
        let setting = Self.line(try run(resolved, ["config", "init.defaultBranch"]).output)
        if !setting.isEmpty,
            try run(resolved, ["show-ref", "--verify", "--quiet", "refs/heads/\(setting)"]).exitCode == 0
        {
            return try base("refs/heads/\(setting)", of: folder)
        }
        let branches = Self.line(try run(resolved, ["for-each-ref", "--format=%(refname)", "refs/heads"]).output)
        let remotes = try run(resolved, ["remote"])
        let isShallow = try run(resolved, ["rev-parse", "--is-shallow-repository"])
        if remotes.output.isEmpty, Self.line(isShallow.output) != "true", !branches.isEmpty, !branches.contains("\n") {
            return try base(branches, of: folder)
        }
        throw failure(
            location, "the default branch is unknown here",
            help: "Fetch the history, on GitHub Actions with “fetch-depth: 0” for actions/checkout, or name a state "
                + "with --against or “against:”.")
    }

    private static let remoteHead = "refs/remotes/origin/HEAD"

    /// The name that stands for the last release tag.
    static let latestTagName = "latest-tag"

    /// Returns the last release tag before the current commit, or at it: a version such as `v2.3` or `2.3.1` that is no
    /// pre-release.
    private func latestTag(_ resolved: Resolved, _ location: Location) throws(InputFailure) -> String {
        let found = try run(
            resolved,
            ["describe", "--tags", "--abbrev=0", "--match=v[0-9]*", "--match=[0-9]*", "--exclude=*-*", "HEAD"])
        guard found.exitCode == 0 else {
            throw failure(
                location, "no release tag, such as v1.0, is reachable from HEAD",
                help:
                    "Fetch the history with its tags, for example with “git fetch --tags --unshallow”, or on GitHub Actions "
                    + "with “fetch-depth: 0” for actions/checkout; or name another revision.")
        }
        return Self.line(found.output)
    }

    /// Returns the files below a folder of the work tree that differ from a revision, exist only in one of the two, or
    /// are not tracked, also in submodules. Ignored files are left out.
    func changedFiles(below folder: String, since revision: String) throws(InputFailure) -> [String] {
        let folderTop = try repository(of: Location(revision: revision, ofModel: folder)).top
        var result: [String]
        if let commit = try submoduleCommit(revision, in: folderTop) {
            result = try changedFiles(inRepositoryOf: folder, since: commit)
        } else if isSubmodule(folderTop) {
            result = try allFiles(inSubmodule: folder)
        } else {
            result = try changedFiles(inRepositoryOf: folder, since: revision)
        }
        guard let top = memo.baseTop, files.kind(of: PathName.joined(top, ".gitmodules")) != nil else { return result }
        for submodule in try submodules(below: folder) {
            if let commit = try submoduleCommit(revision, in: submodule) {
                result += try changedFiles(inRepositoryOf: submodule, since: commit)
            } else {
                result += try allFiles(inSubmodule: submodule)
            }
        }
        return result
    }

    /// Returns the files of a submodule that the revision lacks.
    private func allFiles(inSubmodule folder: String) throws(InputFailure) -> [String] {
        let location = Location(revision: "HEAD", ofModel: folder)
        let all = try workTreeFiles(Resolved(location: location, top: files.systemPath(folder)))
        return Self.paths(all.tracked + all.others, in: folder)
    }

    private func changedFiles(
        inRepositoryOf folder: String, since revision: String
    ) throws(InputFailure) -> [String] {
        let location = Location(revision: revision, ofModel: folder)
        guard !revision.hasPrefix("-") else {
            throw failure(location, "“\(revision)” is not a revision", help: "Specify a branch, tag or commit.")
        }
        // Names start at the folder in which git runs.
        let workTree = Resolved(location: location, top: files.systemPath(folder))
        let changed = try git(
            workTree,
            [
                "diff", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=all", "--relative", "-z",
                revision,
                "--", ".",
            ], settings: try withoutFilters(workTree))
        return Self.names(changed, in: folder) + Self.paths(try workTreeFiles(workTree).others, in: folder)
    }

    /// Returns settings with which git runs none of the filters that its settings name. A file that only a filter makes
    /// equal counts as changed then.
    private func withoutFilters(_ workTree: Resolved) throws(InputFailure) -> [String] {
        let names = try run(
            workTree, ["config", "-z", "--name-only", "--get-regexp", #"^filter\..+\.(clean|process|required)$"#])
        // 1: no setting has such a name.
        guard names.exitCode == 0 || names.exitCode == 1 else {
            throw failure(workTree.location, "git's settings cannot be read", help: "Leave out --changed.")
        }
        let filters = Set(
            names.output.split(separator: 0).compactMap { name -> String? in
                let text = String(decoding: name, as: UTF8.self)
                return text.lastIndex(of: ".").map { String(text[..<$0]) }
            })
        guard filters.allSatisfy({ !$0.contains("=") }) else {
            throw failure(
                workTree.location, "a filter in git's settings has an unusual name", help: "Leave out --changed.")
        }
        return filters.sorted().flatMap { ["-c", "\($0).process=", "-c", "\($0).required=false"] }
    }

    /// Returns the files below a folder of the work tree that git tracks.
    func trackedFiles(below folder: String) throws(InputFailure) -> [String] {
        let workTree = Resolved(location: Location(revision: "HEAD", ofModel: folder), top: files.systemPath(folder))
        return Self.paths(try workTreeFiles(workTree).tracked, in: folder)
    }

    private func workTreeFiles(_ folder: Resolved) throws(InputFailure) -> GitMemo.WorkTreeFiles {
        try memo.workTreeFiles(folder.top) { () throws(InputFailure) in
            let output = try git(
                folder, ["ls-files", "-t", "-z", "--cached", "--others", "--exclude-standard", "--", "."])
            var result = GitMemo.WorkTreeFiles()
            for line in output.split(separator: 0) {
                // A letter for the state and a space come before the name.
                let name = String(decoding: line.dropFirst(2), as: UTF8.self)
                if line.first == UInt8(ascii: "?") {
                    result.others.append(name)
                } else if result.tracked.last != name {
                    // A file with conflicts is listed several times.
                    result.tracked.append(name)
                }
            }
            return result
        }
    }

    /// Returns names that git printed, each followed by a zero byte, as paths.
    private static func names(_ output: [UInt8], in folder: String) -> [String] {
        paths(output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }, in: folder)
    }

    private static func paths(_ names: [String], in folder: String) -> [String] {
        folder == "." ? names : names.map { PathName.joined(folder, $0) }
    }
}
