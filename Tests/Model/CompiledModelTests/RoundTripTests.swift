import ModelSchema
import Testing

@testable import CompiledModel

/// A compiled model that is read again equals the original.
@Suite struct RoundTripTests {
    @Test(arguments: 0..<150 as Range<UInt64>) func randomModelsRoundTrip(seed: UInt64) throws {
        var generator = ModelGenerator(seed: seed)
        let model = generator.model()
        let encoded = try EncodedModel(model)
        let decoded = try DecodedModel(encoded.bytes, name: "Model")
        #expect(decoded.findings == [])
        #expect(encoded.findings == [])
        let difference = firstDifference(decoded.model, model)
        #expect(difference == nil)
        #expect(decoded.model.versionHashes().entities == encoded.hashes)
    }

    @Test func encodingIsDeterministic() throws {
        var generator = ModelGenerator(seed: 7)
        let model = generator.model()
        #expect(try EncodedModel(model).bytes == EncodedModel(model).bytes)
    }
}
