import Foundation
import TestSupport
import Testing

/// What a Mac compiles, the program `modelc` and the plugins, does not use names that are newer than the deployment
/// target of Package.swift. `Scripts/macos-check.py` finds all uses, with a compiler for that target, but takes
/// minutes.
@Suite struct DeploymentTargetTests {
    /// Names of the standard library, and the version of macOS that introduced them.
    private static var names: [(pattern: Regex<Substring>, version: Int)] {
        [
            (/^ *(?:@\w+ )?(?:\w+ )?import Observation\b/, 14),
            (/^ *(?:@\w+ )?(?:\w+ )?import Synchronization\b/, 15),
            (/\bString\(validating:/, 15),
            (/\bU?Int128\b/, 15),
            (/\bRangeSet\b|\bmoveSubranges\(/, 15),
            // An optional function that throws one type of error.
            (/\bthrows\([\w.]+\) *-> *[^(),]+\)\?/, 15),
            (/\bisolated deinit\b/, 15),
            (/\bInlineArray\b|\bUTF8Span\b/, 26),
        ]
    }

    /// Returns the uses of names that are newer than a version of macOS.
    private static func newerNames(in text: String, than version: Int) -> [String] {
        text.split(separator: "\n").filter { line in
            let code = line.drop(while: \.isWhitespace)
            return !code.hasPrefix("//")
                && names.contains { $0.version > version && line.firstMatch(of: $0.pattern) != nil }
        }.map(String.init)
    }

    private static func sources(in folder: URL) throws -> [URL] {
        try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".swift") }.map(folder.appendingPathComponent)
    }

    /// Returns the folders of `modelc` and of all modules that it imports.
    private static func modulesOfTheProgram() throws -> [String: URL] {
        let root = Checkout.root.appendingPathComponent("Sources")
        var folders: [String: URL] = [:]
        for wing in try FileManager.default.contentsOfDirectory(atPath: root.path) {
            let folder = root.appendingPathComponent(wing)
            for module in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !module.contains(".") {
                folders[module] = folder.appendingPathComponent(module)
            }
        }
        var found: [String: URL] = [:]
        var waiting = ["modelc"]
        while let module = waiting.popLast() {
            guard found[module] == nil, let folder = folders[module] else { continue }
            found[module] = folder
            for file in try sources(in: folder) {
                let text = try String(contentsOf: file, encoding: .utf8)
                waiting += text.matches(of: /^(?:\w+ )?import (\w+)/.anchorsMatchLineEndings()).map { String($0.1) }
            }
        }
        return found
    }

    @Test func theProgramAndThePluginsRunOnTheDeploymentTarget() throws {
        let manifest = Checkout.root.appendingPathComponent("Package.swift")
        let platform = try String(contentsOf: manifest, encoding: .utf8).firstMatch(of: /\.macOS\(\.v(\d+)\)/)
        let version = try #require(platform.flatMap { Int($0.1) })
        let modules = try Self.modulesOfTheProgram()
        #expect(modules["ModelcDriver"] != nil && modules["Diagnostics"] != nil && modules["CoreData"] == nil)
        for folder in modules.values + [Checkout.root.appendingPathComponent("Plugins")] {
            for file in try Self.sources(in: folder) {
                for line in Self.newerNames(in: try String(contentsOf: file, encoding: .utf8), than: version) {
                    Issue.record("\(file.lastPathComponent) needs a newer macOS than \(version): \(line)")
                }
            }
        }
    }

    @Test(arguments: [
        "internal import Synchronization", "@_exported public import Synchronization",
        "        guard String(validating: bytes, as: UTF8.self) != nil else {",
        "func commit(last: (() throws(Failure) -> Void)? = nil) {", "let size: UInt128",
        "let bytes: InlineArray<4, UInt8>",
    ])
    func newerNamesAreFound(line: String) {
        #expect(Self.newerNames(in: line, than: 13) == [line])
        #expect(Self.newerNames(in: line, than: 26) == [])
    }

    @Test(arguments: [
        "func map(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result?",
        "// import Synchronization", "func validating(_ text: String)",
    ])
    func otherLinesAreNotFound(line: String) {
        #expect(Self.newerNames(in: line, than: 13) == [])
    }
}
