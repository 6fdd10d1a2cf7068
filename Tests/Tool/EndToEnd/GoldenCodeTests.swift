import Foundation
import Testing

/// Compiles the generated files of the cases.
///
/// Linux has no Objective-C: `@objc` is an error, and Core Data needs a stand-in. The remaining check is that every
/// file type-checks without warnings in Swift 6 mode.
@Suite struct GoldenCodeTests {
    /// The classes of the cases' entities. Those not defined in a folder are handwritten.
    private static let classes: Set = ["Author", "Book", "Chapter", "Child", "EverythingMO", "Grandchild", "Note"]

    /// The part of Core Data used by generated code.
    private static let coreData = """
        @_exported import Foundation
        public protocol NSFetchRequestResult {}
        open class NSEntityDescription: NSObject {}
        open class NSPersistentStoreCoordinator: NSObject { open var managedObjectModel = NSManagedObjectModel() }
        open class NSManagedObjectModel: NSObject {
            open func fetchRequestFromTemplate(
                withName name: String, substitutionVariables: [String: Any]
            ) -> NSFetchRequest<any NSFetchRequestResult>? { nil }
        }
        open class NSManagedObjectContext: NSObject {
            open var persistentStoreCoordinator: NSPersistentStoreCoordinator?
            open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject { NSManagedObject() }
            open func delete(_ object: NSManagedObject) {}
            open func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] { [] }
        }
        open class NSManagedObject: NSObject, NSFetchRequestResult {
            public override init() {}
            public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {}
            public convenience init(context: NSManagedObjectContext) { self.init() }
            open var managedObjectContext: NSManagedObjectContext?
            open var objectID = NSManagedObjectID()
            open func willAccessValue(forKey key: String?) {}
            open func didAccessValue(forKey key: String?) {}
            open func willChangeValue(forKey key: String) {}
            open func didChangeValue(forKey key: String) {}
            open func primitiveValue(forKey key: String) -> Any? { nil }
            open func setPrimitiveValue(_ value: Any?, forKey key: String) {}
        }
        open class NSManagedObjectID: NSObject, NSFetchRequestResult, @unchecked Sendable { open var isTemporaryID = false }
        open class NSFetchRequest<Result>: NSObject { public init(entityName: String) {} }
        """

    private static let cases = [
        "generate-access", "generate-all-types", "generate-books", "generate-features", "generate-manual",
        "generate-styles",
    ]

    @Test(.enabled(if: SwiftCompiler.path != nil, "swiftc is not in the path"))
    func goldenCodeTypeChecks() throws {
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
                    ] + Self.flags(of: folder) + copies)
                // Xcode imports Core Data publicly even in the class file of a subentity, where nothing needs it.
                let problems = messages.split(separator: "\n").filter { line in
                    (line.contains(": error: ") || line.contains(": warning: "))
                        && !line.contains("public import of 'CoreData' was not used")
                }
                #expect(problems.isEmpty, "\(folder.path)")
            }
        }
    }

    /// Returns the flags for which the code of a folder was generated.
    private static func flags(of folder: URL) -> [String] {
        guard folder.lastPathComponent == "Isolated" else { return [] }
        return ["-default-isolation", "MainActor", "-enable-upcoming-feature", "InternalImportsByDefault"]
    }

    /// Returns the folders that contain Swift files.
    private func outputFolders(of root: URL) throws -> [URL] {
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        let folders = Set(paths.filter { $0.hasSuffix(".swift") }.map { ($0 as NSString).deletingLastPathComponent })
        return folders.sorted().map { root.appendingPathComponent($0) }
    }

    /// Returns copies without code that is invalid on Linux, and with the handwritten classes of some entities.
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
        let isFeatures = declared.contains("FeatureWork")
        let missing = isFeatures ? [] : Self.classes.subtracting(declared)
        let exportsImports = texts.contains { $0.contains("public import") || $0.contains("package import") }
        let byHand =
            (exportsImports ? "public import CoreData\n" : "import CoreData\n")
            + missing.sorted().map { "public class \($0): NSManagedObject {}\n" }.joined()
            + (isFeatures ? PortableGoldenTests.featureTypes.replacing("$", with: "public ") : "")
        let file = target.appendingPathComponent("ByHand.swift")
        try Data(byHand.utf8).write(to: file)
        return paths + [file.path]
    }
}
