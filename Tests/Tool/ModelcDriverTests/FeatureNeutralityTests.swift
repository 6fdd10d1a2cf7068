import CodeGeneration
import Foundation
import ModelSchema
import TestSupport
import Testing

@testable import ModelcDriver

/// Keys for generated code affect neither version hashes, so that stores need no migration, nor code without features.
@Suite struct FeatureNeutralityTests {
    private static let model = Checkout.root.appendingPathComponent(
        "Tests/Runtime/CoreDataTests/Generated/Features.xcdatamodeld/Features.xcdatamodel/contents")

    /// Returns the text of the model, unchanged and without its userInfo.
    private static func texts() throws -> (String, String) {
        let text = try String(contentsOf: model, encoding: .utf8)
        let bare = text.replacing(#/(?s) *<userInfo>.*?</userInfo>\n/#, with: "")
        try #require(text.contains("modelc.rawType") && !bare.contains("userInfo") && bare.contains("</model>"))
        return (text, bare)
    }

    private static func read(_ text: String) throws -> (Model, GenerationSource) {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        let folder = scratch.appendingPathComponent("Features.xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        try Data(text.utf8).write(to: folder.appendingPathComponent("contents"))
        let input = try ModelInputReader(files: POSIXFileSystem(workingDirectory: scratch.path))
            .read("Features.xcdatamodel", version: nil)
        return (input.document.model, input.source)
    }

    @Test func keysDoNotChangeVersionHashes() throws {
        let (keyed, bare) = try Self.texts()
        let (first, second) = (try Self.read(keyed).0.versionHashes(), try Self.read(bare).0.versionHashes())
        #expect(first == second && first.checksum != nil)
    }

    @Test(arguments: CodeStyle.allCases, GenerationOptions.Flavor.allCases)
    func codeWithoutFeaturesIgnoresKeys(_ style: CodeStyle, _ flavor: GenerationOptions.Flavor) throws {
        let (keyed, bare) = try Self.texts()
        let templates = try TemplateLoader(files: POSIXFileSystem(workingDirectory: "/")).load(nil)
        let files = try [keyed, bare].map { text in
            let (model, source) = try Self.read(text)
            let options = GenerationOptions(flavor: flavor, style: style)
            return try CodeGenerator(model: model, source: source, options: options, templates: templates).generate()
                .files
        }
        #expect(files[0] == files[1] && !files[0].isEmpty)
    }

    /// Each feature changes the code, and only the code that it is meant for.
    @Test(arguments: CodeFeature.allCases)
    func everyFeatureHasAnEffect(_ feature: CodeFeature) throws {
        let (model, source) = try Self.read(try Self.texts().0)
        let templates = try TemplateLoader(files: POSIXFileSystem(workingDirectory: "/")).load(nil)
        func text(_ features: Set<CodeFeature>) throws -> String {
            var options = GenerationOptions()
            options.features = features
            let result = try CodeGenerator(model: model, source: source, options: options, templates: templates)
                .generate()
            #expect(!result.findings.contains { $0.severity == .error })
            return result.files.map(\.text).joined()
        }
        let expected: [CodeFeature: String] = [
            .raw: "var genre: FeatureGenre {", .codable: "func size() throws -> FeatureSize? {",
            .optionals: "var pages: Int32? {", .sets: "var authors: Set<FeatureWriter>\n",
            .required: "var language: String {", .ids: "var managedID: ManagedID<FeatureWork> {",
            .`init`: "convenience init(",
            .keys: "enum Attributes: String",
            .fetches: "class func fetchByTitle(prefix: String, least: Int32, in context",
            .docs: "/// The title.\n    ///\n    /// Never empty.\n",
            .final: "public final class FeaturePoet",
        ]
        let code = try text([feature])
        for (other, line) in expected {
            #expect(code.contains(line) == (other == feature), "\(other): \(line)")
        }
        #expect(expected.count == CodeFeature.allCases.count)
    }
}
