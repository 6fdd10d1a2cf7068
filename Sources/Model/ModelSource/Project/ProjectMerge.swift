/// Merges the version groups of three states of a project, so that the rest can be merged line by line.
///
/// Two branches that both add a version of a model change the same lines of `project.pbxproj`, although only the choice
/// of the current version conflicts.
package struct ProjectMerge {
    /// A model whose current version cannot be merged.
    package enum Conflict: Hashable, Sendable {
        /// Both sides chose another version: the path of the model, and those of the two versions.
        case twoCurrentVersions(path: String, ours: String, theirs: String)
        /// One side chose a version that the other removed: the path of the model, and that of the version.
        case removedCurrentVersion(path: String, version: String)
    }

    /// The three states, each with the merged groups, so that the lines of groups no longer differ.
    package private(set) var base: [UInt8]
    package private(set) var ours: [UInt8]
    package private(set) var theirs: [UInt8]
    /// The models whose current version is in conflict. The merged states have our side's choice, or the removed
    /// version.
    package private(set) var conflicts: [Conflict] = []

    /// Merges the groups.
    ///
    /// - Throws: `ProjectFile.Malformed` if a state is not a project.
    package init(base: [UInt8], ours: [UInt8], theirs: [UInt8]) throws(ProjectFile.Malformed) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        let before = try ProjectFile(bytes: base)
        let mine = try ProjectFile(bytes: ours)
        let other = try ProjectFile(bytes: theirs)
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
        self.theirs = try other.identifyingVersions(as: mine).replacing(groups: merged, references: references)
    }

    private mutating func merge(
        base: ProjectFile.VersionGroup, ours: ProjectFile.VersionGroup, theirs: ProjectFile.VersionGroup
    ) -> ProjectFile.VersionGroup {
        let baseNames = Set(base.versions.map(\.name))
        let mine = Set(ours.versions.map(\.name))
        let other = Set(theirs.versions.map(\.name))
        var result = ours
        result.versions = theirs.versions.filter { !baseNames.contains($0.name) && !mine.contains($0.name) }
        result.versions += ours.versions.filter { other.contains($0.name) || !baseNames.contains($0.name) }
        mergeCurrentVersion(of: &result, base: base, ours: ours, theirs: theirs)
        // Xcode lists the newest version first, in the order of the names.
        if result.versions.map(\.name) != ours.versions.map(\.name) {
            result.versions.sort { first, second in
                ModelBundle.precedes(Self.stem(second.path), Self.stem(first.path))
            }
        }
        return result
    }

    private mutating func mergeCurrentVersion(
        of result: inout ProjectFile.VersionGroup, base: ProjectFile.VersionGroup, ours: ProjectFile.VersionGroup,
        theirs: ProjectFile.VersionGroup
    ) {
        let (old, mine, other) = (base.currentVersion, ours.currentVersion, theirs.currentVersion)
        if other?.name != old?.name, mine?.name != old?.name, mine?.name != other?.name {
            conflicts.append(
                .twoCurrentVersions(
                    path: ours.path, ours: mine?.path ?? ours.currentIdentifier ?? "",
                    theirs: other?.path ?? theirs.currentIdentifier ?? ""))
        }
        guard let current = mine?.name == old?.name ? other : mine else { return }
        if let same = result.versions.first(where: { $0.name == current.name }) {
            result.currentIdentifier = same.identifier
        } else {
            result.versions.append(current)
            result.currentIdentifier = current.identifier
            conflicts.append(.removedCurrentVersion(path: ours.path, version: current.path))
        }
    }

    private static func stem(_ path: String) -> String {
        path.hasSuffix(".xcdatamodel") ? String(path.dropLast(".xcdatamodel".count)) : path
    }
}

extension ProjectFile.VersionGroup {
    /// The current version, or `nil` if the project names none of its versions.
    fileprivate var currentVersion: ProjectFile.Version? { versions.first { $0.identifier == currentIdentifier } }
}

extension ProjectFile.Version {
    /// What identifies the version on all branches: the path, since Xcode chooses the identifier at random.
    fileprivate var name: String { path.isEmpty ? identifier : path }
}

extension ProjectFile {
    /// Returns the project with the identifiers that another one has for the same versions: those with the same path in
    /// the same group. Two branches that both add “Model 2” in Xcode choose random identifiers for it.
    fileprivate func identifyingVersions(as other: ProjectFile) throws(Malformed) -> ProjectFile {
        let groups = Dictionary(other.versionGroups.map { ($0.identifier, $0) }) { first, _ in first }
        let taken = Set(objects.map(\.key))
        var names: [String: String] = [:]
        for group in versionGroups {
            for version in group.versions where !version.path.isEmpty {
                guard let same = groups[group.identifier]?.versions.first(where: { $0.path == version.path }),
                    !taken.contains(same.identifier)
                else { continue }
                names[version.identifier] = same.identifier
            }
        }
        guard !names.isEmpty else { return self }
        // The references go, because they are sorted by identifier; `replacing` inserts those of the other project.
        var edits = objects.filter { names[$0.key] != nil }.map { object in
            (range: lineStart(of: object.range.lowerBound)..<lineStart(behind: object.range.upperBound), text: "")
        }
        for object in objects where object.value["isa"]?.string == "XCVersionGroup" {
            let children = object.value["children"]?.array ?? []
            for node in children + [object.value["currentVersion"]].compactMap({ $0 }) {
                if let name = node.string.flatMap({ names[$0] }) { edits.append((node.range, name)) }
            }
        }
        edits.sort { $0.range.lowerBound > $1.range.lowerBound }
        // Xcode writes a reference to a line.
        guard zip(edits, edits.dropFirst()).allSatisfy({ $0.range.lowerBound >= $1.range.upperBound }) else {
            return self
        }
        var result = bytes
        for edit in edits { result.replaceSubrange(edit.range, with: Array(edit.text.utf8)) }
        return try ProjectFile(bytes: result)
    }

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
        let existing = Set(objects.map(\.key))
        var requested: Set<String> = []
        for object in objects {
            guard let group = groups[object.key], let children = object.value["children"] else { continue }
            requested.formUnion(group.versions.map(\.identifier))
            let lines = group.versions.map { "\t\t\t\t\(Self.named($0)),\n" }.joined()
            edits.append((children.range.lowerBound, children.range.count, "(\n\(lines)\t\t\t)"))
            guard let current = object.value.entries?.first(where: { $0.key == "currentVersion" }),
                let version = group.versions.first(where: { $0.identifier == group.currentIdentifier })
            else { continue }
            edits.append(
                (current.range.lowerBound, current.range.count, "currentVersion = \(Self.named(version));"))
        }
        for identifier in requested.subtracting(existing).sorted() {
            guard let text = references[identifier], let location = referenceLocation(identifier) else { continue }
            edits.append((location, 0, text))
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
