import Foundation
import Testing

/// The generated files of the cases are also given to the compiler.
///
/// Linux has no Objective-C: `@objc` is an error there, and Core Data has to be stood in for. What is left of the check
/// is that every file type-checks, in Swift 6 mode, without a warning.
@Suite struct GoldenCodeTests {
    /// The classes of the cases' entities. Those that a folder does not define are written by hand there.
    private static let classes: Set = ["Author", "Book", "Chapter", "Child", "EverythingMO", "Grandchild", "Note"]

    /// As much of Core Data as generated code uses.
    private static let coreData = """
        @_exported import Foundation
        open class NSManagedObject: NSObject {}
        open class NSManagedObjectID: NSObject {}
        open class NSFetchRequest<Result>: NSObject { public init(entityName: String) {} }
        """

    private static let cases = [
        "generate-access", "generate-all-types", "generate-books", "generate-manual", "generate-styles",
    ]

    @Test(.enabled(if: SwiftCompiler.path != nil, "swiftc is not in the path"))
    func typeChecks() throws {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let coreData = scratch.appendingPathComponent("CoreData.swift")
        try Data(Self.coreData.utf8).write(to: coreData)
        try #expect(
            SwiftCompiler.run([
                "-emit-module", "-module-name", "CoreData", "-swift-version", "6", "-o",
                scratch.appendingPathComponent("CoreData.swiftmodule").path, coreData.path,
            ]) == "")
        for testCase in try EndToEndCase.all() where Self.cases.contains(testCase.testDescription) {
            for folder in try outputFolders(of: testCase.directory.appendingPathComponent("expected")) {
                let copies = try copies(of: folder, in: scratch.appendingPathComponent(UUID().uuidString))
                let messages = try SwiftCompiler.run(
                    [
                        "-typecheck", "-swift-version", "6", "-package-name", "p", "-I",
                        scratch.path,
                    ] + copies)
                // Xcode imports Core Data publicly in the class file of a subentity too, where nothing needs it.
                let problems = messages.split(separator: "\n").filter { line in
                    (line.contains(": error: ") || line.contains(": warning: "))
                        && !line.contains("public import of 'CoreData' was not used")
                }
                #expect(problems.isEmpty, "\(folder.path)")
            }
        }
    }

    /// The folders that have Swift files in them.
    private func outputFolders(of root: URL) throws -> [URL] {
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        let folders = Set(paths.filter { $0.hasSuffix(".swift") }.map { ($0 as NSString).deletingLastPathComponent })
        return folders.sorted().map { root.appendingPathComponent($0) }
    }

    /// Copies without what Linux refuses, and with the classes that are written by hand for some entities.
    private func copies(of folder: URL, in target: URL) throws -> [String] {
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        var declared: Set<String> = []
        var texts: [String] = []
        var paths: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            let kept = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                line.trimmingCharacters(in: .whitespaces).hasPrefix("@objc")
                    ? "" : line.replacing("@nonobjc ", with: "")
            }.joined(separator: "\n")
            for match in text.matches(of: #/class ([A-Z]\w*):/#) { declared.insert(String(match.1)) }
            texts.append(text)
            paths.append(target.appendingPathComponent(name).path)
            try Data(kept.utf8).write(to: target.appendingPathComponent(name))
        }
        let missing = Self.classes.subtracting(declared)
        let exportsImports = texts.contains { $0.contains("public import") || $0.contains("package import") }
        let byHand =
            (exportsImports ? "public import CoreData\n" : "import CoreData\n")
            + missing.sorted().map { "public class \($0): NSManagedObject {}\n" }.joined()
        let file = target.appendingPathComponent("ByHand.swift")
        try Data(byHand.utf8).write(to: file)
        return paths + [file.path]
    }
}
