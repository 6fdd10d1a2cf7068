import Diagnostics
import SwiftDataModel
import Testing

/// The findings of `modelc lint` in readable schemas, and cases without findings.
@Suite struct SchemaFindingTests {
    private func rules(_ text: String) -> [RuleID] {
        let read = SwiftDataSources([SwiftSourceFile(path: "a.swift", bytes: Array(text.utf8))], lints: true)
        #expect(read.findings.map(\.message) == [])
        return read.versions.flatMap { $0.findings.map(\.rule) }
    }

    @Test func aRequiredToOneHasNoInverse() {
        let team = "@Model class Team { var games: [Game] = [] }\n"
        #expect(rules(team + "@Model class Game { var team: Team }") == [.swiftDataRequiredInverse])
        #expect(rules(team + "@Model class Game { var team: Team? }") == [])
        #expect(rules(team + "@Model class Game { @Relationship(inverse: \\Team.games) var team: Team }") == [])
        // There is no relationship back, as the author intended.
        #expect(rules("@Model class Team { var name = \"\" }\n@Model class Game { var team: Team }") == [])
    }

    @Test func severalCandidatesAreAmbiguous() {
        let game = "@Model class Game { var home: Team?; var away: Team? }\n"
        #expect(
            rules(game + "@Model class Team { var games: [Game] = [] }")
                == [.swiftDataAmbiguousInverse, .swiftDataAmbiguousInverse, .swiftDataAmbiguousInverse])
        #expect(rules(game + "@Model class Team { @Relationship(inverse: \\Game.home) var games: [Game] = [] }") == [])
    }

    @Test func twoMacrosNeedAName() {
        let one = "@Model class A { @Relationship var bs: [B] = [] }\n"
        #expect(rules(one + "@Model class B { @Relationship var a: A? }") == [.swiftDataUnnamedInverse])
        #expect(rules(one + "@Model class B { var a: A? }") == [])
        // No inverse is what the author intended.
        #expect(rules(one + "@Model class B { @Relationship(inverse: nil) var a: A? }") == [])
    }

    private static let versions = """
        enum V1: VersionedSchema {
            static let versionIdentifier = Schema.Version(1, 0, 0)
            static var models: [any PersistentModel.Type] { [V1.A.self] }
            @Model class A { var v: Inner?; struct Inner: Codable { var x = 1 } }
        }
        enum V2: VersionedSchema {
            static let versionIdentifier = Schema.Version(2, 0, 0)
            static var models: [any PersistentModel.Type] { [Live.self] }
        }
        struct Value: Codable { var y = "" }
        @Model class Live { var v: Value? }

        """

    @Test func oldVersionsHaveTheirOwnDeclarations() {
        #expect(rules(Self.versions) == [])
        #expect(
            rules(Self.versions.replacing("[V1.A.self]", with: "[V1.A.self, Live.self]"))
                == [.swiftDataLiveDeclaration, .swiftDataLiveDeclaration])
        #expect(rules(Self.versions.replacing("var v: Inner?", with: "var v: Value?")) == [.swiftDataLiveDeclaration])
    }

    /// A version that shares all of its models has one finding.
    @Test func manySharedDeclarationsAreOneFinding() {
        let models = (0..<9).map { "@Model class M\($0) { var x = 1 }\n" }.joined()
        let list = (0..<9).map { "M\($0).self" }.joined(separator: ", ")
        let versions = (1...2).map {
            """
            enum V\($0): VersionedSchema {
                static let versionIdentifier = Schema.Version(\($0), 0, 0)
                static var models: [any PersistentModel.Type] { [\(list)\($0 == 2 ? ", N.self" : "")] }
            }

            """
        }.joined()
        let read = SwiftDataSources(
            [SwiftSourceFile(path: "a.swift", bytes: Array((versions + models + "@Model class N { var x = 1 }").utf8))],
            lints: true)
        let findings = read.versions.flatMap(\.findings)
        #expect(findings.map(\.rule) == [.swiftDataLiveDeclaration])
        #expect(
            findings.first?.message == "the old version “V1” has 9 models and values that are declared outside of it")
        #expect(findings.first?.related.count == 3)
    }

    private static func version(
        _ name: String, _ number: Int, _ body: String, model: String = "Item"
    ) -> String {
        """
        enum \(name): VersionedSchema {
            static let versionIdentifier = Schema.Version(\(number), 0, 0)
            static var models: [any PersistentModel.Type] { [\(model).self] }
            @Model class \(model) { \(body) }
        }

        """
    }

    @Test func versionsWithEqualHashesAreAnError() {
        let two = Self.version("V1", 1, "var x: Int = 1") + Self.version("V2", 2, "var x: Int = 2")
        #expect(rules(two) == [.swiftDataEqualVersions])
        // Another schema.
        #expect(rules(Self.version("V1", 1, "var x: Int") + Self.version("W1", 1, "var x: Int", model: "Other")) == [])
        let plan =
            "enum Plan: SchemaMigrationPlan { static var schemas: [any VersionedSchema.Type] { [V1.self, V3.self] } }"
        let three = Self.version("V3", 3, "var y: Int")
        // No plan has both, so that SwiftData never compares them.
        #expect(rules(Self.version("V0", 0, "var x: Int") + Self.version("V1", 1, "var x: Int") + three + plan) == [])
    }

    @Test func repeatedIdentifiersAreFound() {
        #expect(
            rules(Self.version("V1", 1, "var x: Int") + Self.version("V2", 1, "var y: Int"))
                == [.swiftDataRepeatedIdentifier])
    }

    @Test func versionsFollowTheirPlan() {
        func chains(_ text: String) -> [[String]] {
            SwiftDataSources([SwiftSourceFile(path: "a.swift", bytes: Array(text.utf8))]).chains.map(\.versions)
        }
        let versions =
            Self.version("V1", 1, "var x: Int") + Self.version("V2", 2, "var y: Int")
            + Self.version("V3", 3, "var z: Int")
            + Self.version("Cache1", 1, "var x: Int", model: "Entry") + Self.version("Cache2", 4, "", model: "Entry")
        #expect(chains(versions) == [["Cache1", "Cache2"], ["V1", "V2", "V3"]])
        let plan = "enum P: SchemaMigrationPlan { static var schemas: [any VersionedSchema.Type] = [V1.self, V2.self] }"
        #expect(chains(versions + plan) == [["V1", "V2", "V3"], ["Cache1", "Cache2"]])
        // The plan's order counts.
        #expect(
            chains(versions + plan.replacing("V1.self, V2.self", with: "V3.self, V1.self"))[0] == ["V3", "V1", "V2"])
    }

    @Test(arguments: [
        "[A.self] + Common.models", "Common.base + [A.self]", "[A.self] + extra", "([A.self] + Self.extra)",
        "[V1.self, Common.self].flatMap { $0.models }", "[[A.self], Common.models].flatMap { $0 }",
        "[Common.base, [A.self]].flatMap({ $0 })", "[V1.self, Common.self].flatMap(\\.models)",
    ])
    func listsOfModelsAreComposed(list: String) {
        let text = """
            @Model class A { var x: Int }
            @Model class B { var x: Int }
            enum Common { static let base: [any PersistentModel.Type] = [B.self]
                static var models: [any PersistentModel.Type] { base } }
            enum V1: VersionedSchema {
                static let versionIdentifier = Schema.Version(1, 0, 0)
                static let extra: [any PersistentModel.Type] = Common.models
                static var models: [any PersistentModel.Type] { [A.self] }
            }
            enum V2: VersionedSchema {
                static let versionIdentifier = Schema.Version(2, 0, 0)
                static var extra: [any PersistentModel.Type] { return V1.extra }
                static var models: [any PersistentModel.Type] { \(list) }
            }
            """
        let read = SwiftDataSources([SwiftSourceFile(path: "a.swift", bytes: Array(text.utf8))])
        #expect(read.findings.map(\.message) == [])
        #expect(read.versions.last?.model.entities.map(\.name).sorted() == ["A", "B"])
    }

    /// A list that cannot be read is one error, not one for each of its parts.
    @Test func anUnreadableListIsOneError() {
        let text = """
            @Model class A { var x: Int }
            enum V: VersionedSchema {
                static let versionIdentifier = Schema.Version(1, 0, 0)
                static var models: [any PersistentModel.Type] { \((0..<9).map { "f(\($0))" }.joined(separator: " + ")) }
            }
            """
        let read = SwiftDataSources([SwiftSourceFile(path: "a.swift", bytes: Array(text.utf8))])
        #expect(read.findings.map(\.message) == ["the models of “V” are not a list of types"])
        let cycle = text.replacing("f(0)", with: "Self.models")
        #expect(SwiftDataSources([SwiftSourceFile(path: "a.swift", bytes: Array(cycle.utf8))]).findings.count == 1)
    }

    @Test func modelsOfNoVersion() {
        #expect(rules(Self.versions + "@Model class Draft { var a = 1 }") == [.swiftDataUnlistedModel])
        #expect(
            rules(Self.versions + "enum Old { @Model class Live { var a = 1 } }") == [.swiftDataDuplicateModel])
        #expect(rules("@Model class Draft { var a = 1 }") == [])
    }

    @Test func structuresThatSeveralPropertiesStore() {
        let value = "struct Value: Codable { var inner: Inner }\nstruct Inner: Codable { var x = 1 }\n"
        #expect(rules(value + "@Model class A { var v: Value; @Transient var w: Value? }") == [])
        #expect(
            rules(value + "@Model class A { var v: Value }\n@Model class B { var v: Inner? }") == [
                .swiftDataSharedValue
            ])
    }

    @Test func invalidUTF8IsReported() {
        for bytes in [[0xFF, 0xFE, 0x40], Array("@Model class A { var a = \"".utf8) + [0xC3, 0x28]] as [[UInt8]] {
            let read = SwiftDataSources([SwiftSourceFile(path: "a.swift", bytes: bytes)])
            #expect(read.versions.isEmpty && read.findings.contains { $0.message.contains("UTF-8") })
        }
        let long = String(repeating: "9", count: 1 << 20)
        let read = SwiftDataSources([
            SwiftSourceFile(
                path: "a.swift", bytes: Array("@Model class A { var a = 1; var b = \"\(long)\" }".utf8))
        ])
        #expect(read.versions.first?.model.entities.first?.attributes.count == 2)
    }
}
