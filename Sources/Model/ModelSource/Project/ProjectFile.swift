package import Diagnostics

/// The versioned models of an Xcode project, `project.pbxproj`.
///
/// A model with several versions is an `XCVersionGroup`: its children are the versions, and `currentVersion` is the one
/// that Xcode shows as current. Xcode 16's folders (`PBXFileSystemSynchronizedRootGroup`) do not list files, and
/// therefore no versions.
package struct ProjectFile: Sendable {
    /// The reason why a text is not a valid project.
    package struct Malformed: Error, Hashable, Sendable {
        /// The problem and its location, in words.
        package var message: String
        /// The range in the file.
        package var range: SourceRange
    }

    /// A model as the project lists it.
    package struct VersionGroup: Hashable, Sendable {
        /// The identifier of the group.
        package var identifier: String
        /// The path of the model as the group states it, which usually is the bundle's name.
        package var path: String
        /// The versions in the order of the project.
        package var versions: [Version]
        /// The identifier of the current version, or `nil`.
        package var currentIdentifier: String?
    }

    /// A version as the project lists it.
    package struct Version: Hashable, Sendable {
        /// The identifier of its file reference.
        package var identifier: String
        /// Its path, for example `Books 2.xcdatamodel`; empty if the project has no reference for it.
        package var path: String
    }

    /// The text of the file.
    package let bytes: [UInt8]
    private let root: PropertyListText.Node

    /// Reads a project.
    ///
    /// - Throws: `Malformed` if the text is not that of a project.
    package init(bytes: [UInt8]) throws(Malformed) {
        self.bytes = bytes
        do throws(PropertyListText.Malformed) {
            root = try PropertyListText.parse(bytes)
        } catch {
            let location = LineIndex(bytes).position(at: error.offset)
            throw Malformed(message: error.message, range: SourceRange(start: location, end: location))
        }
        guard root["objects"]?.entries != nil else {
            throw Malformed(message: "the file has no “objects”", range: .fileStart)
        }
    }

    var objects: [PropertyListText.Entry] { root["objects"]?.entries ?? [] }

    /// The version groups, in the order of the file.
    package var versionGroups: [VersionGroup] {
        var paths: [String: String] = [:]
        for object in objects { paths[object.key] = object.value["path"]?.string }
        return objects.filter { $0.value["isa"]?.string == "XCVersionGroup" }.map { object in
            VersionGroup(
                identifier: object.key, path: object.value["path"]?.string ?? "",
                versions: (object.value["children"]?.array ?? []).compactMap(\.string).map {
                    Version(identifier: $0, path: paths[$0] ?? "")
                },
                currentIdentifier: object.value["currentVersion"]?.string)
        }
    }

    // MARK: Changing

    /// Returns the file with a version added to a group.
    ///
    /// - Parameters:
    ///   - fileName: The name of the version's folder, `Books 3.xcdatamodel`.
    ///   - group: A group of this project.
    ///   - becomesCurrent: Whether it becomes the current version.
    /// - Returns: `nil` if nothing needs to be changed, or if the file is not laid out as Xcode does, so that the
    ///   result would not list the version.
    package func adding(version fileName: String, to group: VersionGroup, becomesCurrent: Bool) -> [UInt8]? {
        var edits: [(offset: Int, length: Int, text: String)] = []
        guard let object = objects.first(where: { $0.key == group.identifier }) else { return nil }
        let existing = group.versions.first { $0.path == fileName }
        let identifier = existing?.identifier ?? newIdentifier(for: fileName, in: group)
        let name = "\(identifier) /* \(Self.comment(fileName)) */"
        if existing == nil {
            guard let children = object.value["children"], let reference = referenceLocation(identifier) else {
                return nil
            }
            let path = PropertyListText.literal(fileName)
            edits.append(
                (
                    reference, 0,
                    "\t\t\(name) = {isa = PBXFileReference; lastKnownFileType = wrapper.xcdatamodel; path = \(path); "
                        + "sourceTree = \"<group>\"; };\n"
                ))
            // Behind the parenthesis: other editors write lists on one line.
            edits.append((children.range.lowerBound + 1, 0, "\n\t\t\t\t\(name),"))
        }
        if becomesCurrent, group.currentIdentifier != identifier {
            if let current = object.value.entries?.first(where: { $0.key == "currentVersion" }) {
                edits.append((current.range.lowerBound, current.range.count, "currentVersion = \(name);"))
            } else if let path = object.value.entries?.first(where: { $0.key == "path" }) {
                edits.append((path.range.lowerBound, 0, "currentVersion = \(name);\n\t\t\t"))
            }
        }
        guard !edits.isEmpty else { return nil }
        var result = bytes
        for edit in edits.sorted(by: { $0.offset > $1.offset }) {
            result.replaceSubrange(edit.offset..<edit.offset + edit.length, with: Array(edit.text.utf8))
        }
        let changed = (try? ProjectFile(bytes: result))?.versionGroups.first { $0.identifier == group.identifier }
        let added = Version(identifier: identifier, path: fileName)
        return changed?.versions.contains(added) == true ? result : nil
    }

    /// Returns a name as the text of a comment, which must not end early.
    static func comment(_ name: String) -> String {
        name.split(separator: "*/", omittingEmptySubsequences: false).joined(separator: "* /")
    }

    /// Returns the start of the line at which a new file reference is inserted: references are sorted by identifier.
    func referenceLocation(_ identifier: String) -> Int? {
        let references = objects.filter { $0.value["isa"]?.string == "PBXFileReference" }
        if let next = references.first(where: { $0.key > identifier }) { return lineStart(of: next.range.lowerBound) }
        return references.last.map { lineStart(behind: $0.range.upperBound) }
    }

    func lineStart(of offset: Int) -> Int {
        var offset = offset
        while offset > 0, bytes[offset - 1] != 0x0A { offset -= 1 }
        return offset
    }

    func lineStart(behind offset: Int) -> Int {
        var offset = offset
        while offset < bytes.count, bytes[offset] != 0x0A { offset += 1 }
        return min(offset + 1, bytes.count)
    }

    /// Returns an unused identifier of 24 hexadecimal digits, which is the same for the same names.
    private func newIdentifier(for fileName: String, in group: VersionGroup) -> String {
        let used = Set(objects.map(\.key))
        var number = 0
        while true {
            let identifier = Self.hash("\(group.identifier)/\(fileName)/\(number)")
            if !used.contains(identifier) { return identifier }
            number += 1
        }
    }

    /// Returns 96 bits of FNV-1a as hexadecimal digits.
    private static func hash(_ text: String) -> String {
        var digits = ""
        for salt in 0..<3 {
            var hash: UInt32 = 0x811C_9DC5 ^ UInt32(salt)
            for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
            let part = String(hash, radix: 16, uppercase: true)
            digits += String(repeating: "0", count: 8 - part.count) + part
        }
        return digits
    }
}
