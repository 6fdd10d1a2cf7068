import Testing

@testable import ModelSource

/// The text has the form of projects saved by Xcode 14 to 26.
@Suite struct ProjectFileTests {
    static func project(versions: [(id: String, name: String)], current: String) -> String {
        let references = versions.sorted { $0.id < $1.id }.map { version in
            "\t\t\(version.id) /* \(version.name).xcdatamodel */ = {isa = PBXFileReference; lastKnownFileType = "
                + "wrapper.xcdatamodel; path = \(PropertyListText.literal(version.name + ".xcdatamodel")); sourceTree = "
                + "\"<group>\"; };\n"
        }
        let children = versions.map { "\t\t\t\t\($0.id) /* \($0.name).xcdatamodel */,\n" }
        let name = versions.first { $0.id == current }?.name ?? ""
        return """
            // !$*UTF8*$!
            {
            \tobjects = {
            \t\tA00000000000000000000001 /* App.swift */ = {isa = PBXFileReference; path = App.swift; };
            \(references.joined())\t\tB00000000000000000000000 /* M.xcdatamodeld */ = {
            \t\t\tisa = XCVersionGroup;
            \t\t\tchildren = (
            \(children.joined())\t\t\t);
            \t\t\tcurrentVersion = \(current) /* \(name).xcdatamodel */;
            \t\t\tpath = M.xcdatamodeld;
            \t\t\tsourceTree = "<group>";
            \t\t\tversionGroupType = wrapper.xcdatamodel;
            \t\t};
            \t};
            \trootObject = C00000000000000000000000 /* Project object */;
            }

            """
    }

    static let one = project(versions: [("A00000000000000000000002", "M")], current: "A00000000000000000000002")

    @Test func versionGroupsAreRead() throws {
        let project = try ProjectFile(bytes: Array(Self.one.utf8))
        let group = try #require(project.versionGroups.first)
        #expect(group.path == "M.xcdatamodeld")
        #expect(group.versions.map(\.path) == ["M.xcdatamodel"])
        #expect(group.currentIdentifier == "A00000000000000000000002")
    }

    @Test func aVersionIsAddedInFrontAndBecomesCurrent() throws {
        let project = try ProjectFile(bytes: Array(Self.one.utf8))
        let group = try #require(project.versionGroups.first)
        let bytes = try #require(project.adding(version: "M 2.xcdatamodel", to: group, becomesCurrent: true))
        let result = try #require(try ProjectFile(bytes: bytes).versionGroups.first)
        #expect(result.versions.map(\.path) == ["M 2.xcdatamodel", "M.xcdatamodel"])
        #expect(result.currentIdentifier == result.versions[0].identifier)
        // All existing lines are kept in order; two are added and one is changed.
        let before = Self.one.split(separator: "\n")
        let after = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(after.count == before.count + 2)
        let changed = Set(before.filter { !after.contains($0) })
        #expect(changed.count == 1 && changed.allSatisfy { $0.contains("currentVersion = ") })
    }

    /// As other programs write lists.
    @Test(arguments: ["(A00000000000000000000002 /* M.xcdatamodel */, )", "()", "(A00000000000000000000002)"])
    func aVersionIsAddedToAListOnOneLine(list: String) throws {
        let text = Self.one.replacing("(\n\t\t\t\tA00000000000000000000002 /* M.xcdatamodel */,\n\t\t\t)", with: list)
        let project = try ProjectFile(bytes: Array(text.utf8))
        let group = try #require(project.versionGroups.first)
        let bytes = try #require(project.adding(version: "M 2.xcdatamodel", to: group, becomesCurrent: true))
        let result = try #require(try ProjectFile(bytes: bytes).versionGroups.first)
        #expect(result.versions.map(\.path) == ["M 2.xcdatamodel"] + group.versions.map(\.path))
    }

    @Test func aProjectOnOneLineIsLeftAlone() throws {
        let text = Self.one.replacing("// !$*UTF8*$!\n", with: "").replacing("\n", with: " ")
        let project = try ProjectFile(bytes: Array(text.utf8))
        let group = try #require(project.versionGroups.first)
        #expect(project.adding(version: "M 2.xcdatamodel", to: group, becomesCurrent: true) == nil)
    }

    @Test func theCurrentVersionCanBeKept() throws {
        let project = try ProjectFile(bytes: Array(Self.one.utf8))
        let group = try #require(project.versionGroups.first)
        let bytes = try #require(project.adding(version: "M 2.xcdatamodel", to: group, becomesCurrent: false))
        let changed = try #require(try ProjectFile(bytes: bytes).versionGroups.first)
        #expect(changed.currentIdentifier == "A00000000000000000000002")
    }

    @Test(arguments: [
        "", "{", "{objects = {};", "{objects = ();}", "{a = \"b;}", "{ /* x }", "{objects = {a = {b = (c d);};};}",
        "{objects = {};} x", String(repeating: "{a = ", count: 200),
    ])
    func brokenProjectsAreErrors(text: String) {
        #expect(throws: ProjectFile.Malformed.self) { try ProjectFile(bytes: Array(text.utf8)) }
    }

    @Test func damagedProjectsNeverTrap() {
        let bytes = Array(Self.one.utf8)
        for index in bytes.indices {
            for replacement in [UInt8(ascii: "{"), UInt8(ascii: "\""), UInt8(ascii: ";"), 0xFF] {
                var damaged = bytes
                damaged[index] = replacement
                if let project = try? ProjectFile(bytes: damaged) {
                    for group in project.versionGroups {
                        _ = project.adding(version: "X.xcdatamodel", to: group, becomesCurrent: true)
                    }
                }
            }
            _ = try? ProjectFile(bytes: Array(bytes.prefix(index)))
        }
    }
}

@Suite struct ProjectMergeTests {
    private static let base = ProjectFileTests.one
    private static let first = ("A00000000000000000000002", "M")

    private func merge(_ ours: String, _ theirs: String) throws -> ProjectMerge {
        try ProjectMerge(base: Array(Self.base.utf8), ours: Array(ours.utf8), theirs: Array(theirs.utf8))
    }

    @Test func versionsOfBothSidesAreKept() throws {
        let ours = ProjectFileTests.project(
            versions: [("A00000000000000000000005", "M 2"), Self.first], current: Self.first.0)
        let theirs = ProjectFileTests.project(
            versions: [("A00000000000000000000004", "M 3"), Self.first], current: "A00000000000000000000004")
        let result = try merge(ours, theirs)
        #expect(result.conflicts == [])
        let expected = ProjectFileTests.project(
            versions: [("A00000000000000000000004", "M 3"), ("A00000000000000000000005", "M 2"), Self.first],
            current: "A00000000000000000000004")
        for bytes in [result.base, result.ours, result.theirs] {
            #expect(String(decoding: bytes, as: UTF8.self) == expected)
        }
    }

    @Test func twoCurrentVersionsAreAConflict() throws {
        let ours = ProjectFileTests.project(
            versions: [("A00000000000000000000005", "M 2"), Self.first], current: "A00000000000000000000005")
        let theirs = ProjectFileTests.project(
            versions: [("A00000000000000000000004", "M 3"), Self.first], current: "A00000000000000000000004")
        #expect(
            try merge(ours, theirs).conflicts == [
                .twoCurrentVersions(path: "M.xcdatamodeld", ours: "M 2.xcdatamodel", theirs: "M 3.xcdatamodel")
            ])
    }

    @Test func equalChangesDoNotConflict() throws {
        let both = ProjectFileTests.project(
            versions: [("A00000000000000000000005", "M 2"), Self.first], current: "A00000000000000000000005")
        let result = try merge(both, both)
        #expect(result.conflicts == [])
        #expect(String(decoding: result.ours, as: UTF8.self) == both)
    }

    /// Xcode proposes the same name on both branches, and chooses random identifiers.
    @Test(arguments: ["A00000000000000000000004", "A00000000000000000000006"], [true, false])
    func aVersionThatBothSidesAddedIsListedOnce(identifier: String, isCurrent: Bool) throws {
        let ours = ProjectFileTests.project(
            versions: [("A00000000000000000000005", "M 2"), Self.first], current: "A00000000000000000000005")
        let theirs = ProjectFileTests.project(
            versions: [(identifier, "M 2"), Self.first], current: isCurrent ? identifier : Self.first.0)
        let result = try merge(ours, theirs)
        #expect(result.conflicts == [])
        for bytes in [result.base, result.ours, result.theirs] {
            #expect(String(decoding: bytes, as: UTF8.self) == ours)
        }
    }

    @Test func aCurrentVersionThatTheOtherSideRemovedIsAConflict() throws {
        let both = ProjectFileTests.project(
            versions: [("A00000000000000000000005", "M 2"), Self.first], current: Self.first.0)
        let chosen = ProjectFileTests.project(
            versions: [("A00000000000000000000005", "M 2"), Self.first], current: "A00000000000000000000005")
        for (ours, theirs) in [(chosen, Self.base), (Self.base, chosen)] {
            let result = try ProjectMerge(
                base: Array(both.utf8), ours: Array(ours.utf8), theirs: Array(theirs.utf8))
            #expect(
                result.conflicts == [
                    .removedCurrentVersion(path: "M.xcdatamodeld", version: "M 2.xcdatamodel")
                ])
            #expect(String(decoding: result.ours, as: UTF8.self) == chosen)
        }
    }
}
