import CompiledModel
import Foundation
import ModelSchema
import ModelSource
import TestSupport
import Testing

@testable import ModelcDriver

/// A source written by `modelc decompile` can be read without errors and compiles to the same model.
@Suite struct DecompileTests {
    private let scratch: URL

    init() throws {
        scratch = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    }

    private final class Box { var text = "" }

    private func decompile(_ bytes: [UInt8]) throws -> (code: ExitCode, printed: String, source: [UInt8]?) {
        let output = scratch.appendingPathComponent("Out.xcdatamodel")
        try? FileManager.default.removeItem(at: output)
        try Data(bytes).write(to: scratch.appendingPathComponent("M.mom"))
        let printed = Box()
        let environment = DriverEnvironment(
            files: POSIXFileSystem(workingDirectory: scratch.path), output: { printed.text += $0 },
            errorOutput: { printed.text += $0 }, usesColor: false)
        let code = DecompileCommand.runProgram(["M.mom", "Out.xcdatamodel"], in: environment)
        let source = try? Data(contentsOf: output.appendingPathComponent("contents"))
        return (code, printed.text, source.map { Array($0) })
    }

    private static func archive(_ entities: String) throws -> [UInt8] {
        let document = try ModelDocument(bytes: Array("<model>\(entities)</model>".utf8), path: "m", name: "M")
        return try EncodedModel(document.model).bytes
    }

    /// Replaces an ASCII string in an archive with another of the same length.
    private static func replace(_ old: String, with new: [UInt8], in bytes: [UInt8]) throws -> [UInt8] {
        try #require(old.utf8.count == new.count)
        var bytes = bytes
        let range = try #require(bytes.firstRange(of: Array(old.utf8)))
        bytes.replaceSubrange(range, with: new)
        return bytes
    }

    @Test(arguments: [
        ("text", "it does not begin as one"), ("", "it is empty"), ("bplist00x", "incomplete or damaged"),
    ])
    func filesThatAreNoCompiledModelsAreErrors(text: String, reason: String) throws {
        let result = try decompile(Array(text.utf8))
        #expect(result.code == .couldNotRun || result.code == .findings)
        #expect(result.printed.contains(reason), "\(result.printed)")
        #expect(result.printed.contains("Compile it again from its source"), "\(result.printed)")
        #expect(result.source == nil)
    }

    private static let model = """
        <entity name="Parent" representedClassName="Parent"><attribute name="aaaa" attributeType="String"/>\
        <attribute name="bbbb" attributeType="Integer 32" defaultValueString="4"/></entity>\
        <entity name="Child" parentEntity="Parent" representedClassName="Child">\
        <relationship name="rrrr" optional="YES" toMany="YES" destinationEntity="Parent"/></entity>
        """

    @Test func aSoundArchiveIsDecompiled() throws {
        let result = try decompile(Self.archive(Self.model))
        #expect(result.code == .success, "\(result.printed)")
        #expect(result.source != nil)
    }

    @Test func anArchiveWithDuplicatePropertiesIsAnError() throws {
        let bytes = try Self.replace("bbbb", with: Array("aaaa".utf8), in: Self.archive(Self.model))
        let result = try decompile(bytes)
        #expect(result.code != .success)
        #expect(result.source == nil)
        #expect(result.printed.contains("[duplicate-name]"), "\(result.printed)")
    }

    @Test func namesThatXMLCannotExpressAreAnError() throws {
        let bytes = try Self.replace("bbbb", with: [0x62, 0x01, 0x62, 0x62], in: Self.archive(Self.model))
        let result = try decompile(bytes)
        #expect(result.code != .success)
        #expect(result.source == nil)
    }

    @Test func damagedArchivesAreAnErrorOrASourceThatCanBeRead() throws {
        let archive = try Self.archive(Self.model)
        var successCount = 0
        Seeds.run(rounds: 60) { generator, _ in
            var random = generator
            var bytes = archive
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let location = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[location] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[location] &+= 1
                default: bytes.swapAt(location, Int.random(in: 0..<bytes.count, using: &random))
                }
            }
            let result = try decompile(bytes)
            if (result.code == .success) != (result.source != nil) { throw Mismatch(description: result.printed) }
            if let source = result.source {
                successCount += 1
                let document = try ModelDocument(bytes: source, path: "m", name: "M")
                let errors = (document.diagnostics(at: .loadable)).filter { $0.severity == .error }
                if let error = errors.first { throw Mismatch(description: error.message) }
            }
        }
        #expect(Seeds.replayed != nil || successCount > 0)
    }

    private struct Mismatch: Error, CustomStringConvertible {
        var description: String
    }
}
