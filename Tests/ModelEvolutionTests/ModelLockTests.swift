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
        Seeds.run { generator, log in
            var generator = generator
            var base = ModelLock()
            for index in 0..<Int.random(in: 0...20, using: &generator) {
                base.entries[key("E\(index)")] = entry(UInt8(index), isReleased: generator.chance(2))
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

    @Test func aReleaseOnOneSideAndAHashOnTheOtherAreBothKept() {
        var (base, ours, theirs) = (ModelLock(), ModelLock(), ModelLock())
        base.entries[key("A")] = entry(1)
        ours.entries[key("A")] = entry(1, isReleased: true)
        theirs.entries[key("A")] = entry(2)
        let merge = LockMerge(base: base, ours: ours, theirs: theirs)
        #expect(merge.conflicts == [])
        #expect(merge.lock.entries[key("A")] == entry(2, isReleased: true))
    }
}
