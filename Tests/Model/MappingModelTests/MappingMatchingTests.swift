import CompiledMapping
import MappingModel
import ModelSchema
import Testing

/// The mapping model chosen for a migration (Documentation/Formats/MappingModel.md, 3.1).
@Suite struct MappingMatchingTests {
    private func matches(_ mapping: CompiledMapping, _ source: Model, _ destination: Model) -> Bool {
        mapping.matches(
            sourceHashes: source.versionHashes().entities, destinationHashes: destination.versionHashes().entities)
    }

    @Test func allHashesMustMatch() {
        let mapping = MappingSourceFixture().compiled()
        #expect(matches(mapping, Library.first, Library.second))
        #expect(!matches(mapping, Library.second, Library.second))
        #expect(!matches(mapping, Library.first, Library.first))
        #expect(!matches(CompiledMapping(), Library.first, Library.second))
    }

    @Test func theEntitiesOfEachMappingAreListed() throws {
        var fixture = MappingSourceFixture()
        fixture.book.sourceName = nil
        let pairs = fixture.compiled().entityPairs
        #expect(pairs.map(\.sourceName) == ["Author", nil])
        #expect(pairs.map(\.destinationName) == ["Author", "Book"])
        #expect(pairs[1].sourceHash == nil)
        #expect(pairs[1].destinationHash == Library.second.versionHashes().entities["Book"])
    }

    @Test func aMappingModelOfAllEntitiesIsPreferred() {
        var partial = MappingSourceFixture().source
        partial.entityMappings.removeLast()
        let candidates = [partial, MappingSourceFixture().source].map {
            MappingCompiler.compile($0, source: Library.first, destination: Library.second).mapping
        }
        #expect(candidates[0].unmappedEntities(of: Library.second) == ["Book"])
        func best(_ candidates: [CompiledMapping], to destination: Model) -> Int? {
            CompiledMapping.bestMatch(candidates, source: Library.first, destination: destination)
        }
        #expect(best(candidates, to: Library.second) == 1)
        #expect(best([candidates[0]], to: Library.second) == 0)
        var other = Library.second
        other.entities[0].attributes[0].isOptional = true
        #expect(best(candidates, to: other) == nil)
    }
}
