/// Merges the version groups of three states of a project, so that the rest can be merged line by line.
///
/// Two branches that both add a version of a model change the same lines of `project.pbxproj`, although only the choice of
/// the current version conflicts.
package struct ProjectMerge {
    /// A model whose current version both sides changed differently.
    package struct Conflict: Hashable, Sendable {
        /// The path of the model.
        package var path: String
        /// The path of the current version on our side.
        package var ours: String
        /// The path of the current version on their side.
        package var theirs: String
    }

    /// The three states, each with the merged groups, so that the lines of groups no longer differ.
    package private(set) var base: [UInt8]
    package private(set) var ours: [UInt8]
    package private(set) var theirs: [UInt8]
    /// The models whose current version is in conflict. The merged states have our side's.
    package private(set) var conflicts: [Conflict] = []

    /// Merges the groups.
    ///
    /// - Throws: `ProjectFile.Malformed` if a state is not a project.
    package init(base: [UInt8], ours: [UInt8], theirs: [UInt8]) throws(ProjectFile.Malformed) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        let (before, mine, other) = (
            try ProjectFile(bytes: base), try ProjectFile(bytes: ours), try ProjectFile(bytes: theirs)
        )
        let theirGroups = Dictionary(other.versionGroups.map { ($0.identifier, $0) }) { first, _ in first }
        let oldGroups = Dictionary(before.versionGroups.map { ($0.identifier, $0) }) { first, _ in first }
        var merged: [String: ProjectFile.VersionGroup] = [:]
        for group in mine.versionGroups {
            guard let their = theirGroups[group.identifier], let old = oldGroups[group.identifier] else { continue }
            merged[group.identifier] = merge(base: old, ours: group, theirs: their)
        }
        guard !merged.isEmpty else { return }
        var references: [String: String] = [:]
        for project in [other, mine] {
            for (identifier, text) in project.fileReferences { references[identifier] = text }
        }
        self.base = before.replacing(groups: merged, references: references)
        self.ours = mine.replacing(groups: merged, references: references)
        self.theirs = other.replacing(groups: merged, references: references)
    }

    private mutating func merge(
        base: ProjectFile.VersionGroup, ours: ProjectFile.VersionGroup, theirs: ProjectFile.VersionGroup
    ) -> ProjectFile.VersionGroup {
        let known = Set(base.versions.map(\.identifier))
        let mine = Set(ours.versions.map(\.identifier))
        let other = Set(theirs.versions.map(\.identifier))
        var result = ours
        result.versions = theirs.versions.filter { !known.contains($0.identifier) && !mine.contains($0.identifier) }
        result.versions += ours.versions.filter { other.contains($0.identifier) || !known.contains($0.identifier) }
        // Xcode lists the newest version first, in the order of the names.
        if result.versions.count != ours.versions.count {
            result.versions.sort { first, second in
                ModelBundle.precedes(Self.stem(second.path), Self.stem(first.path))
            }
        }
        if ours.currentIdentifier == base.currentIdentifier {
            result.currentIdentifier = theirs.currentIdentifier
        } else if theirs.currentIdentifier != base.currentIdentifier,
            theirs.currentIdentifier != ours.currentIdentifier
        {
            conflicts.append(
                Conflict(path: ours.path, ours: Self.current(ours), theirs: Self.current(theirs)))
        }
        return result
    }

    private static func stem(_ path: String) -> String {
        path.hasSuffix(".xcdatamodel") ? String(path.dropLast(".xcdatamodel".count)) : path
    }

    private static func current(_ group: ProjectFile.VersionGroup) -> String {
        group.versions.first { $0.identifier == group.currentIdentifier }?.path ?? group.currentIdentifier ?? ""
    }
}

extension ProjectFile {
    /// The lines of the file references to model versions, by identifier.
    fileprivate var fileReferences: [String: String] {
        var result: [String: String] = [:]
        for object in objects where object.value["lastKnownFileType"]?.string == "wrapper.xcdatamodel" {
            let range = lineStart(of: object.range.lowerBound)..<lineStart(behind: object.range.upperBound)
            result[object.key] = String(decoding: bytes[range], as: UTF8.self)
        }
        return result
    }

    /// Returns the file with the versions of some groups replaced, and with the file references that these need.
    fileprivate func replacing(groups: [String: VersionGroup], references: [String: String]) -> [UInt8] {
        var edits: [(offset: Int, length: Int, text: String)] = []
        let known = Set(objects.map(\.key))
        var wanted: Set<String> = []
        for object in objects {
            guard let group = groups[object.key], let children = object.value["children"] else { continue }
            wanted.formUnion(group.versions.map(\.identifier))
            let lines = group.versions.map { "\t\t\t\t\(Self.named($0)),\n" }.joined()
            edits.append((children.range.lowerBound, children.range.count, "(\n\(lines)\t\t\t)"))
            guard let current = object.value.entries?.first(where: { $0.key == "currentVersion" }),
                let version = group.versions.first(where: { $0.identifier == group.currentIdentifier })
            else { continue }
            edits.append(
                (current.range.lowerBound, current.range.count, "currentVersion = \(Self.named(version));"))
        }
        for identifier in wanted.subtracting(known).sorted() {
            guard let text = references[identifier], let place = referencePlace(identifier) else { continue }
            edits.append((place, 0, text))
        }
        var result = bytes
        // References at the same index are inserted from the last to the first, so that they end up sorted.
        for (_, edit) in edits.enumerated().sorted(by: {
            ($0.element.offset, $0.offset) > ($1.element.offset, $1.offset)
        }) {
            result.replaceSubrange(edit.offset..<edit.offset + edit.length, with: Array(edit.text.utf8))
        }
        return result
    }

    private static func named(_ version: Version) -> String {
        "\(version.identifier) /* \(comment(version.path)) */"
    }
}
