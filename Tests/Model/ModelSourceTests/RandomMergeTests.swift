import TestSupport
import Testing

@testable import ModelSource

private struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Merges of random edits, compared with applying the edits of both sides.
@Suite struct RandomMergeTests {
    private static let count = runsLongForms ? 10_000 : 300

    /// Runs a body with a generator for each pair of edits, and records the first failure with its seed.
    private func forEachPair(_ body: (inout SeededGenerator, inout [String]) throws -> Void) {
        let first = Seeds.first(1)
        for seed in first..<(first + (Seeds.replayed == nil ? UInt64(Self.count) : 1)) {
            var generator = SeededGenerator(seed: seed)
            var log: [String] = []
            do {
                try body(&generator, &log)
            } catch {
                Issue.record("\(error)\n\(log.joined(separator: "\n"))\nReplay with MODELC_FUZZ_SEED=\(seed)")
                return
            }
        }
    }

    private func merge(_ base: String, _ ours: String, _ theirs: String) throws -> ModelMerger.Result {
        try ModelMerger.merge(
            base: Array(base.utf8), ours: Array(ours.utf8), theirs: Array(theirs.utf8), path: "contents",
            markers: ConflictMarkerStyle())
    }

    @Test func mergedModelsHaveTheEditsOfBothSidesOrAConflict() throws {
        var (cleanCount, conflictCount) = (0, 0)
        forEachPair { generator, log in
            let base = IdentifiedModel.random(&generator)
            var (ours, theirs) = (base, base)
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                log.append("ours: " + ours.edit(base: base, first: 100_000, &generator))
            }
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                log.append("theirs: " + theirs.edit(base: base, first: 200_000, &generator))
            }
            log += [base.text, ours.text, theirs.text]
            let result = try merge(base.text, ours.text, theirs.text)
            log.append(String(decoding: result.bytes, as: UTF8.self))
            let expected: Set<String>?
            do throws(IdentifiedModel.Conflict) {
                expected = try IdentifiedModel.merged(base: base, ours: ours, theirs: theirs).lines()
            } catch {
                expected = nil
            }
            if result.conflicts.isEmpty {
                cleanCount += 1
                let lines = try IdentifiedModel.lines(of: result.bytes)
                guard let expected, lines == expected else { throw Failure("merged to \(lines.sorted())") }
            } else {
                conflictCount += 1
                // A conflict that need not be one is between edits of one entity.
                guard
                    expected == nil
                        || !ours.changedEntities(since: base).isDisjoint(with: theirs.changedEntities(since: base))
                else { throw Failure("needless conflict: \(result.conflicts)") }
            }
            // Both sides added the file: nothing tells an addition from a removal.
            let isSame = try ours.lines() == theirs.lines()
            guard try merge("", ours.text, theirs.text).conflicts.isEmpty == isSame else {
                throw Failure("merged two new files that differ")
            }
        }
        if Seeds.replayed == nil { #expect(cleanCount > Self.count / 3 && conflictCount > Self.count / 10) }
    }

    @Test func mergedProjectsHaveTheVersionsOfBothSidesOrAConflict() throws {
        struct Versions: Equatable {
            var identifiers = ["M": "A00000000000000000000002"]
            var current = "M"

            var names: Set<String> { Set(identifiers.keys) }

            var text: String {
                ProjectFileTests.project(
                    versions: identifiers.sorted { $1.key < $0.key }.map { (id: $0.value, name: $0.key) },
                    current: identifiers[current] ?? "")
            }

            mutating func edit(_ generator: inout SeededGenerator) -> String {
                let name = "M \(Int.random(in: 2...4, using: &generator))"
                if identifiers[name] == nil {
                    identifiers[name] =
                        "A000000000000\(Int.random(in: 10_000_000_000..<100_000_000_000, using: &generator))"
                } else if current != name, generator.chance(2) {
                    identifiers[name] = nil
                    return "remove \(name)"
                }
                if generator.chance(2) { current = name }
                return "add or choose \(name)"
            }
        }
        forEachPair { generator, log in
            var base = Versions()
            if generator.chance(2) { _ = base.edit(&generator) }
            var (ours, theirs) = (base, base)
            for _ in 0...Int.random(in: 0...2, using: &generator) { log.append("ours: " + ours.edit(&generator)) }
            for _ in 0...Int.random(in: 0...2, using: &generator) { log.append("theirs: " + theirs.edit(&generator)) }
            let result = try ProjectMerge(
                base: Array(base.text.utf8), ours: Array(ours.text.utf8), theirs: Array(theirs.text.utf8))
            let names = ours.names.union(theirs.names).filter { name in
                !base.names.contains(name) || ours.names.contains(name) && theirs.names.contains(name)
            }
            let current = ours.current == base.current ? theirs.current : ours.current
            let isConflict =
                ours.current != theirs.current && ours.current != base.current && theirs.current != base.current
                || !names.contains(current)
            guard result.conflicts.isEmpty != isConflict else { throw Failure("conflicts: \(result.conflicts)") }
            for bytes in [result.base, result.ours, result.theirs] where !isConflict {
                log.append(String(decoding: bytes, as: UTF8.self))
                let group = try ProjectFile(bytes: bytes).versionGroups.first
                let paths = group?.versions.map(\.path).sorted()
                guard paths == names.map({ $0 + ".xcdatamodel" }).sorted() else { throw Failure("\(paths ?? [])") }
                let chosen = group?.versions.first { $0.identifier == group?.currentIdentifier }?.path
                guard chosen == current + ".xcdatamodel" else { throw Failure("current: \(chosen ?? "none")") }
            }
        }
    }
}
