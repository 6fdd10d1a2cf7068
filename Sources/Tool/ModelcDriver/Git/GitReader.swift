internal import Diagnostics

/// Reads files of a git revision with the `git` program.
struct GitReader {
    /// The file system of the working tree.
    let files: any FileSystem
    /// The cache of git's answers, shared by copies of the value.
    let memo = GitMemo()

    init(files: any FileSystem) {
        self.files = files
    }

    /// A path in a revision, as a command line names it.
    struct Location {
        /// A name that git resolves: a branch, a tag, a commit.
        var revision: String
        /// The path: from the top of the repository around the working directory, or that of a file or folder of the
        /// work tree, which need not exist.
        var path: String
        /// Whether the path is one of the work tree.
        var isInWorkTree: Bool
        /// Whether a path that is a symbolic link in the work tree stands for the link's target.
        fileprivate var followsLink = false
        /// The location as messages show it.
        var shown: String

        /// Parses `REVISION:PATH`; `nil` for text in another form. A path that begins with `./` or `../` starts at the
        /// working directory.
        init?(_ text: String) {
            guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return nil }
            let path = PathName.withoutTrailingSlashes(String(text[text.index(after: colon)...]))
            guard !path.isEmpty else { return nil }
            revision = String(text[..<colon])
            self.path = path
            isInWorkTree = path == "." || path == ".." || path.hasPrefix("./") || path.hasPrefix("../")
            shown = PathName.withoutTrailingSlashes(text)
        }

        /// Creates the location of a file or folder of the work tree in a revision of its repository.
        init(revision: String, ofModel path: String) {
            self.revision = revision
            self.path = PathName.withoutTrailingSlashes(path)
            isInWorkTree = true
            shown = "\(revision):\(self.path)"
        }
    }

    /// A location with its repository, path and commit.
    struct Resolved {
        var location: Location
        /// The folder in which git runs: the top of the work tree, or a folder in the repository that has none.
        var top: String
        /// Whether the repository has a work tree.
        var hasWorkTree = true
        /// The path from the top of the repository; empty for the top.
        var path = ""
        var commit = ""
    }

    /// The maximum number of files of a model in a revision; a folder with more is not a model.
    private static let fileLimit = 20_000

    /// Reads a file or folder from a revision.
    ///
    /// - Parameters:
    ///   - location: The file or folder.
    ///   - versions: The names of the versions of a model that are read; `nil` for all.
    /// - Returns: A file system in which `location.shown` names it.
    /// - Throws: If git, the repository, the revision or the path is missing.
    func read(_ location: Location, versions: Set<String>? = nil) throws(InputFailure) -> SnapshotFileSystem {
        do throws(InputFailure) {
            return try readPath(location, versions)
        } catch {
            // A link in the revision, or a model that was one there, has its files elsewhere.
            guard error.missesPath, location.isInWorkTree, files.linkTarget(of: location.path) != nil else {
                throw error
            }
            var target = location
            target.followsLink = true
            return try readPath(target, versions)
        }
    }

    private func readPath(
        _ location: Location, _ versions: Set<String>?
    ) throws(InputFailure) -> SnapshotFileSystem {
        let resolved = try resolve(location)
        let root = resolved.path
        let prefix = root.isEmpty ? "" : root + "/"
        var blobs: [(id: String, path: String)] = []
        var entries = memo.listing(of: root, in: resolved.commit, top: resolved.top)
        if entries == nil { entries = try listing(root.isEmpty ? [] : [root], resolved) }
        for entry in entries ?? [] {
            let path = entry.path
            guard path == root || path.hasPrefix(prefix) else { continue }
            if entry.type == "commit" {
                throw failure(
                    location, "“\(path)” is a submodule, whose files are in another repository",
                    help: "Run modelc in the submodule, or name a revision of it with --against.")
            }
            guard entry.type == "blob", entry.mode.hasPrefix("100") else { continue }
            if let versions, let name = path.dropFirst(prefix.count).split(separator: "/").first.map(String.init),
                let version = PathName.name(of: name, withoutExtension: ModelInputReader.modelExtension),
                !versions.contains(version)
            {
                continue
            }
            blobs.append((entry.id, path))
        }
        guard !blobs.isEmpty else { throw missing(location) }
        guard blobs.count <= Self.fileLimit else {
            throw failure(location, "the folder holds \(blobs.count) files", help: "Specify a model.")
        }
        let contents = try contents(blobs.map(\.id), resolved)
        var files: [String: [UInt8]] = [:]
        for (blob, bytes) in zip(blobs, contents) {
            files[blob.path == root ? location.shown : "\(location.shown)/\(blob.path.dropFirst(prefix.count))"] = bytes
        }
        return SnapshotFileSystem(root: location.shown, files: files)
    }

    /// Lists the files of several locations of one revision at once, which are read later. A location that cannot be
    /// listed here is an error when it is read.
    func prepare(_ locations: [Location]) {
        var roots: [String] = []
        var shared: Resolved?
        for location in locations {
            guard let resolved = try? resolve(location), !resolved.path.isEmpty else { continue }
            if let shared, shared.top != resolved.top || shared.commit != resolved.commit { continue }
            shared = resolved
            roots.append(resolved.path)
        }
        guard let shared, roots.count > 1 else { return }
        // A few long paths are no problem for the system; thousands may be.
        for start in stride(from: 0, to: roots.count, by: 500) {
            let part = Array(roots[start..<min(start + 500, roots.count)])
            guard let entries = try? listing(part, shared) else { return }
            for root in part {
                memo.note(
                    listing: entries.filter { $0.path == root || $0.path.hasPrefix(root + "/") }, of: root,
                    in: shared.commit, top: shared.top)
            }
        }
    }

    private func listing(_ paths: [String], _ resolved: Resolved) throws(InputFailure) -> [GitMemo.Entry] {
        let output = try git(
            resolved, ["ls-tree", "-r", "-z", "--full-tree", resolved.commit] + (paths.isEmpty ? [] : ["--"] + paths))
        return output.split(separator: 0).compactMap { entry in
            // MODE TYPE ID <tab> PATH
            guard let tab = entry.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
            let fields = entry[..<tab].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            guard fields.count == 3 else { return nil }
            return GitMemo.Entry(
                mode: fields[0], type: fields[1], id: fields[2],
                path: String(decoding: entry[entry.index(after: tab)...], as: UTF8.self))
        }
    }

    /// Returns the paths of the models below a folder of the working tree in a revision, whether or not they still
    /// exist.
    ///
    /// - Parameters:
    ///   - folder: The folder. It need not exist in the revision.
    ///   - revision: What git resolves: a branch, a tag, a commit.
    func models(below folder: String, in revision: String) throws(InputFailure) -> [String] {
        // Models are folders, so files need not be listed.
        try paths(below: folder, in: revision, listing: ["-d"], where: ModelFinder.isModel)
    }

    /// Returns the paths of the mapping models below a folder of the working tree in a revision, as `models(below:in:)`
    /// does.
    func mappings(below folder: String, in revision: String) throws(InputFailure) -> [String] {
        try paths(below: folder, in: revision, listing: ["-t"]) {
            $0.hasSuffix(MappingInputReader.sourceExtension) || $0.hasSuffix(MappingInputReader.compiledExtension)
        }
    }

    private func paths(
        below folder: String, in revision: String, listing options: [String], where isIncluded: (String) -> Bool
    ) throws(InputFailure) -> [String] {
        var location = Location(revision: revision, ofModel: folder)
        location.followsLink = true
        let resolved = try resolve(location)
        let root = resolved.path
        let listing = try git(
            resolved,
            ["ls-tree", "-r", "-z", "--name-only", "--full-tree"] + options + [resolved.commit]
                + (root.isEmpty ? [] : ["--", root]))
        let prefix = root.isEmpty ? "" : root + "/"
        return listing.split(separator: 0).compactMap { entry in
            let path = String(decoding: entry, as: UTF8.self)
            guard path.hasPrefix(prefix) else { return nil }
            let names = path.dropFirst(prefix.count).split(separator: "/").map(String.init)
            guard names.firstIndex(where: isIncluded) == names.count - 1,
                names.dropLast().allSatisfy(ModelFinder.isSearched)
            else { return nil }
            return folder == "." ? names.joined(separator: "/") : PathName.joined(folder, names.joined(separator: "/"))
        }
    }

    /// Returns the last commit that added a text to a file of the working tree, or `nil` if there is none.
    func commit(adding text: String, to path: String) throws(InputFailure) -> String? {
        let resolved = try resolve(Location(revision: "HEAD", ofModel: path))
        let found = try git(
            resolved,
            [
                "log", "-1", "--format=%H", "--no-textconv", "--no-ext-diff", "-S\(text)", resolved.commit, "--",
                resolved.path,
            ])
        let commit = Self.line(found)
        return commit.isEmpty ? nil : commit
    }

    // MARK: Steps

    /// Finds the repository, the path in it, and the commit.
    func resolve(_ location: Location) throws(InputFailure) -> Resolved {
        guard !location.revision.hasPrefix("-") else {
            throw failure(
                location, "“\(location.revision)” is not a revision", help: "Specify a branch, tag or commit.")
        }
        var resolved = try repository(of: location)
        if let commit = try submoduleCommit(location.revision, in: resolved.top) {
            resolved.commit = commit
            return resolved
        }
        // The base has no such submodule, in which a revision of the same name is another one.
        if isSubmodule(resolved.top) { throw missing(location) }
        if let commit = memo.commit(location.revision, in: resolved.top) {
            resolved.commit = commit
            return resolved
        }
        let result = try run(
            resolved, ["rev-parse", "--verify", "--quiet", "--end-of-options", location.revision + "^{commit}"])
        guard result.exitCode == 0 else {
            // The base has no such submodule.
            if pathInBase(of: resolved.top) != nil { throw missing(location) }
            let isShallow = try run(resolved, ["rev-parse", "--is-shallow-repository"])
            if String(decoding: isShallow.output, as: UTF8.self).hasPrefix("true") {
                throw failure(
                    location, "the repository has no revision “\(location.revision)”; it is a shallow clone",
                    help: "Fetch the history, for example with “git fetch --unshallow”, or on GitHub Actions with "
                        + "“fetch-depth: 0” for actions/checkout.")
            }
            if location.revision == "HEAD" {
                throw failure(
                    location, "the repository has no commit", help: "Commit the model, with which changes are compared."
                )
            }
            throw failure(
                location, "the repository has no revision “\(location.revision)”",
                help: "Fetch it, or specify another branch, tag or commit.")
        }
        resolved.commit = Self.line(result.output)
        memo.note(commit: resolved.commit, of: location.revision, in: resolved.top)
        return resolved
    }

    /// Finds the repository of a location, and its path in it.
    func repository(of location: Location) throws(InputFailure) -> Resolved {
        var resolved = Resolved(location: location, top: files.systemPath("."))
        let full = location.isInWorkTree ? fullPath(location) : nil
        if var folder = full {
            // The model itself is not a repository, and it may have been deleted.
            while folder != "/", ModelFinder.isModel(folder) || files.kind(of: folder) != .directory {
                folder = PathName.parent(of: folder)
            }
            resolved.top = folder
        }
        let folder = files.canonicalPath(resolved.top)
        if let cachedTop = folder.flatMap({ memo.top(of: $0, files) }) {
            resolved.top = cachedTop
        } else {
            guard try findTop(&resolved) else {
                try requireRepository(resolved)
                // A repository without a work tree, or its own folder.
                resolved.hasWorkTree = false
                resolved.path = PathName.normalizedComponents("/" + location.path).joined(separator: "/")
                return resolved
            }
        }
        guard location.isInWorkTree else {
            resolved.path = location.path
            return resolved
        }
        guard let full, let top = files.canonicalPath(resolved.top), let path = PathName.relative(full, to: top) else {
            throw failure(
                location, "“\(location.path)” is not in the repository at “\(resolved.top)”", help: "Check the path.")
        }
        resolved.path = path
        return resolved
    }

    /// Finds the top of the work tree around a folder, and in the same process the commit, if there is one.
    ///
    /// - Returns: Whether there is a work tree.
    private func findTop(_ resolved: inout Resolved) throws(InputFailure) -> Bool {
        let revision = resolved.location.revision
        let both = try run(resolved, ["rev-parse", "--show-toplevel", revision + "^{commit}"])
        var top: String?
        if both.exitCode == 0, let end = both.output.dropLast().lastIndex(of: UInt8(ascii: "\n")) {
            let commit = both.output[(end + 1)...].dropLast()
            if [40, 64].contains(commit.count), commit.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) {
                top = String(decoding: both.output[..<end], as: UTF8.self)
                memo.note(
                    commit: String(decoding: commit, as: UTF8.self), of: revision, in: top ?? "")
            }
        }
        if top == nil {
            let found = try run(resolved, ["rev-parse", "--show-toplevel"])
            guard found.exitCode == 0 else { return false }
            top = Self.line(found.output)
        }
        guard let top else { return false }
        resolved.top = top
        if let canonical = files.canonicalPath(top) { memo.note(top: top, canonical: canonical) }
        return true
    }

    /// Returns the canonical path of a location in the work tree.
    private func fullPath(_ location: Location) -> String? {
        guard !location.followsLink, files.linkTarget(of: location.path) != nil else {
            return files.fullPath(location.path)
        }
        let folder = PathName.parent(of: location.path)
        return files.fullPath(folder.isEmpty ? "." : folder).map {
            PathName.joined($0, PathName.name(of: location.path))
        }
    }

    private func requireRepository(_ resolved: Resolved) throws(InputFailure) {
        let result = try run(resolved, ["rev-parse", "--git-dir"])
        guard result.exitCode != 0 else { return }
        let isUnsafe = result.errorOutput.contains("safe.directory")
        throw failure(
            resolved.location,
            isUnsafe
                ? "git does not trust the repository, because another user owns it"
                : "“\(resolved.location.isInWorkTree ? resolved.location.path : ".")” is not in a git repository",
            help: isUnsafe
                ? "Add it with “git config --global --add safe.directory PATH”."
                : "Run modelc in the repository, or compare with a path.")
    }

    private func contents(_ ids: [String], _ resolved: Resolved) throws(InputFailure) -> [[UInt8]] {
        let input = ids.map { $0 + "\n" }.joined()
        let output = try git(resolved, ["cat-file", "--batch"], input: Array(input.utf8))[...]
        var rest = output
        var result: [[UInt8]] = []
        for _ in ids {
            // ID TYPE SIZE <line feed> BYTES <line feed>
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { break }
            let fields = rest[..<end].split(separator: UInt8(ascii: " "))
            rest = rest[rest.index(after: end)...]
            guard fields.count == 3, let size = Int(String(decoding: fields[2], as: UTF8.self)), size < rest.count
            else {
                throw notFetched(resolved.location)
            }
            result.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size + 1)
        }
        guard result.count == ids.count else {
            throw failure(
                resolved.location, "git did not print all files", help: "Check the repository with “git fsck”.")
        }
        return result
    }

    func notFetched(_ location: Location) -> InputFailure {
        failure(
            location,
            "the files of “\(location.revision)” are not in the repository; it is a partial clone, and modelc fetches nothing",
            help:
                "Fetch them with “git fetch --refetch --no-filter”, or clone without --filter (on GitHub Actions, without "
                + "“filter” for actions/checkout).")
    }

    private func missing(_ location: Location) -> InputFailure {
        let path = location.path
        let exists = !location.isInWorkTree && files.kind(of: path) != nil
        var result = failure(
            location, "the revision “\(location.revision)” has no “\(path)”",
            help: exists
                ? "Paths of a revision start at the root of the repository; write “./\(path)” to start at the "
                    + "working directory."
                : "Check the path; the model may have had another one in that revision.")
        result.missesPath = true
        return result
    }
}
