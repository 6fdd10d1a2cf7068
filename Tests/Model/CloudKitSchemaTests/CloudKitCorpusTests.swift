import CloudKitSchema
import Diagnostics
import Foundation
import ModelSource
import Testing

/// Checks every model of the corpus named by `MODELC_CORPUS`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil, "needs MODELC_CORPUS"))
struct CloudKitCorpusTests {
    @Test func everyModelPassesAgainstItsExportedSchema() throws {
        let root = try #require(ProcessInfo.processInfo.environment["MODELC_CORPUS"])
        let models = URL(fileURLWithPath: root).appendingPathComponent("models")
        let paths = try #require(FileManager.default.enumerator(atPath: models.path))
        var count = 0
        for case let path as String in paths where path.hasSuffix(".xcdatamodel/contents") {
            let bytes = try Data(contentsOf: models.appendingPathComponent(path))
            guard let document = try? ModelDocument(bytes: Array(bytes), path: path, name: "M") else { continue }
            count += 1
            let mapping = SchemaMapping(try #require(MirroredEntities(document.model)), in: document.model)
            let schema = mapping.schema()
            let text = SchemaPrinter.text(schema)
            let parsed = SchemaDocument(bytes: Array(text.utf8), path: path)
            #expect(parsed.diagnostics.isEmpty, "\(path)")
            #expect(parsed.schema == schema, "\(path)")
            #expect(SchemaPrinter.text(parsed.schema) == text, "\(path)")
            let findings = DeploymentCheck.findings(for: mapping, in: parsed.schema, checksIndexes: true)
            #expect(findings.isEmpty, "\(path)")
        }
        #expect(count > 100)
    }
}
