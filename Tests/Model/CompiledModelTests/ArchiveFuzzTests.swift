import ModelSchema
import TestSupport
import Testing

@testable import CompiledModel

/// Feeds mutated archives to the reader. `MODELC_FUZZ_SECONDS=600 swift test --filter ArchiveFuzz` runs longer; the
/// message of a failure contains the seed.
@Suite struct ArchiveFuzzTests {
    /// Damaged bytes.
    @Test func damagedBytesNeverTrap() {
        run(seed: 1) { model, random in
            guard var bytes = try? EncodedModel(model).bytes else { return }
            for _ in 0..<Int.random(in: 1...8, using: &random) { damage(&bytes, &random) }
            check(bytes)
        }
    }

    /// Valid property lists whose objects have wrong references or types.
    @Test func wrongReferencesNeverTrap() {
        run(seed: 2) { model, random in
            guard let encoded = try? EncodedModel(model), let list = try? PropertyListValue(binary: encoded.bytes),
                var entries = list.dictionary, let position = entries.firstIndex(where: { $0.key == "$objects" }),
                case .array(var objects) = entries[position].value
            else { return }
            for _ in 0..<Int.random(in: 1...10, using: &random) {
                let index = Int.random(in: 0..<objects.count, using: &random)
                objects[index] = damaged(objects[index], objects, &random)
            }
            entries[position].value = .array(objects)
            check(PropertyListValue.dictionary(entries).binaryBytes())
        }
    }

    /// Damaged property lists in XML.
    @Test func damagedXMLNeverTraps() {
        let text = """
            <?xml version="1.0"?><!DOCTYPE plist><plist version="1.0"><dict><key>a</key><string>&lt;x&#65;</string>\
            <key>b</key><array><integer>5</integer><real>1</real><true/><data>AAAA</data></array></dict></plist>
            """
        run(seed: 3) { _, random in
            for _ in 0..<100 {
                var bytes = Array(text.utf8)
                for _ in 0..<Int.random(in: 1...4, using: &random) { damage(&bytes, &random) }
                _ = try? PropertyListValue(bytes)
                _ = try? VersionInfo(bytes)
            }
        }
    }

    private func run(seed: UInt64, _ body: (Model, inout SeededGenerator) -> Void) {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(TestEnvironment.fuzzSeconds)
        var round: UInt64 = 0
        while clock.now < end {
            var generator = ModelGenerator(seed: round)
            var random = SeededGenerator(seed: seed << 32 | round)
            body(generator.model(), &random)
            round += 1
        }
        #expect(round > 0)
    }

    /// Checks that reading terminates for any bytes, and that a decoded model can be hashed, compiled and read again.
    private func check(_ bytes: [UInt8]) {
        _ = try? PropertyListValue(binary: bytes)
        _ = try? VersionInfo(bytes)
        guard let decoded = try? DecodedModel(bytes, name: "M") else { return }
        let hashes = decoded.model.versionHashes()
        _ = decoded.model.findings(at: .loadable)
        guard let encoded = try? EncodedModel(decoded.model) else { return }
        #expect(encoded.hashes == hashes.entities)
        #expect((try? DecodedModel(encoded.bytes, name: "M")) != nil)
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.removeSubrange(position..<min(bytes.count, position + 4))
        case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
        // The trailer and the table before it affect everything else.
        case 4: bytes[bytes.count - 1 - min(position % 64, bytes.count - 1)] = UInt8.random(in: 0...255, using: &random)
        default: bytes.removeLast(Int.random(in: 0...min(40, bytes.count), using: &random))
        }
    }

    private func damaged(
        _ value: PropertyListValue, _ objects: [PropertyListValue], _ random: inout SeededGenerator
    ) -> PropertyListValue {
        switch value {
        case .dictionary(var entries) where !entries.isEmpty:
            let position = Int.random(in: 0..<entries.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: entries.remove(at: position)
            case 1: entries[position].value = .uid(Int.random(in: 0..<objects.count + 3, using: &random))
            case 2: entries[position].value = damaged(entries[position].value, objects, &random)
            case 3:
                entries[position].value =
                    [.boolean(true), .integer(.min), .real(.nan), .string(""), .data([])].randomElement(using: &random)
                    ?? .boolean(true)
            default: entries.append(PropertyListValue.Entry("NSUnknown", .uid(0)))
            }
            return .dictionary(entries)
        case .array(var elements) where !elements.isEmpty:
            elements[Int.random(in: 0..<elements.count, using: &random)] = .uid(
                Int.random(in: 0..<objects.count + 3, using: &random))
            return .array(elements)
        case .uid: return .uid(Int.random(in: 0..<objects.count + 3, using: &random))
        default: return objects[Int.random(in: 0..<objects.count, using: &random)]
        }
    }
}
