import Foundation
import TestSupport
import Testing

@testable import ModelSource

/// Feeds mutated and generated models to the formatter and the merge. `MODELC_FUZZ_SECONDS=600 swift test --filter
/// FormatFuzz` runs longer; the seed of a failure is printed with it.
@Suite struct FormatFuzzTests {
    private static let seedModel = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="t" documentVersion="1.0" userDefinedModelVersionIdentifier="">
            <entity name="Größe" syncable="YES" representedClassName=".A">
                <relationship name="r" toMany="YES" destinationEntity="B"/>
                <attribute optional="YES" name="a" attributeType="String" regularExpressionString="&quot;&lt;&#x1F601;>"/>
                <userInfo><entry key="k" value="v&#10;w"/></userInfo>
            </entity>
            <!-- comment --><?note it?>
            <entity name="B"><![CDATA[ text ]]></entity>
            <elements><element name="B" positionX="0"/></elements>
        </model>
        """

    /// Returns the content of a file independently of its order: the tags with their paths, the text and the comments.
    private static func statements(_ bytes: [UInt8]) -> [String] {
        let tree = XMLTreeParser.parse(bytes)
        func path(_ index: Int) -> String {
            index < 0 ? "" : path(tree.elements[index].parent) + "/" + tree.elements[index].name
        }
        let elements = tree.elements.indices.map { index in
            let attributes = tree.elements[index].attributes.map { "\($0.name)=\($0.value)" }.sorted()
            let text = tree.elements[index].text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return "\(path(index)) \(attributes) \(text)"
        }
        return (elements + tree.remarks.map { path($0.parent) + $0.markup }).sorted()
    }

    @Test func formattingLosesNothing() throws {
        let deadline = Mutation.deadline
        var seed: UInt64 = 1
        var count = 0
        // On a busy machine, few iterations may fit into the time.
        while Date() < deadline || count < 10 {
            var random = SeededGenerator(seed: seed)
            let bytes = Mutation.mutate(Array(Self.seedModel.utf8), &random)
            if let once = try? ModelFormatter.format(bytes, path: "m") {
                count += 1
                #expect(Self.statements(once) == Self.statements(bytes), "seed \(seed)")
                #expect(try ModelFormatter.format(once, path: "m") == once, "seed \(seed)")
            }
            seed += 1
        }
    }

    /// Returns a model of a few entities and attributes with few different names, so that sides often overlap.
    private static func model(_ random: inout SeededGenerator) -> [UInt8] {
        func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }
        var text = "<model lastSavedToolsVersion=\"\(pick(["9", "10"]))\">"
        for entity in ["A", "B", "C"] where Bool.random(using: &random) {
            text += "<entity name=\"\(entity)\"\(pick(["", " isAbstract=\"YES\""]))>"
            for attribute in ["x", "y"] where Bool.random(using: &random) {
                text +=
                    "<attribute name=\"\(attribute)\" attributeType=\"\(pick(["String", "Date"]))\"\(pick(["", " optional=\"YES\""]))/>"
            }
            if Bool.random(using: &random) {
                text += "<userInfo><entry key=\"k\" value=\"\(pick(["1", "2"]))\"/></userInfo>"
            }
            if Bool.random(using: &random) {
                text += "<fetchIndex name=\"i\"><fetchIndexElement property=\"\(pick(["x", "y"]))\"/></fetchIndex>"
            }
            text += pick(["", "<!-- c -->"]) + "</entity>"
        }
        let bytes = Array((text + "</model>").utf8)
        return (try? ModelFormatter.format(bytes, path: "m")) ?? bytes
    }

    /// Resolves every conflict of a merged file in favor of one side.
    private static func decided(_ bytes: [UInt8], forOurs: Bool) -> [UInt8] {
        var lines: [Substring] = []
        var isKept = true
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
            switch line {
            case "<<<<<<< ours": isKept = forOurs
            case "=======": isKept = !forOurs
            case ">>>>>>> theirs": isKept = true
            default: if isKept { lines.append(line) }
            }
        }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// The merge contains what both sides agree on and what only one of them changed, and nothing else.
    @Test func mergesContainOnlyTheirSides() throws {
        let deadline = Mutation.deadline
        var seed: UInt64 = 1
        while Date() < deadline {
            var random = SeededGenerator(seed: seed)
            let base = Self.model(&random)
            let ours = Self.model(&random)
            let theirs = Self.model(&random)
            func merge(_ ours: [UInt8], _ theirs: [UInt8]) throws -> ModelMerger.Result {
                try ModelMerger.merge(base: base, ours: ours, theirs: theirs, path: "m", markers: ConflictMarkerStyle())
            }
            let merged = try merge(ours, theirs)
            let other = try merge(theirs, ours)
            #expect(merged.conflicts.count == other.conflicts.count, "seed \(seed)")
            if merged.conflicts.isEmpty { #expect(merged.bytes == other.bytes, "seed \(seed)") }
            for side in [true, false] {
                let text = Self.decided(merged.bytes, forOurs: side)
                // An element that lost its content may remain as an empty pair of tags.
                let known = Set(
                    (Self.statements(ours) + Self.statements(theirs) + Self.statements(base)).map(Self.entity))
                for statement in Self.statements(text) {
                    #expect(known.contains(Self.entity(statement)), "seed \(seed)")
                }
                #expect(throws: Never.self, "seed \(seed)") { try ModelFormatter.format(text, path: "m") }
            }
            let (b, o, t) = (Set(Self.statements(base)), Set(Self.statements(ours)), Set(Self.statements(theirs)))
            if merged.conflicts.isEmpty {
                let result = Set(Self.statements(merged.bytes))
                for kept in o.intersection(t) where !kept.hasPrefix("/model [") {
                    #expect(result.contains(kept), "seed \(seed): \(kept)")
                }
                for gone in b.subtracting(o).subtracting(t) where !o.contains(gone) && !t.contains(gone) {
                    #expect(!result.contains(gone), "seed \(seed): \(gone)")
                }
            }
            seed += 1
        }
        #expect(seed > 10)
    }

    /// Returns the subject of a statement: the kind and the name.
    private static func entity(_ statement: String) -> String {
        let path = statement.prefix { $0 != " " }
        let name = statement.split(separator: "name=").dropFirst().first?.prefix { $0.isLetter }
        return "\(path) \(name ?? "")"
    }
}
