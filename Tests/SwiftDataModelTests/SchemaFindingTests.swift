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

    @Test func inputThatIsNoText() {
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
