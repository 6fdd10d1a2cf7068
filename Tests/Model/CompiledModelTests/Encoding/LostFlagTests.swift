import CompiledModel
import Diagnostics
import ModelSchema
import Testing

/// Flags whose archived form is unknown (Documentation/Formats/CompiledModel.md, 2.3 and 6) are reported, not dropped
/// silently.
@Suite struct LostFlagTests {
    @Test(arguments: ["allowsCloudEncryption", "spotlightIndexingEnabled", "storedInTruthFile"])
    func lostFlagsAreReported(flag: String) throws {
        var attribute = Attribute(name: "a", type: .string)
        attribute.allowsCloudEncryption = flag == "allowsCloudEncryption"
        attribute.isIndexedBySpotlight = flag == "spotlightIndexingEnabled"
        attribute.isStoredInTruthFile = flag == "storedInTruthFile"
        var entity = Entity(name: "E")
        entity.attributes = [attribute]
        var model = Model(name: "M")
        model.entities = [entity]
        let findings = try EncodedModel(model).findings
        #expect(findings.map(\.rule) == [.lostWhenCompiled])
        #expect(findings.map(\.attribute) == [flag])
    }

    @Test func theSpotlightDisplayNameIsReported() throws {
        var model = Model(name: "M")
        model.entities = [Entity(name: "E")]
        model.entities[0].spotlightDisplayNameExpression = "title"
        let findings = try EncodedModel(model).findings
        #expect(findings.map(\.rule) == [.lostWhenCompiled])
        #expect(findings.map(\.attribute) == ["coreSpotlightDisplayNameExpression"])
    }
}
