import CompiledMapping
import CompiledModel
import MappingModel
import ModelSchema
import TestSupport
import Testing

/// Damaged files never trap, and files that can be read can be written again.
@Suite struct MappingFuzzTests {
    private static let compiled = MappingSourceFixture().compiled().encoded().bytes
    private static let source = Array(StoreXML.simple().text.utf8)
    private static let copy = EditorModel.encoded(Library.second).bytes

    private func damage(_ bytes: [UInt8], _ generator: inout SeededGenerator, _ log: inout [String]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let location = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[location] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[location] = bytes[location] &+ 1
            case 2:
                bytes.removeSubrange(location..<min(location + Int.random(in: 1...9, using: &generator), bytes.count))
            default: bytes.insert(contentsOf: bytes[location..<min(location + 9, bytes.count)], at: location)
            }
            log.append("at \(location)")
            if bytes.isEmpty { return [0] }
        }
        return bytes
    }

    @Test func damagedArchivesNeverTrap() {
        Seeds.run(rounds: 400) { generator, log in
            var generator = generator
            guard let decoded = try? DecodedMapping(damage(Self.compiled, &generator, &log)) else { return }
            let again = try DecodedMapping(decoded.mapping.encoded().bytes)
            #expect(again.mapping.entityMappings.count == decoded.mapping.entityMappings.count)
            _ = MappingCheck.findings(in: decoded.mapping, source: Library.first, destination: Library.second)
            _ = MappingDecompiler.decompile(decoded.mapping, name: "x", models: nil).source.xmlBytes()
        }
    }

    @Test func damagedSourcesNeverTrap() {
        Seeds.run(rounds: 120) { generator, log in
            var generator = generator
            let bytes = damage(Self.source, &generator, &log)
            guard let document = try? MappingDocument(bytes: bytes, path: "x", name: "x") else { return }
            let again = try MappingDocument(bytes: document.source.xmlBytes(), path: "x", name: "x")
            #expect(again.source.entityMappings.count == document.source.entityMappings.count)
            _ = MappingCompiler.compile(document.source, source: Library.first, destination: Library.second)
                .mapping.encoded()
        }
    }

    @Test func damagedCopiesNeverTrap() {
        Seeds.run(rounds: 200) { generator, log in
            var generator = generator
            guard let copy = try? EditorModel(damage(Self.copy, &generator, &log), name: "x") else { return }
            _ = EditorModel.encoded(copy.model).bytes
            _ = copy.model.versionHashes()
        }
    }
}
