import CoreData
import Diagnostics
import Foundation
import ModelLint
import ModelcDriver
import Testing

/// The verdicts of all commands about every mistake of a catalog: there is one notion of a valid model.
@Suite struct ModelVerdictTests {
    /// A temporary folder in which commands run as functions.
    private final class Scratch {
        let folder: URL
        private(set) var output = ""
        private(set) var errors = ""

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "modelc-verdict-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

        func write(_ content: String, to name: String) throws {
            let text = """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="24299" \
                systemVersion="25A362" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
                userDefinedModelVersionIdentifier="">
                \(content)
                </model>

                """
            try FileManager.default.createDirectory(
                at: url(name).deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url(name))
        }

        func run<Command: DriverCommand>(_ command: Command.Type, _ arguments: String...) -> Int32 {
            (output, errors) = ("", "")
            let environment = DriverEnvironment(
                files: POSIXFileSystem(workingDirectory: folder.path), output: { self.output += $0 },
                errorOutput: { self.errors += $0 }, usesColor: false)
            return command.runProgram(arguments, in: environment).rawValue
        }

        func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: url(name).path) }
    }

    /// The exit codes of the commands, and whether the runtime loads what was compiled.
    private struct Row: Equatable, CustomStringConvertible {
        var lint: Int32
        var compile: Int32
        var momc: Int32
        var generate: Int32
        var momcGenerate: Int32
        var hook: Int32
        var isLoaded: Bool

        init(isRefused: Bool, lint: Int32) {
            (compile, momc, generate, momcGenerate) = isRefused ? (1, 1, 1, 1) : (0, 0, 0, 0)
            (self.lint, hook, isLoaded) = (lint, lint, !isRefused)
        }

        var description: String {
            "lint \(lint), compile \(compile), momc \(momc), generate \(generate), momc generate \(momcGenerate), "
                + "hook \(hook), \(isLoaded ? "loaded" : "not loaded")"
        }
    }

    /// Runs every command on a model.
    private static func row(_ scratch: Scratch) -> Row {
        let model = "M.xcdatamodel"
        // The hook also checks the layout, which is not the subject here.
        _ = scratch.run(FormatCommand.self, model)
        var row = Row(isRefused: false, lint: 0)
        row.lint = scratch.run(LintCommand.self, model)
        let format = scratch.run(FormatCommand.self, "--check", model)
        row.hook = row.lint != 0 ? row.lint : format
        row.compile = scratch.run(CompileCommand.self, model, "M.mom")
        row.momc = scratch.run(MomcCommand.self, model, "Momc.mom")
        row.generate = scratch.run(GenerateCommand.self, model, "-o", "Code")
        row.momcGenerate = scratch.run(MomcCommand.self, "--action", "generate", model, "Momc")
        row.isLoaded = scratch.exists("M.mom") && NSManagedObjectModel(contentsOf: scratch.url("M.mom")) != nil
        return row
    }

    @Test(arguments: ModelMistake.all)
    func allCommandsAgreeAboutAMistake(_ mistake: ModelMistake) throws {
        let scratch = try Scratch()
        try scratch.write(mistake.content, to: "M.xcdatamodel/contents")
        let isRefused = mistake.verdict == .refused
        let expected = Row(isRefused: isRefused, lint: mistake.verdict == .lintWarning ? 0 : 1)
        let row = Self.row(scratch)
        #expect(row == expected)
        // A refused model leaves nothing behind.
        #expect(scratch.exists("M.mom") == !isRefused)
        #expect(scratch.exists("Momc.mom") == !isRefused)
        // Lint names the rule, and the compiler no error that lint does not show.
        _ = scratch.run(LintCommand.self, "--reporter", "json", "M.xcdatamodel")
        let lint = Set(try Self.findings(scratch.output).map(\.rule))
        #expect(lint.contains(mistake.rule.rawValue), "\(lint)")
        _ = scratch.run(CompileCommand.self, "M.xcdatamodel", "N.mom")
        let errors = scratch.errors.split(separator: "\n").filter { $0.contains(": error: ") }
        for error in errors { #expect(lint.contains { error.hasSuffix("[\($0)]") }, "\(error)") }
        #expect(Set(errors).count == errors.count, "reported twice: \(errors)")
    }

    @Test func findingsAreReportedOnce() throws {
        for mistake in ModelMistake.all {
            let scratch = try Scratch()
            try scratch.write(mistake.content, to: "M.xcdatamodel/contents")
            _ = scratch.run(LintCommand.self, "--reporter", "json", "M.xcdatamodel")
            let findings = try Self.findings(scratch.output)
            #expect(Set(findings).count == findings.count, "\(mistake)")
        }
    }

    @Test func everyRuleHasAMistake() {
        let tested = Set(ModelMistake.all.map(\.rule))
        for rule in RuleRegistry.lintDescriptions
        where !["cloudkit", "swiftdata", "mapping models"].contains(rule.group) {
            #expect(tested.contains(rule.id) != (ModelMistake.left[rule.id] != nil), "\(rule.id)")
        }
        let compilerErrors = RuleRegistry.lintDescriptions.filter {
            $0.defaultSeverity == .error && $0.explanation.contains("cannot be compiled")
        }
        let refused = Set(ModelMistake.all.filter { $0.verdict == .refused }.map(\.rule))
        #expect(compilerErrors.count > 5)
        for rule in compilerErrors { #expect(refused.contains(rule.id), "\(rule.id)") }
    }

    @Test(arguments: MergeMistake.all)
    func mergesDoNotProduceModelsThatCannotBeCompiled(_ mistake: MergeMistake) throws {
        let scratch = try Scratch()
        for (name, content) in [("base", mistake.base), ("ours", mistake.ours), ("theirs", mistake.theirs)] {
            try scratch.write(content, to: "\(name).xcdatamodel/contents")
            #expect(scratch.run(CompileCommand.self, "\(name).xcdatamodel", "\(name).mom") == 0, "\(scratch.errors)")
        }
        let code = scratch.run(
            MergeDriverCommand.self, "base.xcdatamodel/contents", "ours.xcdatamodel/contents",
            "theirs.xcdatamodel/contents")
        #expect(code == 1, "\(scratch.errors)")
        // The merged file is refused by all others, too.
        #expect(scratch.run(LintCommand.self, "ours.xcdatamodel") == 1)
        #expect(scratch.run(CompileCommand.self, "ours.xcdatamodel", "merged.mom") == 1)
    }

    /// Models of which lint only warns load, and so do composite paths in indexes and inverses that do not exist.
    @Test func theRuntimeLoadsWhatIsCompiled() throws {
        let scratch = try Scratch()
        try scratch.write(
            """
            <entity name="A"><attribute name="home" optional="YES" attributeType="Composite" composite="Address"/>
            <attribute name="city" optional="YES" attributeType="String"/>
            <relationship name="r" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="A" inverseName="q" inverseEntity="A"/>
            <fetchIndex name="i"><fetchIndexElement property="home.city" type="Binary" order="descending"/></fetchIndex></entity>
            <composite name="Address"><attribute name="city" optional="YES" attributeType="String"/></composite>
            """, to: "M.xcdatamodel/contents")
        #expect(scratch.run(CompileCommand.self, "M.xcdatamodel", "M.mom") == 0, "\(scratch.errors)")
        let model = try #require(NSManagedObjectModel(contentsOf: scratch.url("M.mom")))
        let entity = try #require(model.entitiesByName["A"])
        #expect(entity.relationshipsByName["r"]?.inverseRelationship == nil)
        let element = try #require(entity.indexes.first?.elements.first)
        #expect(element.propertyName == "home.city")
        #expect(!element.isAscending)
        let store = scratch.url("a.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: store)
    }

    private struct Finding: Decodable, Hashable {
        struct Range: Decodable, Hashable { var start: Location }
        struct Location: Decodable, Hashable {
            var line: Int
            var column: Int
        }

        var rule: String
        var message: String
        var range: Range?
    }

    private static func findings(_ json: String) throws -> [Finding] {
        struct Report: Decodable { var findings: [Finding] }
        return try JSONDecoder().decode(Report.self, from: Data(json.utf8)).findings
    }
}
