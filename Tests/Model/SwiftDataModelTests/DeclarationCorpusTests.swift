import Diagnostics
import Foundation
import ModelSchema
import SwiftDataModel
import Testing

/// The version hashes of schemas, compared with those written by Apple's SwiftData (`declarations.json` of the corpus).
@Suite(.enabled(if: CorpusDeclarations.url != nil, "MODELC_CORPUS names no folder with SwiftData declarations"))
struct DeclarationCorpusTests {
    struct Schema: Decodable {
        struct Property: Decodable {
            var name: String
            var type: String
            var externalStorage: Bool?
            var relationshipMacro: Bool?
            var inverse: String?
        }
        struct Entity: Decodable {
            var name: String
            var properties: [Property]
            var unique: [[String]]
            var hash: String
        }
        struct ValueType: Decodable {
            var kind: String
            var fields: [Property]?
            var raw: String?
            var cases: [String]?
            var alias: String?
        }
        var schema: String
        var entities: [Entity]
        var valueTypes: [String: ValueType]
    }

    /// The style of the sources.
    enum Style: CaseIterable {
        /// One file, explicit types, constraints as macros.
        case explicit
        /// One file per type, types inferred from initial values where possible, single constraints as attributes.
        case inferred
        /// Everything in a `VersionedSchema`, the models in extensions of it.
        case versioned
    }

    @Test(arguments: Style.allCases)
    func hashesAreApples(style: Style) throws {
        let url = try #require(CorpusDeclarations.url)
        for schema in try JSONDecoder().decode([Schema].self, from: Data(contentsOf: url)) {
            let sources = SwiftDataSources(Renderer(style: style).files(schema))
            #expect(sources.findings.map(\.message) == [], "\(schema.schema)")
            let hashes = try #require(sources.versions.first).model.versionHashes().entities
            for entity in schema.entities {
                #expect(hashes[entity.name]?.hexString == entity.hash, "\(schema.schema): \(entity.name)")
            }
        }
    }

    /// A frozen copy is compared with its original before it is written, so it need only exist here.
    @Test(arguments: Style.allCases)
    func everySchemaCanBeFrozen(style: Style) throws {
        let url = try #require(CorpusDeclarations.url)
        for schema in try JSONDecoder().decode([Schema].self, from: Data(contentsOf: url)) {
            let copy = try FrozenSchema(freezing: "SchemaV1", in: Renderer(style: style).files(schema)).text
            #expect(copy.contains("enum SchemaV1: VersionedSchema"))
        }
    }

    /// Writes the declarations as Swift.
    private struct Renderer {
        let style: Style

        func files(_ schema: Schema) -> [SwiftSourceFile] {
            let values = schema.valueTypes.sorted { $0.key < $1.key }.map { value($0.key, $0.value) }
            let classes = schema.entities.map(model)
            switch style {
            case .explicit:
                return [file("All.swift", (values + classes).joined(separator: "\n"))]
            case .inferred:
                return (values + classes).enumerated().map { file("\($0.offset).swift", $0.element) }
            case .versioned:
                let names = schema.entities.map { "\($0.name).self" }.joined(separator: ", ")
                let version = """
                    enum SchemaV1: VersionedSchema {
                        static let versionIdentifier = Schema.Version(1, 0, 0)
                        static var models: [any PersistentModel.Type] {
                            [\(names)]
                        }
                    }
                    """
                let bodies = (values + classes).map { "extension SchemaV1 {\n\($0)\n}" }
                return [file("SchemaV1.swift", version), file("Models.swift", bodies.joined(separator: "\n"))]
            }
        }

        private func file(_ path: String, _ text: String) -> SwiftSourceFile {
            SwiftSourceFile(path: path, bytes: Array("import SwiftData\n\n\(text)\n".utf8))
        }

        private func value(_ name: String, _ type: Schema.ValueType) -> String {
            if let alias = type.alias { return "typealias \(name) = \(alias)" }
            if type.kind == "enum" {
                let raw = type.raw.map { "\($0), " } ?? ""
                return "enum \(name): \(raw)Codable { case \((type.cases ?? []).joined(separator: ", ")) }"
            }
            let fields = (type.fields ?? []).map { "    var \($0.name): \($0.type)" }
            return """
                struct \(name): Codable, Hashable {
                \(fields.joined(separator: "\n"))
                    var summary: String { "{\\(self)}" }
                }
                """
        }

        private func model(_ entity: Schema.Entity) -> String {
            var unique = entity.unique
            var lines: [String] = []
            for property in entity.properties {
                var options: [String] = []
                if property.externalStorage == true { options.append(".externalStorage") }
                if style == .inferred, unique.contains([property.name]) {
                    options.append(".unique")
                    unique.removeAll { $0 == [property.name] }
                }
                if !options.isEmpty { lines.append("    @Attribute(\(options.joined(separator: ", ")))") }
                if property.relationshipMacro == true {
                    let inverse = property.inverse.map { ", inverse: \\\($0)" } ?? ""
                    lines.append("    @Relationship(deleteRule: .cascade\(inverse))")
                }
                lines.append("    public var \(declaration(property))")
            }
            if !unique.isEmpty {
                let lists = unique.map { "[" + $0.map { "\\.\($0)" }.joined(separator: ", ") + "]" }
                lines.insert("    #Unique<\(entity.name)>(\(lists.joined(separator: ", ")))", at: 0)
            }
            return """
                /// A model: { of the corpus.
                @Model
                public final class \(entity.name) {
                \(lines.joined(separator: "\n"))

                    var isComputed: Bool { true }
                    init() { fatalError("}") }
                }
                """
        }

        private func declaration(_ property: Schema.Property) -> String {
            guard style == .inferred else { return "\(property.name): \(property.type)" }
            switch property.type {
            case "String": return "\(property.name) = \"\""
            case "Bool": return "\(property.name) = false"
            case "Int": return "\(property.name) = -1"
            case "Date": return "\(property.name) = Date.now"
            case "Data": return "\(property.name) = Data()"
            case "UUID": return "\(property.name) = UUID() { didSet { print(\"changed\") } }"
            case "UInt32", "Int64", "UInt64", "Int32": return "\(property.name) = \(property.type)(0)"
            case let type where type.hasPrefix("[") && type.hasSuffix("]"): return "\(property.name) = \(type)()"
            default: return "\(property.name): \(property.type)"
            }
        }
    }
}

private enum CorpusDeclarations {
    static let url: URL? = {
        guard let path = ProcessInfo.processInfo.environment["MODELC_CORPUS"] else { return nil }
        let url = URL(fileURLWithPath: path).appendingPathComponent("swiftdata/declarations.json")
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }()
}
