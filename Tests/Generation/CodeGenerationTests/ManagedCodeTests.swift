import Diagnostics
import Foundation
import ModelSchema
import Testing

@testable import CodeGeneration

/// The code generated for `@NSManaged` declarations. `Tests/Integration` compiles and runs it.
@Suite struct ManagedCodeTests {
    private func code(_ text: String, isExcluded: Bool = false, name: String = "Book.swift") -> (
        ManagedCode, ManagedSource
    ) {
        let source = ManagedSource(path: "/p/\(name)", bytes: Array(text.utf8), isExcluded: isExcluded)
        return (ManagedCode(moduleName: "Shop", models: [Self.model], sources: [source]), source)
    }

    private static let model: Model = {
        var model = Model(name: "Shop")
        var book = Entity(name: "Book")
        book.className = ClassName(".Book")
        book.attributes = [
            Attribute(name: "count", type: .integer64), Attribute(name: "file", type: .binary),
            Attribute(name: "title", type: .string),
        ]
        var chapters = Relationship(name: "chapters", destinationName: "Chapter")
        chapters.isToMany = true
        var author = Relationship(name: "author", destinationName: "Author")
        author.isToMany = false
        book.relationships = [author, chapters]
        model.entities = [book]
        return model
    }()

    /// Returns the bodies of the generated methods.
    private func bodies(_ declarations: String) -> [String] {
        let text =
            "class Author: NSManagedObject {}\nclass Chapter: NSManagedObject {}\nclass Book: NSManagedObject {\n\(declarations)\n}"
        return code(text).0.accessorsFile(named: "x").split(separator: "\n").compactMap { line in
            guard line.contains("_managed_"), let start = line.range(of: " { ") else { return nil }
            return String(line[start.upperBound...].dropLast(2))
        }
    }

    /// The slots are author, chapters, count, file and title, sorted by name.
    @Test(arguments: [
        ("var title: String?", ["readSlot(4, L, \"title\")", "writeSlot(newValue, 4, L, \"title\")"]),
        (
            "var title: String",
            ["(readSlot(4, L, \"title\") as String?) ?? \"\"", "writeSlot(newValue, 4, L, \"title\")"]
        ),
        ("var file: Data", ["(readSlot(3, L, \"file\") as Data?) ?? Data()", "writeSlot(newValue, 3, L, \"file\")"]),
        ("var count: Int", ["Int(readSlot(2, L, \"count\") as Int64)", "writeSlot(Int64(newValue), 2, L, \"count\")"]),
        ("var count: NSNumber?", ["readManaged(\"count\")", "writeManaged(newValue, \"count\")"]),
        ("var author: Author?", ["readObject(0, L, \"author\")", "writeObject(newValue, 0, L, \"author\")"]),
        ("var author: Author", ["readManaged(\"author\")", "writeManaged(newValue, \"author\")"]),
        (
            "var chapters: NSSet?",
            ["readCollection(1, L, \"chapters\")", "writeCollection(newValue, 1, L, \"chapters\")"]
        ),
        ("var chapters: Set<Chapter>", ["readManaged(\"chapters\")", "writeManaged(newValue, \"chapters\")"]),
        ("var primitiveTitle: String?", ["readPrimitive(\"title\")", "writePrimitive(newValue, \"title\")"]),
        ("func addToChapters(_ value: Chapter)", ["addObject(value, 1, L, \"chapters\")"]),
        ("func removeFromChapters(_ values: NSSet)", ["removeObjects(values, 1, L, \"chapters\")"]),
        ("func addChaptersObject(_ value: Chapter)", ["addObject(value, 1, L, \"chapters\")"]),
        ("func addToChapters(_ values: Set<Chapter>)", ["addObjects(NSSet(set: values), 1, L, \"chapters\")"]),
        ("func removeFromChapters(at idx: Int)", ["changeOrder(1, L, \"chapters\") { $0.removeObject(at: idx) }"]),
    ])
    func accessors(_ declaration: String, expected: [String]) {
        let layout = SlotLayout(of: Self.model.entities[0], parents: [:]).fingerprint
        let number = "0x" + String(layout, radix: 16, uppercase: true)
        #expect(bodies("@NSManaged " + declaration) == expected.map { $0.replacing("L, ", with: "\(number), ") })
    }

    @Test func accessLevelsFollowTheImport() {
        let text = """
            public import Foundation
            import Foundation
            @preconcurrency import CoreData
            public class Book: NSManagedObject {
                @NSManaged open var title: String?
                @NSManaged package private(set) var count: Int64
                @NSManaged fileprivate var file: Data?
            }
            public extension Book { @NSManaged func addToChapters(_ value: NSSet) }
            """
        let lines = code(text).0.accessorsFile(named: "x").split(separator: "\n").map(String.init)
        #expect(
            lines.filter { $0.contains("import ") } == ["@preconcurrency import CoreData", "public import Foundation"])
        let methods = lines.filter { $0.contains("_managed_") && $0.contains("func ") }
        #expect(methods.map { $0.contains("public final") } == [true, true, false, false, false, false, true])
        #expect(methods.map { $0.contains("package final") } == [false, false, true, false, false, false, false])
    }

    // MARK: Copies

    @Test func aCopyKeepsLinesAndLosesObjectiveC() throws {
        let text = """
            import CoreData
            @objc(Book)
            public class Book: NSManagedObject {
                @NSManaged public var title: String?; @NSManaged var count: Int64, file: Data?
                @objc(addChapters:)
                @NSManaged func addToChapters(_ values: NSSet)
                let sort = #keyPath(Book.author.name)
            }
            """
        let (code, source) = code(text, isExcluded: true)
        #expect(code.isAdopted(source))
        #expect(code.diagnostics().isEmpty)
        let copy = code.copy(of: source, named: "Book+modelc.swift")
        let parts = copy.components(separatedBy: "#sourceLocation(file: \"/p/Book.swift\", line: 1)\n")
        let original = try #require(parts.dropFirst().first)
        let changed = try #require(
            parts.last?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        #expect(original.hasPrefix(text))
        #expect(changed[1].allSatisfy { $0 == " " })
        #expect(changed[2] == "public class Book: NSManagedObject {")
        #expect(changed[3].contains("var title: String? { get { readSlot(4, "))
        #expect(changed[3].contains("file: Data? { get {"))
        #expect(changed[5].hasSuffix("(_ values: NSSet) { addObjects(values, 1, \(layout), \"chapters\") }"))
        #expect(changed[6] == "    let sort = \"author.name\"")
        #expect(!changed.joined().contains("@"))
    }

    private var layout: String {
        "0x" + String(SlotLayout(of: Self.model.entities[0], parents: [:]).fingerprint, radix: 16, uppercase: true)
    }

    @Test(arguments: [
        ("let nothing = 1", false), ("class Book: NSManagedObject {}", true),
        ("class Other: NSManagedObject {}", false),
        ("extension Other { @NSManaged var a: Int16 }", true), ("@objc class Other {}", true),
        ("let key = #keyPath(Other.name)", true), ("let key = \"#keyPath(Other.name)\"", false),
        ("import UIKit\n@objc class Other: UIView {}", false), ("import UIKit\n@objc class Other {}", true),
        ("@objc class Other { let action = #selector(model.tap) }", false),
        ("@objc class Other { let action = #selector(tap) }", true),
    ])
    func sourcesThatNeedObjectiveCAreCopied(_ text: String, isAdopted: Bool) {
        let (code, source) = code(text, isExcluded: true)
        #expect(code.isAdopted(source) == isAdopted)
        #expect(code.copy(of: source, named: "x").contains("#sourceLocation") == isAdopted)
    }

    // MARK: Findings

    @Test(
        arguments: [
            ("@objc(Book) class Book: NSManagedObject {}", [.objectiveCAttribute]),
            ("@objc class Other {}", [.objectiveCAttribute]),
            ("let key = \"\\(#keyPath(Book.title))\"", [.objectiveCAttribute]),
            ("extension Book { override func awakeFromInsert() {} }", [.overrideInExtension]),
            (
                "class Book: NSManagedObject { func validateTitle(_ value: UnsafeMutablePointer<AnyObject?>) {} }",
                [.uncalledKeyMethod]
            ),
            (
                """
                class Book: NSManagedObject {
                    private func validateTitle(_ value: UnsafeMutablePointer<AnyObject?>) throws {}
                }
                """, [.uncalledKeyMethod]
            ),
            (
                """
                class Book: NSManagedObject {
                    func validateTitle(_ value: UnsafeMutablePointer<AnyObject?>) throws {}
                    func validateFields() {}
                }
                """, []
            ),
            ("class Book: NSManagedObject { @NSManaged var titel: String? }", [.unknownManagedProperty]),
            ("class Book: NSManagedObject { @NSManaged var title: Money }", [.unsupportedManagedProperty]),
            ("struct Money {} ; class Book: NSManagedObject { @NSManaged var title: Money }", []),
            ("class Book: NSManagedObject { typealias Money = Decimal; @NSManaged var title: Money? }", []),
            (
                "func f() { class Book: NSManagedObject { @NSManaged var title: String? } }",
                [.unsupportedManagedProperty]
            ),
            ("typealias Money = Decimal\nclass Book: NSManagedObject { @NSManaged var title: Money? }", []),
            ("class Book: NSManagedObject { @NSManaged func sell() }", [.unknownManagedFunction]),
            ("class Book<T>: NSManagedObject { @NSManaged var title: String }", [.unsupportedManagedProperty]),
            (
                "class Book: NSManagedObject {}\nextension Book where Self: P { @NSManaged var title: String }",
                [.unsupportedManagedProperty]
            ),
        ] as [(String, [RuleID])])
    func findings(_ text: String, rules: [RuleID]) {
        #expect(code(text).0.diagnostics().map(\.rule) == rules)
    }
}
