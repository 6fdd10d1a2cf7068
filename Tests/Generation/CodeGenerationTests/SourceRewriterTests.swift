import Diagnostics
import ModelSchema
import TestSupport
import Testing

@testable import CodeGeneration

/// Rewriting sources written for Apple's platforms. `Tests/Ports` compiles and runs the results.
@Suite struct SourceRewriterTests {
    private func rewrite(_ text: String) -> String { SourceRewriter.rewrite(text).text }

    private func lines(_ text: String) -> Int { text.split(separator: "\n", omittingEmptySubsequences: false).count }

    // MARK: Expressions

    @Test(arguments: [
        ("#keyPath(Book.title)", "\"title\""), ("#keyPath(title)", "\"title\""),
        ("#keyPath(Book.author.name)", "\"author.name\""), ("#keyPath(author.name)", "\"author.name\""),
        ("#keyPath( Book . `default` )", "\"default\""), ("#keyPath(Book.URL)", "\"URL\""),
        ("#keyPath(\n    Book.title)", "\"title\"\n"), ("#keyPath(Box<Int>.value)", "\"value\""),
        ("#selector(NSString.localizedStandardCompare(_:))", "Selector(\"localizedStandardCompare:\")"),
        ("#selector(NSString.caseInsensitiveCompare)", "Selector(\"caseInsensitiveCompare:\")"),
        ("#selector(NSNumber.compare(_:))", "Selector(\"compare:\")"),
        ("#selector(getter: Book.title)", "Selector(\"title\")"),
        ("#selector(setter: Book.title)", "Selector(\"setTitle:\")"),
    ])
    func expressionsAreRewrittenForTheRuntime(_ expression: String, _ expected: String) {
        #expect(rewrite("import CoreData\nlet x = \(expression)") == "import CoreData\nlet x = \(expected)")
        // In a body, a default value and an interpolation, including nested ones.
        #expect(
            rewrite("import CoreData\nfunc f(x: Any = \(expression)) { g(\(expression)) }")
                == "import CoreData\nfunc f(x: Any = \(expected)) { g(\(expected)) }")
        #expect(
            rewrite("import CoreData\nlet a = \"\\(\(expression)) \\(\"\\(\(expression))\")\"")
                == "import CoreData\nlet a = \"\\(\(expected)) \\(\"\\(\(expected))\")\"")
        #expect(
            rewrite("import CoreData\nlet a = #\"\\(\(expression)) \\#(\(expression))\"#")
                == "import CoreData\nlet a = #\"\\(\(expression)) \\#(\(expected))\"#")
    }

    @Test func declarationsDistinguishTypesFromProperties() {
        let text = """
            class book { class page {} }
            let a = #keyPath(book.title), b = #keyPath(book.page.text), c = #keyPath(Shelf.books.title)
            """
        #expect(rewrite(text).hasSuffix("let a = \"title\", b = \"text\", c = \"books.title\""))
    }

    @Test(arguments: [
        "let a = \"#keyPath(Book.title)\"", "let a = #\"\"\"\n#keyPath(Book.title) \\(#keyPath(Book.title))\n\"\"\"#",
        "// #keyPath(Book.title)", "/* @objc /* #selector(a) */ @objc */ let a = 1",
        "let a = #\"\"\"#; let b = 2", "let a = /@objc #keyPath(x)/", "let a = #/\n@objc \"\n/#",
        "#if canImport(ObjectiveC)\n@objc class A {}\n#endif", "#if os(iOS)\nlet a = #keyPath(A.b)\n#endif\n",
        "let `objc` = 1; let objc2 = a.objc", "#warning(\"@objc\")", "let a = #stringify(a)",
        "let 🎉 = \"é\u{301}\\(\"@objc\")\"", "class A { override func f() {} }", "let a = b as! NSFetchRequest",
        "import class CoreData.NSManagedObject", "import Combine\nlet a: AnyCancellable",
    ])
    func otherSourcesAreUnchanged(_ text: String) {
        #expect(rewrite(text) == text)
    }

    @Test func lineEndingsAndTheByteOrderMarkAreKept() {
        let text = "\u{FEFF}import CoreData\r\n@objc(A)\r\nclass A {\r\n    let a = #keyPath(A.b)\r\n}\r\n"
        #expect(
            Array(rewrite(text).utf8)
                == Array("import CoreData\r\n        \r\nclass A {\r\n    let a = \"b\"\r\n}\r\n".utf8))
    }

    // MARK: Declarations

    @Test func objectiveCAttributesAreBlanked() {
        let text = """
            @objcMembers @objc(Name) class A: NSObject {
                @IBOutlet weak var view: B?
                @objc dynamic var name = ""
                @nonobjc func f() {}
            }
            @objc protocol P { func g() }
            @objc protocol Q: P {}
            """
        let expected = """
                                     class A: NSObject {
                          weak var view: B?
                      dynamic var name = ""
                @nonobjc func f() {}
            }
                  protocol P: AnyObject { func g() }
                  protocol Q: P {}
            """
        #expect(rewrite(text) == expected)
    }

    @Test(arguments: [
        ("import CoreData.NSManagedObject\n", "import CoreData\n"),
        ("@testable import Foundation.NSString // a\n", "@testable import Foundation // a\n"),
        ("import UIKit\nlet a = 1\n", "import Foundation\nlet a = 1\n"),
        ("import Cocoa\nlet a = NSSet()\n", "import CoreData\nlet a = NSSet()\n"),
        ("import UIKit\nlet a: UIColor\n", "import UIKit\nlet a: UIColor\n"),
        ("import AppKit\nlet a: NSColor\n", "import AppKit\nlet a: NSColor\n"),
        (
            "import Foundation\nlet a = #selector(NSString.compare(_:))",
            "import CoreData; import Foundation\nlet a = Selector(\"compare:\")"
        ),
    ])
    func importsAreRewritten(_ text: String, _ expected: String) {
        #expect(rewrite(text) == expected)
    }

    @Test func initializersAreMarkedRequired() {
        let text = """
            class A: NSManagedObject {
                override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) { }
                convenience init(context: NSManagedObjectContext) { }
                required init(other: Int) { }
            }
            class B: A { init(name: String) { } }
            class C { init(context: NSManagedObjectContext) { } }
            """
        let result = rewrite(text)
        #expect(result.contains("    required init(entity: NSEntityDescription"))
        #expect(result.contains("convenience required init(context: NSManagedObjectContext) { }"))
        #expect(result.contains("class B: A { init(name: String) { } required init(entity: NSEntityDescription"))
        #expect(result.hasSuffix("class C { init(context: NSManagedObjectContext) { } }"))
    }

    @Test func storesWithOtherInitializersGetTheRequiredOne() {
        let parameters = "persistentStoreCoordinator c: C?, configurationName n: String?, at u: URL, options o: O?"
        let text = """
            public class A: NSAtomicStore { init(file: String) { } }
            class B: NSIncrementalStore { override init(\(parameters)) { }; init(file: String) { } }
            class C: B { init(number: Int) { } }
            class D: NSAtomicStore { convenience init(file: String) { } }
            class E { init(file: String) { } }
            """
        let added = "required init(_opening root: NSPersistentStoreCoordinator, "
        let lines = rewrite(text).split(separator: "\n")
        #expect(lines[0].contains("{ init(file: String) { } public \(added)"))
        #expect(lines[0].contains("fatalError(\"A cannot be added"))
        #expect(lines[2].contains(added))
        #expect([1, 3, 4].allSatisfy { lines[$0] == text.split(separator: "\n")[$0] })
    }

    // MARK: Overrides

    private func source(_ name: String, _ text: String, isExcluded: Bool = true) -> ManagedSource {
        ManagedSource(path: "/p/\(name)", bytes: Array(text.utf8), isExcluded: isExcluded)
    }

    @Test func overridesOfExtensionsMoveIntoTheClassOfAnotherFile() {
        // Members of the class itself need no copy.
        let one = source("A.swift", "class A: NSManagedObject {\n    func f() {}\n}\n")
        let other = source(
            "B.swift",
            """
            extension A {

                @objc override public func add(_ a: Int, to b: inout Int) throws -> Int { try super.add(a, to: &b) }
                override class var name: String { get { "" } set { } }
            }
            """)
        let rewriter = SourceRewriter(moduleName: "M", models: [], sources: [one, other])
        let class_ = rewriter.rewrite(one).text.split(separator: "\n").map(String.init)
        #expect(
            class_ == [
                "class A: NSManagedObject {", "    func f() {}",
                "#sourceLocation(file: \"/p/B.swift\", line: 3)",
                "      override public func add(_ a: Int, to b: inout Int) throws -> Int { try _A_add(a, to: &b) }",
                "#sourceLocation(file: \"/p/B.swift\", line: 4)",
                "override class var name: String { get { _A_name } set { _A_name = newValue } }",
                "#sourceLocation(file: \"/p/A.swift\", line: 3)", "}",
            ])
        let extended = rewriter.rewrite(other)
        #expect(extended.notes.isEmpty)
        #expect(extended.text.contains("public func _A_add(_ a: Int, to b: inout Int) throws -> Int { try super.add"))
        #expect(extended.text.contains("         class var _A_name: String { get"))
        #expect(lines(extended.text) == 5)
    }

    @Test func anOverrideNeedsItsClass() {
        let text = "extension A { override func f() {} }"
        let compiled = source("A.swift", "class A: NSManagedObject {}", isExcluded: false)
        let extended = source("B.swift", text)
        let notes = SourceRewriter(moduleName: "M", models: [], sources: [compiled, extended]).rewrite(extended).notes
        #expect(notes.map(\.rule) == [.overrideInExtension])
        #expect(notes.first?.help == "Exclude “A.swift” too.")
        #expect(SourceRewriter.rewrite(text).notes.map(\.rule) == [.overrideInExtension])
    }

    @Test func generatedClassesGetOverridesOfExtensions() {
        var model = Model(name: "M")
        var entity = Entity(name: "A")
        entity.className = ClassName(".A")
        entity.codeGeneration = .classDefinition
        model.entities = [entity]
        let code = ManagedCode(
            moduleName: "M", models: [model],
            sources: [source("B.swift", "extension A { override func willSave() { super.willSave() } }")])
        let generated = code.completing(
            generated:
                "#if canImport(ObjectiveC)\n@objc(A) class A: NSManagedObject {}\n#else\nclass A: NSManagedObject {}\n#endif\n"
        )
        #expect(
            generated.contains("#else\nclass A: NSManagedObject {\n#sourceLocation(file: \"/p/B.swift\", line: 1)\n"))
        #expect(generated.contains("override func willSave() { _A_willSave() }\n#sourceLocation()\n}\n#endif"))
    }

    // MARK: Notes

    @Test(arguments: [
        ("button.addTarget(self, action: #selector(tap(_:)), for: .touchUpInside)", [RuleID.needsManualEdit]),
        ("class A { func f() { g(#selector(model.reload)) } }", [.needsManualEdit]),
        ("@objc protocol P { @objc optional func f() -> Int }", [.needsManualEdit]),
        ("@objc protocol P { @objc optional var a: Int { get } }", [.needsManualEdit]),
        ("@objc protocol P { func f() }\nclass A { let a = #selector(P.f) }", [.needsManualEdit]),
        ("import UIKit\nlet a: UIView", [.needsManualEdit]), ("import CloudKit\nlet a: CKRecord", [.needsManualEdit]),
        ("import Combine\nlet a: AnyCancellable", [.needsManualEdit]), ("import CloudKit", []),
        ("#if canImport(UIKit)\nimport UIKit\n#endif", []), ("let a = b as! NSFetchRequest<Book>", []),
        ("let a = #keyPath(b[0])", [.needsManualEdit]),
    ])
    func constructsThatNeedAManualEditAreNoted(_ text: String, _ rules: [RuleID]) {
        #expect(SourceRewriter.rewrite(text).notes.map(\.rule) == rules)
    }

    // MARK: Random sources

    /// For any file: edits do not overlap, nothing else changes, and no line break is lost or added except around
    /// classes.
    @Test(.randomized) func onlyEditsChangeASource() {
        var generator = Seeds.generator()
        let parts = [
            "class A: NSManagedObject ", "extension A ", "{", "}", "@objc ", "@objc(b:)\n", "@NSManaged ", "var a",
            ": Int",
            "override ", "func f", "()", "\"", "\"\"\"", "#\"", "\"#", "\\(", "\\#(", ")", "(", "\n", "\r\n",
            "#if os(iOS)\n",
            "#else\n", "#endif\n", "/*", "*/", "//", "`", "é", "#keyPath(A.b)", "#keyPath(",
            "#selector(NSString.compare(_:))",
            "#selector(", "import UIKit\n", "import CoreData.X\n", "@objc optional func g()", "Bundle(for: A.self)",
            ".g?()",
            ".bundleIdentifier!", "import os.log\n", "#selector(g)", "os_unfair_lock()", "NSPredicate()",
            "init(context: NSManagedObjectContext)", "/",
            "typealias B = Int;",
            " as! NSFetchRequest<A>", "protocol P ", "init(entity: E, insertInto c: C)", "\u{FEFF}", "get ", "set ",
        ]
        for _ in 0..<3000 {
            let text = (0..<30).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            let bytes = Array(text.utf8)
            let result = SourceRewriter.rewrite(text)
            var rebuilt: [UInt8] = []
            var location = 0
            for edit in result.edits {
                #expect(edit.range.lowerBound >= location)
                rebuilt += bytes[location..<edit.range.lowerBound] + Array(edit.text.utf8)
                location = edit.range.upperBound
                let removed = bytes[edit.range].filter { $0 == UInt8(ascii: "\n") }.count
                if !edit.range.isEmpty {
                    #expect(edit.text.utf8.filter { $0 == UInt8(ascii: "\n") }.count == removed, "\(text)")
                }
            }
            rebuilt += bytes[location...]
            #expect(rebuilt == Array(result.text.utf8))
        }
    }
}
