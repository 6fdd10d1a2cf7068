internal import Diagnostics

/// The section of `AGENTS.md` about modelc, which `modelc init --agents` writes.
struct AgentInstructions {
    let files: any FileSystem
    let folder: String

    private static let first = "<!-- modelc: “modelc init --agents” writes this section -->"
    private static let last = "<!-- modelc: end -->"

    private static let section = """
        \(first)
        ## Core Data and SwiftData models

        Models can be checked on any machine, without Xcode:

        - `modelc check --changed --format agent`, after each change of a model, a mapping model or an `@Model` class: JSON with the
          verdict, what to do next, and the findings with edits that fix them. The work is not done while the verdict is
          `would lock users out` or `needs a mapping model`.
        - `modelc new-version MODEL.xcdatamodeld`, before the first change after a release. Never edit a version that was released:
          its stores could no longer be opened.
        - `modelc explain RULE`: why a finding matters, and how to fix it.
        \(last)

        """

    /// A file with its section.
    struct Change {
        var path: String
        /// `nil` for a new file.
        var old: [UInt8]?
        var new: [UInt8]
    }

    /// Returns the files that need a change: `AGENTS.md`, and `CLAUDE.md` if it exists and does not include the other.
    func changes() throws(FileSystemError) -> [Change] {
        let agents = path("AGENTS.md")
        let claude = path("CLAUDE.md")
        var result = [try change(agents)]
        if case .file? = files.kind(of: claude), files.identity(of: claude) != files.identity(of: agents) {
            let text = String(decoding: try files.read(claude), as: UTF8.self)
            if !text.contains("@AGENTS.md") { result.append(try change(claude)) }
        }
        return result.compactMap { $0 }
    }

    private func path(_ name: String) -> String { folder == "." ? name : PathName.joined(folder, name) }

    /// Throws if a file is a link to something outside the folder: its destination may be any file of the user.
    private func checkLink(_ path: String) throws(FileSystemError) {
        guard files.linkTarget(of: path) != nil, let target = files.canonicalPath(path),
            let root = files.canonicalPath(folder), !target.hasPrefix(root == "/" ? root : root + "/")
        else { return }
        throw FileSystemError(
            path: path, action: "add a section", reason: "it is a symbolic link to a file outside the folder")
    }

    /// Returns the file with its section up to date; `nil` if it is.
    private func change(_ path: String) throws(FileSystemError) -> Change? {
        guard files.kind(of: path) != nil else {
            return Change(path: path, old: nil, new: Array(Self.section.utf8))
        }
        try checkLink(path)
        let old = try files.read(path)
        let text = String(decoding: old, as: UTF8.self)
        guard Array(text.utf8) == old else {
            throw FileSystemError(path: path, action: "add a section", reason: "the file is not UTF-8")
        }
        // Git may have checked out the file with CRLF.
        let section = TextLines.text(Self.section, withLineEndsOf: old)
        var new: String
        // The last one: a section whose end was deleted is not replaced with what follows it.
        if let start = text.ranges(of: Self.first).last, let end = text[start.upperBound...].firstRange(of: Self.last) {
            new = text.replacingCharacters(in: start.lowerBound..<end.upperBound, with: section.dropLast())
        } else {
            let lineEnd = TextLines.text("\n", withLineEndsOf: old)
            new = text
            if !new.isEmpty { new += old.last == 0x0A ? lineEnd : lineEnd + lineEnd }
            new += section
        }
        let bytes = Array(new.utf8)
        return bytes == old ? nil : Change(path: path, old: old, new: bytes)
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: some StringProtocol) -> String {
        String(self[..<range.lowerBound]) + text + self[range.upperBound...]
    }
}
