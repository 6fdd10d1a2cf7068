import CloudKitSchema
import Diagnostics
import ModelSchema
import TestSupport
import Testing

/// Properties that hold for all schemas and models.
@Suite struct SchemaPropertyTests {
    private struct Failure: Error {
        var message: String
    }

    @Test func printedSchemasRoundTrip() {
        Seeds.run(rounds: 400) { generator, log in
            var random = RandomSchemas(generator: generator)
            let schema = random.schema()
            let text = SchemaPrinter.text(schema)
            log.append(text)
            let document = SchemaDocument(bytes: Array(text.utf8), path: "")
            guard document.diagnostics.isEmpty else { throw Failure(message: "\(document.diagnostics)") }
            guard document.schema == schema.inExportOrder else { throw Failure(message: "another schema") }
            guard SchemaPrinter.text(document.schema) == text else { throw Failure(message: "another text") }
            let shuffled = random.shuffled(schema)
            guard SchemaPrinter.text(shuffled) == text else { throw Failure(message: "the order matters") }
            guard SchemaDifference(from: schema, to: shuffled).isEmpty else { throw Failure(message: "a difference") }
        }
    }

    /// Mutated schemas neither crash nor hang the parser; accepted schemas survive a round trip.
    @Test func mutatedSchemasNeverTrap() {
        let words = [
            "GRANT", "RECORD TYPE", "(", ")", ",", ";", "\"", "/*", "*/", "--", "LIST<", ">", "\n", "é", "\0", "_",
        ]
        Seeds.run(rounds: 500) { generator, log in
            var random = RandomSchemas(generator: generator)
            var bytes = Array(SchemaPrinter.text(random.schema()).utf8)
            for _ in 0..<Int.random(in: 1...8, using: &random.generator) {
                let position = Int.random(in: 0...bytes.count, using: &random.generator)
                let end = min(bytes.count, position + Int.random(in: 0...12, using: &random.generator))
                switch Int.random(in: 0..<5, using: &random.generator) {
                case 0: bytes.removeSubrange(position..<end)
                case 1:
                    let word = words[Int.random(in: 0..<words.count, using: &random.generator)]
                    bytes.insert(contentsOf: Array(word.utf8), at: position)
                case 2: bytes.insert(contentsOf: Array(bytes[position..<end]), at: position)
                case 3: bytes.removeSubrange(position...)
                default:
                    if position < bytes.count { bytes[position] = .random(in: 0...255, using: &random.generator) }
                }
            }
            log.append(String(decoding: bytes, as: UTF8.self))
            let document = SchemaDocument(bytes: bytes, path: "")
            guard document.diagnostics.allSatisfy({ $0.range != nil && $0.help != nil }) else {
                throw Failure(message: "a finding without a place or help: \(document.diagnostics)")
            }
            guard !document.diagnostics.hasErrors else { return }
            let text = SchemaPrinter.text(document.schema)
            let again = SchemaDocument(bytes: Array(text.utf8), path: "")
            guard !again.diagnostics.hasErrors, again.schema.inExportOrder == document.schema.inExportOrder else {
                throw Failure(message: "what was accepted is not read back: \(text)")
            }
        }
    }

    @Test func deepAndLongTextIsParsedInLinearTime() {
        for text in [
            String(repeating: "(", count: 200_000), String(repeating: "RECORD TYPE A (", count: 50_000),
            String(repeating: "/*", count: 200_000), String(repeating: "x STRING,", count: 50_000),
            "RECORD TYPE A (" + (0..<50_000).map { "x\($0) STRING" }.joined(separator: ",") + ");",
            String(repeating: "GRANT READ,", count: 50_000), String(repeating: "LIST<", count: 100_000),
        ] {
            let document = SchemaDocument(bytes: Array(("DEFINE SCHEMA " + text).utf8), path: "")
            #expect(document.diagnostics.count <= 120)
        }
    }

    private static func findings(_ model: Model, in production: Schema) throws -> [DeploymentFinding] {
        DeploymentCheck.findings(
            for: SchemaMapping(try #require(MirroredEntities(model)), in: model), in: production)
    }

    /// Every edit of a model gets exactly the verdict required by the rules.
    @Test func randomEditsGetTheExpectedVerdict() {
        Seeds.run(rounds: 350) { generator, log in
            var random = RandomSchemas(generator: generator)
            let model = random.model()
            let mapping = SchemaMapping(try #require(MirroredEntities(model)), in: model)
            let production = mapping.schema()
            guard try Self.findings(model, in: production).isEmpty else { throw Failure(message: "not its own") }
            let index = Int.random(in: 0..<model.entities.count, using: &random.generator)
            var edited = model
            var expected: Set<RuleID> = []
            switch Int.random(in: 0..<5, using: &random.generator) {
            case 0:
                let type = random.attributeType()
                edited.entities[index].attributes.append(Attribute(name: "new", type: type))
                expected =
                    [.string, .binary, .transformable].contains(type)
                    ? [.cloudkitNotDeployed, .cloudkitLargeValue] : [.cloudkitNotDeployed]
            case 1:
                edited.entities.append(Entity(name: "New"))
                expected = [.cloudkitNotDeployed]
            case 2:
                guard !model.entities[index].attributes.isEmpty else { return }
                edited.entities[index].attributes.removeFirst()
                expected = [.cloudkitOrphan]
            case 3:
                guard let old = model.entities[index].attributes.first else { return }
                edited.entities[index].attributes[0].allowsCloudEncryption.toggle()
                log.append(old.name)
                expected = [.cloudkitTypeChanged]
            default:
                guard let old = model.entities[index].attributes.first else { return }
                edited.entities[index].attributes[0].name = "renamed"
                edited.entities[index].attributes[0].renamingIdentifier = old.name
                expected = [.cloudkitNotDeployed, .cloudkitRenamed]
                if [.string, .binary, .transformable].contains(old.type) { expected.insert(.cloudkitLargeValue) }
            }
            let rules = Set(try Self.findings(edited, in: production).map(\.finding.rule))
            guard rules == expected else { throw Failure(message: "\(rules) instead of \(expected)") }
            // All changes that are not refused can be deployed, and then nothing is missing.
            let merged = production.adding(
                SchemaMapping(try #require(MirroredEntities(edited)), in: edited).schema())
            guard SchemaDifference(from: production, to: merged).refused.isEmpty else {
                throw Failure(message: "the merged schema cannot be deployed")
            }
            let left = Set(try Self.findings(edited, in: merged).map(\.finding.rule))
            let allowed: Set<RuleID> =
                expected.contains(.cloudkitTypeChanged) ? [.cloudkitTypeChanged] : [.cloudkitOrphan]
            guard left.isSubset(of: allowed) else { throw Failure(message: "\(left) after deployment") }
        }
    }
}
