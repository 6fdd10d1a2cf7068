import ModelSchema
import TestSupport
import Testing

@testable import ModelEvolution

@Suite struct ModelLockTests {
    private func hash(_ byte: UInt8) -> VersionHash {
        var model = Model(name: "M")
        model.entities = [Entity(name: "E\(byte)")]
        return model.versionHashes().entities.elements[0].hash
    }

    private func key(_ entity: String, _ version: String = "V") -> ModelLock.Key {
        ModelLock.Key(model: "M.xcdatamodeld", version: version, entity: entity)
    }

    private func entry(_ byte: UInt8, isReleased: Bool = false) -> ModelLock.Entry {
        ModelLock.Entry(isReleased: isReleased, hash: hash(byte))
    }

    @Test func locksRoundTrip() throws {
        var lock = ModelLock()
        for (index, name) in ["Book", "A\tb", "back\\slash", "line\nfeed", "Ünï"].enumerated() {
            lock.entries[key(name)] = entry(UInt8(index), isReleased: index % 2 == 0)
        }
        #expect(try ModelLock(text: lock.text) == lock)
        #expect(lock.text.split(separator: "\n").count == lock.entries.count + 1)
    }

    /// As git checks files out on Windows.
    @Test func locksWithCarriageReturnsAreRead() throws {
        var lock = ModelLock()
        lock.entries = [key("A"): entry(1), key("B\u{2028}b"): entry(2, isReleased: true)]
        let text = lock.text.replacing("\n", with: "\r\n")
        #expect(try ModelLock(text: text) == lock)
        var other = lock
        other.entries[key("A")] = entry(3)
        let conflict = "<<<<<<< ours\n\(lock.text)=======\n\(other.text)>>>>>>> theirs\n"
        let sides = try ModelLock.sides(ofText: conflict.replacing("\n", with: "\r\n"))
        #expect(sides.ours == lock && sides.theirs == other)
    }

    @Test func linesAreSortedByModelVersionAndEntity() {
        var lock = ModelLock()
        for (entity, version) in [("B", "2"), ("A", "2"), ("Z", "1"), ("a", "1")] {
            lock.entries[key(entity, version)] = entry(1)
        }
        let names = lock.text.split(separator: "\n").dropFirst().map { $0.split(separator: "\t")[1...2].joined() }
        #expect(names == ["1Z", "1a", "2A", "2B"])
    }

    @Test(arguments: [
        "a\tb\tc\treleased", "a\tb\tc\tmaybe\t\(String(repeating: "0", count: 64))", "a\tb\tc\tdraft\tabc",
        "a\tb\tc\tdraft\t\(String(repeating: "g", count: 64))",
    ])
    func malformedLinesAreErrorsAtTheirLocation(line: String) {
        #expect(throws: ModelLock.Malformed.self) { try ModelLock(text: "# header\n\(line)\n") }
        do {
            _ = try ModelLock(text: "# header\n\(line)\n")
        } catch {
            #expect(error.line == 2)
        }
    }

    @Test func gitConflictsAreRecognizedAndBothSidesRead() throws {
        var ours = ModelLock()
        ours.entries = [key("A"): entry(1), key("B"): entry(2)]
        var theirs = ModelLock()
        theirs.entries = [key("A"): entry(1), key("B"): entry(3, isReleased: true)]
        let (a, b, c) = (
            ModelLock.line(key("A"), entry(1)), ModelLock.line(key("B"), entry(2)),
            ModelLock.line(key("B"), entry(3, isReleased: true))
        )
        let text = "# x\n\(a)\n<<<<<<< HEAD\n\(b)\n||||||| base\n=======\n\(c)\n>>>>>>> branch\n"
        do {
            _ = try ModelLock(text: text)
            Issue.record("a conflict is not a lock")
        } catch {
            #expect(error.isConflict)
            #expect(error.line == 3)
        }
        let sides = try ModelLock.sides(ofText: text)
        #expect(sides.ours == ours)
        #expect(sides.theirs == theirs)
    }

    @Test func independentEditsNeverConflict() {
        Seeds.run(rounds: 400) { generator, log in
            var generator = generator
            var base = ModelLock()
            for index in 0..<Int.random(in: 0...20, using: &generator) {
                base.entries[key("E\(index)")] = entry(UInt8(index))
            }
            var (ours, theirs, expected) = (base, base, base)
            // Edit each line on at most one side.
            for index in 0..<30 {
                let name = key("E\(index)")
                let new = generator.chance(4) ? nil : entry(UInt8.random(in: 100...255, using: &generator))
                switch Int.random(in: 0...3, using: &generator) {
                case 0: (ours.entries[name], expected.entries[name]) = (new, new)
                case 1: (theirs.entries[name], expected.entries[name]) = (new, new)
                default: continue
                }
                log.append("\(index)")
            }
            let merge = LockMerge(base: base, ours: ours, theirs: theirs)
            guard merge.conflicts.isEmpty, merge.lock == expected else { throw Failure("\(merge.conflicts)") }
        }
    }

    @Test func aLineThatBothSidesChangedDifferentlyIsAConflict() {
        var (base, ours, theirs) = (ModelLock(), ModelLock(), ModelLock())
        base.entries[key("A")] = entry(1)
        ours.entries[key("A")] = entry(2)
        theirs.entries[key("A")] = entry(3)
        #expect(LockMerge(base: base, ours: ours, theirs: theirs).conflicts.map(\.key) == [key("A")])
    }

    /// Merges locks whose base is a draft with the lines A and B.
    private func merge(
        ours: [ModelLock.Key: ModelLock.Entry], theirs: [ModelLock.Key: ModelLock.Entry], released base: Bool = false
    ) -> LockMerge {
        var locks = [ModelLock(), ModelLock(), ModelLock()]
        locks[0].entries = [key("A"): entry(1, isReleased: base), key("B"): entry(2, isReleased: base)]
        (locks[1].entries, locks[2].entries) = (ours, theirs)
        return LockMerge(base: locks[0], ours: locks[1], theirs: locks[2])
    }

    @Test func aReleaseOfAnUnchangedDraftIsTaken() {
        let draft = [key("A"): entry(1), key("B"): entry(2)]
        let released = [key("A"): entry(1, isReleased: true), key("B"): entry(2, isReleased: true)]
        for merge in [merge(ours: draft, theirs: released), merge(ours: released, theirs: draft)] {
            #expect(merge.conflicts == [])
            #expect(merge.lock.entries == released)
        }
        #expect(merge(ours: released, theirs: released).conflicts == [])
    }

    @Test func everyLineOfAReleaseThatTheOtherSideChangedIsAConflict() {
        let released = [key("A"): entry(1, isReleased: true), key("B"): entry(2, isReleased: true)]
        let changes: [[ModelLock.Key: ModelLock.Entry]] = [
            [key("A"): entry(9), key("B"): entry(2)],
            [key("A"): entry(1), key("B"): entry(2), key("C"): entry(3)],
            [key("A"): entry(1)],
            [key("A"): entry(9, isReleased: true), key("B"): entry(2, isReleased: true)],
        ]
        for change in changes {
            for merge in [merge(ours: released, theirs: change), merge(ours: change, theirs: released)] {
                let keys = Set(released.keys).union(change.keys).filter { released[$0] != change[$0] }
                #expect(merge.conflicts.map(\.key) == keys.sorted())
                #expect(!merge.conflicts.contains { !$0.isReleased })
            }
        }
    }

    @Test func aReleasedVersionThatOneSideMadeADraftAgainIsTaken() {
        let released = [key("A"): entry(1, isReleased: true), key("B"): entry(2, isReleased: true)]
        let draft = [key("A"): entry(9), key("B"): entry(2)]
        #expect(merge(ours: released, theirs: draft, released: true).lock.entries == draft)
        #expect(merge(ours: draft, theirs: released, released: true).conflicts == [])
    }

    @Test func versionsWithReleasedAndDraftLinesAreFound() {
        var lock = ModelLock()
        lock.entries = [
            key("A"): entry(1, isReleased: true), key("B"): entry(2), key("A", "W"): entry(1),
            key("A", "X"): entry(1, isReleased: true),
        ]
        #expect(lock.mixedVersions == [ModelLock.Version(model: "M.xcdatamodeld", name: "V")])
    }

    /// Releases and edits of one version on two branches, each recorded with `lock update`.
    @Test func mergedLocksHaveTheLinesOfBothSidesOrAConflict() {
        let first = Seeds.first(1)
        let count: UInt64 = Seeds.replayed != nil ? 1 : runsLongForms ? 10_000 : 300
        for seed in first..<(first + count) {
            var generator = SeededGenerator(seed: seed)
            func edited(_ lock: ModelLock) -> ModelLock {
                var lock = lock
                for _ in 0..<Int.random(in: 0...2, using: &generator) {
                    let name = key("E\(Int.random(in: 0...3, using: &generator))")
                    let new = entry(UInt8.random(in: 0...3, using: &generator))
                    lock.entries[name] = generator.chance(3) ? nil : new
                }
                let isReleased = generator.chance(2)
                for name in lock.entries.keys { lock.entries[name]?.isReleased = isReleased }
                return lock
            }
            let base = edited(ModelLock())
            let (ours, theirs) = (edited(base), edited(base))
            let merge = LockMerge(base: base, ours: ours, theirs: theirs)
            let isReleased = ours.releases.values.contains(true) || theirs.releases.values.contains(true)
            var expected: ModelLock? = ModelLock()
            if ours == base || theirs == base || ours == theirs {
                expected = ours == base ? theirs : ours
            } else if isReleased {
                expected = nil
            } else {
                for name in Set(ours.entries.keys).union(theirs.entries.keys) {
                    let (b, o, t) = (base.entries[name]?.hash, ours.entries[name], theirs.entries[name])
                    if o != t, o?.hash != b, t?.hash != b {
                        expected = nil
                        break
                    }
                    expected?.entries[name] = o?.hash == b ? t : o
                }
            }
            let isRight = expected.map { merge.conflicts.isEmpty && merge.lock == $0 } ?? !merge.conflicts.isEmpty
            guard isRight else {
                Issue.record("\(base.text)\(ours.text)\(theirs.text)\(merge)\nReplay with MODELC_FUZZ_SEED=\(seed)")
                return
            }
        }
    }
}
