import Diagnostics
import ModelSchema
import Testing

@testable import CodeGeneration

/// Rewriting uses of API that works differently on Linux. `Tests/Ports` compiles and runs the results.
@Suite struct AppleAPIRewritingTests {
    private func rewrite(_ text: String) -> String { SourceRewriter.rewrite(text).text }

    private func source(_ text: String, _ path: String = "/p/A.swift", isExcluded: Bool = true) -> ManagedSource {
        ManagedSource(path: path, bytes: Array(text.utf8), isExcluded: isExcluded)
    }

    // MARK: Selectors

    @Test(arguments: [
        ("#selector(f)", "Selector(\"f\", calling: A.f)"), ("#selector(self.f)", "Selector(\"f\", calling: A.f)"),
        ("#selector(Self.f(_:))", "Selector(\"f:\", calling: A.f(_:))"),
        ("#selector(A.f(note:))", "Selector(\"fWithNote:\", calling: A.f(note:))"),
        ("#selector(Other.Inner.f(_:with:))", "Selector(\"f:with:\", calling: Other.Inner.f(_:with:))"),
        ("#selector(`default`)", "Selector(\"default\", calling: A.`default`)"),
    ])
    func selectorsCarryTheMethod(_ expression: String, _ expected: String) {
        for declaration in ["class A", "extension A", "struct Outer {}; @MainActor final class A: NSObject"] {
            #expect(
                rewrite("import CoreData\n\(declaration) { func g() { x(\(expression)) } }")
                    == "import CoreData\n\(declaration) { func g() { x(\(expected)) } }")
        }
    }

    @Test func anUnqualifiedSelectorBelongsToTheInnermostType() {
        let text = """
            import CoreData
            class A { class B { let a = #selector(f) }
                let b = #selector(f)
                func g() { class C { let c = #selector(f) } }
            }
            """
        let result = rewrite(text)
        #expect(result.contains("let a = Selector(\"f\", calling: A.B.f)"))
        #expect(result.contains("let b = Selector(\"f\", calling: A.f)"))
        #expect(result.contains("let c = Selector(\"f\", calling: C.f)"))
    }

    @Test func importsAreInsertedBeforeTheAttributesOfOthers() {
        #expect(
            rewrite("@testable import A\nclass B { let a = #selector(f) }").hasPrefix(
                "import CoreData; @testable import A\n"))
        #expect(rewrite("class B { let a = #selector(f) }").hasPrefix("import CoreData; class B"))
    }

    // MARK: Fetch requests, bundles and predicates

    @Test(arguments: [
        ("a as! NSFetchRequest<Book>", "a ~>! NSFetchRequest<Book>.self"),
        (
            "try f() as? NSFetchRequest<any NSFetchRequestResult>",
            "try f() ~>? NSFetchRequest<any NSFetchRequestResult>.self"
        ),
        ("a.copy() as! NSFetchRequest<Book>", "a.copy() as! NSFetchRequest<Book>"),
        ("Book.fetchRequest() as NSFetchRequest<Book>", "Book.fetchRequest() as NSFetchRequest<Book>"),
        ("Bundle(for: A.self)", "Bundle(forModuleOf: A.self)"),
        ("Bundle.init(for: type(of: a))", "Bundle.init(forModuleOf: type(of: a))"),
        ("Bundle(path: p)", "Bundle(path: p)"),
        ("Bundle.main.bundleIdentifier! + x", "Bundle.main.bundleIdentifierOrProcessName + x"),
        ("Bundle.main.bundleIdentifier != nil", "Bundle.main.bundleIdentifier != nil"),
        ("Bundle.main.bundleIdentifier!=nil", "Bundle.main.bundleIdentifier!=nil"),
        ("g([a, b[0]] as NSSet)", "g(NSSet(array: [a, b[0]]) as NSSet)"), ("a[0] as NSSet", "a[0] as NSSet"),
        ("a as! [Int] as NSSet", "a as! [Int] as NSSet"), ("f()[0] as NSSet", "f()[0] as NSSet"),
        ("NSPredicate()", "NSPredicate(value: true)"), ("NSPredicate(value: false)", "NSPredicate(value: false)"),
    ])
    func expressionsAreRenamed(_ expression: String, _ expected: String) {
        #expect(rewrite("import CoreData\nlet x = \(expression)\n") == "import CoreData\nlet x = \(expected)\n")
        #expect(
            rewrite("import CoreData\nlet x = \"\"\"\n\\(\(expression))\n\"\"\"\n")
                == "import CoreData\nlet x = \"\"\"\n\\(\(expected))\n\"\"\"\n")
    }

    @Test(arguments: [
        ("let a: NSSet = [1, [2]]", "let a: NSSet = NSSet(array: [1, [2]])"),
        ("var a: NSMutableSet? = []", "var a: NSMutableSet? = NSMutableSet(array: [])"),
        ("func f(a: NSCountedSet = [1], b: Int) {}", "func f(a: NSCountedSet = NSCountedSet(array: [1]), b: Int) {}"),
        ("let a: NSSet = [\n1,\n]\nlet b = 1", "let a: NSSet = NSSet(array: [\n1,\n])\nlet b = 1"),
        ("let a: NSSet = [b, c].first!", "let a: NSSet = [b, c].first!"),
        ("let a: NSSet = [b, c]\n.first!", "let a: NSSet = [b, c]\n.first!"),
        ("let a: [NSSet] = [b]", "let a: [NSSet] = [b]"), ("let a: NSOrderedSet = [b]", "let a: NSOrderedSet = [b]"),
        ("let a: Set<Int> = [b]", "let a: Set<Int> = [b]"),
    ])
    func literalsOfSetsBecomeArrays(_ text: String, _ expected: String) {
        #expect(rewrite("import CoreData\n\(text)\n") == "import CoreData\n\(expected)\n")
    }

    // MARK: Tests on the main actor

    @Test(arguments: [
        ("func testA() { f() }", "nonisolated func testA() { MainActor.assumeIsolated { () -> Void in f() } }"),
        (
            "public func testA() throws -> Void {\n    let g = { f() }\n}",
            "public nonisolated func testA() throws -> Void { try MainActor.assumeIsolated { () throws -> Void in\n    let g = { f() }\n} }"
        ),
        (
            "func testA() throws(E<Int>) { f() }",
            "nonisolated func testA() throws         { try MainActor.assumeIsolated { () throws -> Void in f() } }"
        ),
        (
            "override func setUp() { super.setUp() }",
            "override func setUp() { MainActor.assumeIsolated { () -> Void in super.setUp() } }"
        ),
        ("func testA() async { f() }", "func testA() async { f() }"), ("func test(a: Int) {}", "func test(a: Int) {}"),
        ("func testA() -> Int { 1 }", "func testA() -> Int { 1 }"),
        ("private func testA() {}", "private func testA() {}"),
        ("nonisolated func testA() {}", "nonisolated func testA() {}"),
        ("static func testA() {}", "static func testA() {}"),
        ("func makeA() {}", "func makeA() {}"), ("@OtherActor func testA() {}", "@OtherActor func testA() {}"),
    ])
    func testsOnTheMainActorRunTheirBodyThere(_ member: String, _ expected: String) {
        func classes(_ member: String) -> [String] {
            [
                "@MainActor final class A: XCTestCase { \(member) }",
                "@MainActor class Base: XCTestCase {}; class A: Base { \(member) }",
                "@MainActor class A: XCTestCase {}; extension A { \(member) }",
            ]
        }
        // An override in an extension is another error.
        let count = member.hasPrefix("override") ? 2 : 3
        for (text, expected) in zip(classes(member), classes(expected)).prefix(count) {
            #expect(rewrite(text) == expected)
        }
        for text in ["class A: XCTestCase { \(member) }", "@MainActor class A: Other { \(member) }"] {
            #expect(rewrite(text) == text)
        }
    }

    @Test func theAttributeOfATestIsRemoved() {
        #expect(
            rewrite("class A: XCTestCase { @MainActor func testA() { f() } }")
                == "class A: XCTestCase {            nonisolated func testA() { MainActor.assumeIsolated { () -> Void in f() } } }"
        )
    }

    @Test func testsInCompiledSourcesAreReported() throws {
        let text = "@MainActor class A: XCTestCase {\n    override func setUp() {}\n    func testA() throws {}\n}"
        let found = ManagedCode(moduleName: "M", models: [], sources: [source(text, isExcluded: false)]).diagnostics()
        #expect(found.map(\.rule) == [.mainActorTest])
        let warning = try #require(found.first)
        #expect(warning.range?.start.line == 3)
        #expect(warning.help?.contains("func testA() async throws") == true)
    }

    @Test func aTypeInTwoLinesKeepsTheLineCount() {
        #expect(
            rewrite("import CoreData\nlet x = (a as! NSFetchRequest<\n    Book>)\n")
                == "import CoreData\nlet x = (a ~>! NSFetchRequest<     Book>.self\n)\n")
    }

    // MARK: Optional requirements

    @Test func optionalMethodsGetDefaultImplementations() {
        let text = """
            @objc public protocol P: AnyObject {
                @objc optional func changed(_ a: Int,
                    in b: String)
                func other()
                @objc optional func ended() -> Void
            }
            class A { weak var p: P?; func f() { p?.changed?(1, in: ""); p?.ended?(); p?.other?() } }
            """
        let expected = """
                  public protocol P: AnyObject {
                               func changed(_ a: Int,
                    in b: String)
                func other()
                               func ended() -> Void
            }; public extension P { func changed(_ a: Int,         in b: String) {} }; \
            public extension P { func ended() -> Void {} }
            class A { weak var p: P?; func f() { p?.changed (1, in: ""); p?.ended (); p?.other?() } }
            """
        #expect(rewrite(text) == expected)
    }

    @Test func callsInOtherFilesLoseTheQuestionMark() {
        let one = source("@objc protocol P { @objc optional func changed() }")
        let other = source("func f(p: P) { p.changed?(); closure?(); p.controllerDidChangeContent?(c) }", "/p/B.swift")
        let rewriter = SourceRewriter(moduleName: "M", models: [], sources: [one, other])
        #expect(
            rewriter.rewrite(other).text
                == "func f(p: P) { p.changed (); closure?(); p.controllerDidChangeContent (c) }")
        #expect(rewriter.target.needsCopy(other))
    }

    // MARK: Imports

    @Test(arguments: [
        ("import os\nlet a = Logger()", "import UnifiedLogging\nlet a = Logger()"),
        ("import os.log\nos_log(\"a\")", "import UnifiedLogging\nos_log(\"a\")"),
        ("import OSLog", "import UnifiedLogging"), ("import struct os.Logger", "import struct UnifiedLogging.Logger"),
        ("import OSLog\nlet a: OSLogStore", "import OSLog\nlet a: OSLogStore"),
        (
            "import Foundation\nvar a = os_unfair_lock()",
            "import UnifiedLogging; import Foundation\nvar a = os_unfair_lock()"
        ),
        ("import Combine\nlet a = 1", "import Foundation\nlet a = 1"), ("import SwiftUI", "import Foundation"),
        ("import SwiftUI\nlet a: NSManagedObject", "import CoreData\nlet a: NSManagedObject"),
        ("import SwiftUI\nstruct A: View {}", "import SwiftUI\nstruct A: View {}"),
        ("import CloudKit\nlet a: CKRecord", "import CloudKit\nlet a: CKRecord"),
        (
            "import CloudKit\nlet a: NSPersistentCloudKitContainer",
            "import CoreData\nlet a: NSPersistentCloudKitContainer"
        ),
        ("import UIKit\nlet a: NSManagedObject", "import CoreData\nlet a: NSManagedObject"),
    ])
    func importsAreReplaced(_ text: String, _ expected: String) {
        #expect(rewrite(text) == expected)
    }

    @Test func combineIsReplacedIfThereIsAPackageForIt() {
        let combine = source("import Combine\nlet a: AnyCancellable")
        func text(_ modules: Set<String>) -> String {
            SourceRewriter(moduleName: "M", models: [], sources: [combine], availableModules: modules)
                .rewrite(combine).text
        }
        #expect(text(["OpenCombine", "OpenCombineShim"]).hasPrefix("import OpenCombineShim\n"))
        #expect(text(["OpenCombine"]).hasPrefix("import OpenCombine\n"))
        #expect(text([]).hasPrefix("import Combine\n"))
    }

    // MARK: Key-value observers

    @Test(arguments: [
        (
            "class A: NSObject { override func observeValue(forKeyPath k: String?) { super.observeValue(forKeyPath: k) } }",
            "class A: NSObject {          func observeValue(forKeyPath k: String?) { observeUnhandledValue(forKeyPath: k) } }"
                + "; extension A: KeyValueObserver {}"
        ),
        // The base class has the method.
        (
            "class B: A { override func observeValue(forKeyPath k: String?) { super.observeValue(forKeyPath: k) } }\n"
                + "class A: NSObject { override func observeValue(forKeyPath k: String?) {} }",
            "class B: A { override func observeValue(forKeyPath k: String?) { super.observeValue(forKeyPath: k) } }\n"
                + "class A: NSObject {          func observeValue(forKeyPath k: String?) {} }; extension A: KeyValueObserver {}"
        ),
        // CoreData declares the method of these.
        (
            "class A: NSManagedObject { override func observeValue(forKeyPath k: String?) {} }",
            "class A: NSManagedObject { override func observeValue(forKeyPath k: String?) {} }"
        ),
        (
            "class A: NSManagedObjectContext { override func observeValue(forKeyPath k: String?) {} }",
            "class A: NSManagedObjectContext { override func observeValue(forKeyPath k: String?) {} }"
        ),
    ])
    func observersConformToAProtocol(_ text: String, _ expected: String) {
        let result = rewrite(text)
        #expect(result == expected || result == "import CoreData; " + expected)
    }

    // MARK: No file disappears

    /// Whatever the rewriter changes, an excluded source with it is copied: `prepare-for-linux` excludes it because of
    /// the change.
    @Test(arguments: [
        (SourceRewriter.Edit.Kind.attribute, "@objc class A {}"),
        (.fetchRequestCast, "let a = b as! NSFetchRequest<Book>"),
        (.fetchRequestCast, "let a = b as? NSFetchedResultsController<Book>"),
        (.keyValueObserver, "class A: NSObject { override func observeValue(forKeyPath k: String?) {} }"),
        (.importDeclaration, "import os\nlet a = Logger()"), (.importDeclaration, "import UIKit\nlet a = 1"),
        (.importDeclaration, "import Combine\nlet a = 1"), (.importDeclaration, "import CoreGraphics\nlet a: CGFloat"),
        (.importDeclaration, "import CoreData.NSManagedObject"), (.importDeclaration, "var a = os_unfair_lock()"),
        (.keyPath, "let a = #keyPath(B.c)"),
        (.optionalRequirement, "func f() { a.controllerDidChangeContent?(c) }"),
        (.optionalRequirement, "protocol P { @objc optional func f() }"),
        (.renamedExpression, "let a = Bundle(for: A.self)"), (.selector, "class A { let a = #selector(f) }"),
    ])
    func rewrittenSourcesAreCopied(_ kind: SourceRewriter.Edit.Kind, _ text: String) {
        let source = source(text)
        let result = SourceRewriter.rewrite(text)
        #expect(result.edits.contains { $0.kind == kind })
        let code = ManagedCode(moduleName: "M", models: [], sources: [source])
        #expect(code.isAdopted(source))
        #expect(code.copy(of: source, named: "A+modelc.swift").contains(result.text))
    }

    @Test func aSourceThatIsLeftOutIsReportedWithTheReason() {
        func findings(_ text: String) -> [String] {
            let source = source(text)
            return ManagedCode(moduleName: "M", models: [], sources: [source]).diagnostics().map {
                "\($0.severity) \($0.message)"
            }
        }
        #expect(
            findings("import UIKit\nlet a: UIView") == ["note “A.swift” stays excluded: Linux does not have “UIKit”"])
        #expect(
            findings("let a = #selector(model.reload)")
                == ["warning “A.swift” stays excluded: #selector(model.reload) needs the Objective-C runtime"])
        #expect(findings("let a = 1") == ["note “A.swift” stays excluded: nothing in it needs a copy"])
    }

    // MARK: Sources that get Core Data from another import

    @Test func coreDataIsImportedForTheModule() {
        func hasImport(_ text: String, isExcluded: Bool = false) -> Bool {
            ManagedCode(moduleName: "M", models: [], sources: [source(text, isExcluded: isExcluded)])
                .accessorsFile(named: "x").contains("@_exported public import CoreData\n")
        }
        #expect(hasImport("import App\nlet a: NSManagedObjectContext"))
        #expect(!hasImport("import CoreData\nlet a: NSManagedObjectContext"))
        #expect(!hasImport("import App\nlet a: NSObject"))
        // A copy counts, an excluded source that is not compiled does not.
        #expect(hasImport("import App\n@objc class A { let a: NSManagedObject? = nil }", isExcluded: true))
        #expect(!hasImport("import UIKit\nlet a: NSManagedObject, b: UIView", isExcluded: true))
    }

    // MARK: Initializers

    @Test func privateInitializersAreAsAccessibleAsTheirClass() {
        let text = """
            class A: NSManagedObject {
                override private init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {}
                private convenience init(context: NSManagedObjectContext) {}
                private init(other: Int) {}
            }
            """
        let result = rewrite(text)
        #expect(result.contains("    required         init(entity:"))
        #expect(result.contains("            convenience required init(context:"))
        #expect(result.contains("    private init(other: Int) {}"))
    }
}
