import Foundation
import Testing

@testable import ModelcDriver

/// Which sources `modelc lane` leaves out, with a program in the place of `swift`.
@Suite struct LaneBuildTests {
    private let folder: URL
    private let files: POSIXFileSystem

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-lane-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        files = POSIXFileSystem(workingDirectory: folder.path)
    }

    private func write(_ text: String, to path: String) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func contents(below path: String) -> [String: String] {
        let root = folder.appendingPathComponent(path)
        var result: [String: String] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: root.path) ?? .init() {
            var isFolder: ObjCBool = false
            let file = root.appendingPathComponent(name).path
            guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            result[name] = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        }
        return result
    }

    /// Stands for `swift`: a source compiles if the types after `uses` are declared by a `struct` of the package. The
    /// errors are printed in the order of `order`.
    private struct Compiler {
        var order: ([String]) -> [String] = { $0 }
        var testCode: Int32 = 0

        func run(_ arguments: [String]) -> ChildProcess.Result {
            guard arguments[1] == "build", let option = arguments.firstIndex(of: "--package-path") else {
                return ChildProcess.Result(
                    exitCode: testCode, output: Array("Executed 2 tests, with 0 failures\n".utf8), errorOutput: "")
            }
            let root = arguments[option + 1]
            var texts: [String: String] = [:]
            for case let name as String in FileManager.default.enumerator(atPath: root) ?? .init()
            where name.hasSuffix(".swift") {
                texts[root + "/" + name] = (try? String(contentsOfFile: root + "/" + name, encoding: .utf8)) ?? ""
            }
            func words(_ text: String, after mark: String) -> [String] {
                text.components(separatedBy: mark).dropFirst().map { String($0.prefix { $0.isLetter || $0.isNumber }) }
            }
            let declared = Set(texts.values.flatMap { words($0, after: "struct ") })
            var lines: [String] = []
            for (path, text) in texts {
                for name in words(text, after: "// uses ") where !declared.contains(name) {
                    lines.append("\(path):2:1: error: cannot find type '\(name)' in scope")
                }
                for name in words(text, after: "// needs ") where !declared.contains(name) {
                    lines.append("\(path):3:1: error: type '\(name)' is ambiguous")
                }
                if text.contains("// broken link") { lines.append("error: link command failed with exit code 1") }
            }
            return ChildProcess.Result(
                exitCode: lines.isEmpty ? 0 : 1, output: Array(order(lines.sorted()).joined(separator: "\n").utf8),
                errorOutput: "")
        }
    }

    private func run(
        _ compiler: Compiler = Compiler(), output: String = "Out", format: String = "json"
    ) throws -> (code: ExitCode, output: String, errors: String) {
        var (text, errors) = ("", "")
        let command = try LaneCommand.parse(
            ["App", "--output", output, "--modelc", "https://example.org/modelc", "--format", format])
        let environment = DriverEnvironment(
            files: files, output: { text += $0 }, errorOutput: { errors += $0 }, usesColor: false)
        let code = command.run(in: environment) { arguments throws(ChildProcess.Failure) in compiler.run(arguments) }
        return (code, text, errors)
    }

    private func writeApp() throws {
        try write("import UIKit\nstruct Theme { let color = UIColor.red }\n", to: "App/Theme.swift")
        try write("struct Book {}\n", to: "App/Book.swift")
        try write("struct Cover {}\n// uses Theme\n", to: "App/Cover.swift")
        try write("struct Shelf {}\n// uses Cover\n", to: "App/Shelf.swift")
        try write("struct Store {}\n// uses Book\n", to: "App/Store.swift")
        try write("// uses Store\n", to: "App/AppTests/StoreTests.swift")
        try write("// uses Shelf\n", to: "App/AppTests/ShelfTests.swift")
        try write("// uses Missing\n", to: "App/AppUITests/LaunchTests.swift")
    }

    @Test func leavesOutWhatDependsOnTheUserInterface() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try writeApp()
        let result = try run(format: "text")
        #expect(result.code == .success)
        #expect(
            result.output == """
                target App: 3 of 7 sources, 0 models
                  left out:
                    Cover.swift:2: cannot find type 'Theme' in scope (declared in Theme.swift, which is left out)
                    Shelf.swift:2: cannot find type 'Cover' in scope (declared in Cover.swift, which is left out)
                    Theme.swift:1: imports “UIKit”
                    AppTests/ShelfTests.swift:2: cannot find type 'Shelf' in scope (declared in Shelf.swift, which is left out)
                  builds after 4 rounds
                  tests: Executed 2 tests, with 0 failures

                """)
        let written = contents(below: "Out")
        #expect(
            written.keys.filter { $0.hasSuffix(".swift") && !$0.contains("ModelcLane") }.sorted() == [
                "Package.swift", "Sources/App/Book.swift", "Sources/App/Store.swift",
                "Tests/AppTests/AppTests/StoreTests.swift",
            ])
        #expect(written["Package.swift"]?.contains("unsafeFlags") == false)
        #expect(contents(below: "Out/.build").isEmpty)
    }

    /// The result depends neither on the order of the errors nor on what an earlier run has written.
    @Test func resultsAreDeterministic() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try writeApp()
        _ = try run()
        let first = contents(below: "Out")
        let reversed = try run(Compiler(order: { $0.reversed() }), output: "Other")
        #expect(reversed.code == .success)
        #expect(contents(below: "Other") == first)
        _ = try run()
        #expect(contents(below: "Out") == first)
    }

    /// An error that is no missing symbol may be the consequence of one.
    @Test func consequencesAreNotLeftOutWithTheirCauses() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("// uses Missing\n", to: "App/Cause.swift")
        try write("struct Fine {}\n", to: "App/Fine.swift")
        try write("// needs Absent\n", to: "App/Other.swift")
        var selection = LaneSelection(try LaneProject("App", target: nil, files).targets, files)
        let errors = [
            CompilerError(path: "/p/Sources/App/Cause.swift", line: 1, column: 1, message: "cannot find 'a' in scope"),
            CompilerError(path: "/p/Sources/App/Fine.swift", line: 1, column: 1, message: "ambiguous use of 'b'"),
        ]
        #expect(selection.omit(errors, inPackage: "/p") == 1)
        #expect(selection.omitted.map(\.path) == ["Cause.swift"])
        #expect(selection.omit(errors, inPackage: "/p") == 1)
        #expect(selection.omitted.map(\.path) == ["Cause.swift", "Fine.swift"])
        #expect(selection.omit(errors, inPackage: "/p") == 0)
        #expect(selection.omit(errors, inPackage: "/q") == 0)
    }

    @Test func aFailureWritesNothing() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try writeApp()
        try write("// broken link\n", to: "App/Link.swift")
        let failed = try run()
        #expect(failed.code == .couldNotRun)
        #expect(failed.errors.contains("link command failed"))
        #expect(contents(below: "Out").isEmpty)
        // An earlier package stays as it was.
        try FileManager.default.removeItem(at: folder.appendingPathComponent("App/Link.swift"))
        #expect(try run().code == .success)
        let before = contents(below: "Out")
        try write("// broken link\n", to: "App/Link.swift")
        #expect(try run().code == .couldNotRun)
        #expect(contents(below: "Out") == before)
    }

    @Test func aRunReplacesOnlyWhatAnEarlierOneWrote() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try writeApp()
        try write("mine", to: "Foreign/notes.txt")
        let foreign = try run(output: "Foreign")
        #expect(foreign.code == .couldNotRun)
        #expect(foreign.errors.contains("notes.txt"))
        #expect(contents(below: "Foreign") == ["notes.txt": "mine"])
        #expect(try run().code == .success)
        try write("// mine\n", to: "Out/Tests/AppTests/OwnTests.swift")
        try FileManager.default.removeItem(at: folder.appendingPathComponent("App/Store.swift"))
        #expect(try run().code == .success)
        let written = contents(below: "Out")
        #expect(written["Tests/AppTests/OwnTests.swift"] == "// mine\n")
        #expect(written["Sources/App/Store.swift"] == nil)
        #expect(written["Sources/App/Book.swift"] != nil)
        // A file of the user in the place of a new one.
        try write("mine", to: "Out/Sources/App/New.swift")
        try write("struct New {}\n", to: "App/New.swift")
        #expect(try run().code == .couldNotRun)
        #expect(contents(below: "Out")["Sources/App/New.swift"] == "mine")
    }

    /// As git checks the list out on Windows.
    @Test func aListWithCarriageReturnsIsRead() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try writeApp()
        #expect(try run().code == .success)
        let list = try #require(contents(below: "Out")[".lane-files"])
        try write(list.replacing("\n", with: "\r\n"), to: "Out/.lane-files")
        try FileManager.default.removeItem(at: folder.appendingPathComponent("App/Store.swift"))
        let again = try run()
        #expect(again.code == .success, "\(again.errors)")
        #expect(contents(below: "Out")["Sources/App/Store.swift"] == nil)
    }

    /// The folder and its list may come from an untrusted repository.
    @Test(arguments: ["Sources", "Old"])
    func filesBehindLinksAreKept(link: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try writeApp()
        try write("mine", to: "Elsewhere/key")
        try write("# modelc lane 1\n\(link)/key\n", to: "Out/.lane-files")
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("Out/\(link)").path, withDestinationPath: "../Elsewhere")
        let result = try run()
        #expect(result.code == .couldNotRun)
        #expect(result.errors.contains("a symbolic link points outside of “Out”"), "\(result)")
        #expect(contents(below: "Elsewhere") == ["key": "mine"])
    }

    @Test func aWorkingCopyBehindALinkIsKept() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try writeApp()
        try write("mine", to: "Elsewhere/Out/notes.txt")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("Out/.build"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("Out/.build/.modelc-lane").path,
            withDestinationPath: "../../Elsewhere")
        #expect(try run().code == .couldNotRun)
        #expect(contents(below: "Elsewhere") == ["Out/notes.txt": "mine"])
    }

    @Test func failingTestsAreReported() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try writeApp()
        let result = try run(Compiler(testCode: 1))
        #expect(result.code == .findings)
        #expect(result.output.contains("\"passed\": false"))
        #expect(contents(below: "Out")["Package.swift"] != nil)
    }

    /// Sources, and the reasons why they are left out.
    private static let sources: [(text: String, reason: String?)] = [
        ("import Alamofire\n", "imports “Alamofire”, which is not in the package"),
        ("#if canImport(UIKit)\nimport UIKit\n#endif\n", nil),
        ("import UIKit\n", nil),
        ("import CoreData\n", nil),
        ("import SwiftData\n", nil),
        ("import App\n", nil),
        ("@main struct P { static func main() {} }\n", "declares the main program"),
        ("import Combine\nlet s = PassthroughSubject<Int, Never>()\n", nil),
    ]

    @Test(arguments: sources)
    func sourcesThatCannotCompile(text: String, reason: String?) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(text, to: "App/A.swift")
        let selection = LaneSelection(try LaneProject("App", target: nil, files).targets, files)
        #expect(selection.files.map(\.omission?.reason) == [reason])
    }
}
