internal import Diagnostics

/// The submodules of the repository with which `base(_:of:)` compares. A revision of it stands for the commits that it
/// has of its submodules.
extension GitReader {
    /// Returns the commit that a revision has of a submodule; `nil` for any other repository, and for a submodule that
    /// the revision lacks.
    func submoduleCommit(_ revision: String, in top: String) throws(InputFailure) -> String? {
        guard let outer = memo.baseTop, let path = pathInBase(of: top) else { return nil }
        return try memo.submoduleCommit(path, of: revision) { () throws(InputFailure) in
            let resolved = try resolve(Location(revision: revision, ofModel: outer))
            let entry = try git(resolved, ["ls-tree", "-z", "--full-tree", resolved.commit, "--", path])
            // MODE TYPE ID <tab> PATH
            let fields = String(decoding: entry, as: UTF8.self).prefix { $0 != "\t" }.split(separator: " ")
            return fields.count == 3 && fields[0] == Self.submoduleMode ? String(fields[2]) : nil
        }
    }

    /// Returns the path of another repository in the one with which `base(_:of:)` compares.
    func pathInBase(of top: String) -> String? {
        guard let outer = memo.baseTop, let inner = files.canonicalPath(top), inner != outer else { return nil }
        return PathName.relative(inner, to: outer)
    }

    /// Returns whether a repository is a submodule of the one with which `base(_:of:)` compares.
    func isSubmodule(_ top: String) -> Bool {
        guard pathInBase(of: top) != nil, case .file? = files.kind(of: PathName.joined(top, ".git")) else {
            return false
        }
        return true
    }

    private static let submoduleMode = "160000"

    /// Returns the submodules below a folder of the work tree that are checked out, as paths.
    func submodules(below folder: String) throws(InputFailure) -> [String] {
        let workTree = Resolved(location: Location(revision: "HEAD", ofModel: folder), top: files.systemPath(folder))
        let output = try git(workTree, ["ls-files", "-s", "-z", "--", "."])
        return output.split(separator: 0).compactMap { line in
            // MODE ID STAGE <tab> PATH
            let fields = String(decoding: line, as: UTF8.self).split(separator: "\t", maxSplits: 1)
            guard fields.count == 2, fields[0].hasPrefix(Self.submoduleMode) else { return nil }
            let path = PathName.joined(folder, String(fields[1]))
            return files.kind(of: PathName.joined(path, ".git")) == nil ? nil : path
        }
    }
}
