import CodeGeneration
import Testing

@testable import ModelcDriver

/// The table of `modelc port`, entry by entry.
@Suite struct PortPatternTests {
    /// For each entry, code that it reports, and similar code that it does not.
    private static let examples: [String: (found: [String], fine: [String])] = [
        "cloudkit-container": (
            ["let c = NSPersistentCloudKitContainer(name: \"A\")"], ["let c = NSPersistentContainer(name: \"A\")"]
        ),
        "core-spotlight": (["var d: NSCoreDataCoreSpotlightDelegate?"], ["// NSCoreDataCoreSpotlightDelegate"]),
        "swiftui-fetch": (
            ["@FetchRequest(sortDescriptors: []) var books: FetchedResults<Book>"],
            ["let FetchRequest = 1", "struct FetchRequest {}\n@FetchRequest var a: Int"]
        ),
        "diffable-snapshot": (
            ["func f(_ s: NSDiffableDataSourceSnapshotReference) {}"],
            ["#if canImport(UIKit)\nfunc f(_ s: NSDiffableDataSourceSnapshotReference) {}\n#endif"]
        ),
        "momd-of-main-bundle": (
            ["Bundle.main.url(forResource: \"A\", withExtension: \"momd\")"],
            ["Bundle.module.url(forResource: \"A\", withExtension: \"momd\")", "Bundle.main.bundleURL"]
        ),
        "optional-requirement": (
            [
                "@objc protocol P { @objc optional func f() -> Int }",
                "protocol P { @objc optional var a: Int { get } }",
            ],
            [
                "let optional = a.optional", "func optional() {}", "let a = b.optional\nvar c = 1",
                "enum A { case optional\n var b: Int { 1 } }", "@objc protocol P { @objc optional func f() }",
            ]
        ),
        "selector": (
            ["button.addTarget(self, action: #selector(tap), for: .touchUpInside)"],
            [
                "NSSortDescriptor(key: \"a\", ascending: true, selector: #selector(NSString.localizedStandardCompare(_:)))",
                "class A { func f() { center.addObserver(self, selector: #selector(g), name: n, object: nil) } }",
            ]
        ),
        "nested-class-name": (
            ["entity.managedObjectClassName = NSStringFromClass(Schema.Book.self)"],
            [
                "NSStringFromClass(Book.self)", "NSStringFromClass(type(of: a))", "NSStringFromClass(M.Book.self)",
                "import Kit\nlet n = NSStringFromClass(Kit.Book.self)", "String(reflecting: Schema.Book.self)",
            ]
        ),
        "perform-selector": (
            [
                "perform(#selector(f))", "if a.responds(to: s) {}", "A.instancesRespond(to: s)",
                "NSSelectorFromString(\"f\")",
            ],
            ["context.perform { }", "context.performAndWait { }"]
        ),
        "class-from-string": (["NSClassFromString(\"A\")"], ["type.NSClassFromString(1)"]),
        "objective-c-runtime": (
            ["method_exchangeImplementations(a, b)"],
            [
                "objc_setAssociatedObject(a, &k, b, .OBJC_ASSOCIATION_RETAIN)",
                "#if canImport(ObjectiveC)\nobjc_getClass(\"A\")\n#endif",
            ]
        ),
        "key-value-observing": (
            ["book.observe(\\.title, options: [.new]) { _, _ in }"], ["store.observe(title)", "observe(\\.title)"]
        ),
        "observe-value": (
            ["override func observeValue(forKeyPath p: String?) {}"],
            [
                "class A: NSObject { override func observeValue(forKeyPath p: String?) {} }",
                "book.willChangeValue(forKey: \"a\")", "let c: [NSKeyValueChangeKey: Any]",
            ]
        ),
        "interface-builder": (["@IBOutlet var label: Label!", "@IBAction func tap() {}"], ["let IBOutlet = 1"]),
        "error-pointer": (["func f(_ e: NSErrorPointer) {}"], ["func f(_ e: NSError) throws {}"]),
        "exception": (["NSException(name: n, reason: nil).raise()"], ["NSExceptionHandler()"]),
        "progress-observing": (
            [
                "progress.observe(\\.fractionCompleted) { _, _ in }",
                "p.observe(\\Progress.isFinished, options: .new) { f($0) }",
                "p.publisher(for: \\.completedUnitCount)",
            ],
            ["progress.fractionCompleted", "a.observe(\\.title) {}", "p.observe(\\Task.isFinished) {}"]
        ),
        "foundation-networking": (
            ["let s = URLSession.shared"],
            [
                "import FoundationNetworking\nlet s = URLSession.shared",
                "#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\nlet s = URLSession.shared",
                "let u = URL(fileURLWithPath: \"/\")",
            ]
        ),
        "foundation-xml": (["let p = XMLParser(data: d)"], ["import FoundationXML\nlet p = XMLParser(data: d)"]),
        "format-arguments": (
            ["func f(_ list: CVaListPointer) {}"], ["withVaList([1]) { NSPredicate(format: f, arguments: $0) }"]
        ),
        "app-group": (
            ["FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: \"g\")"], ["let u = containerURL"]
        ),
        "icloud": (
            ["NSUbiquitousKeyValueStore.default", "if FileManager.default.ubiquityIdentityToken != nil {}"],
            ["let a = ubiquityIdentityToken"]
        ),
        "file-coordination": (["let c = NSFileCoordinator()"], ["let c = FileCoordinator()"]),
        "file-protection": (
            ["[.protectionKey: FileProtectionType.complete]"], ["let protectionKey = 1"]
        ),
        "missing-formatter": (
            ["let f = ListFormatter()"], ["let f = ByteCountFormatter()", "struct ListFormatter {}"]
        ),
        "missing-class": (["let d = NSItemProvider()"], ["let d = Progress()"]),
        "expiring-activity": (
            ["ProcessInfo.processInfo.performExpiringActivity(withReason: r) { _ in }"],
            ["func performExpiringActivity() {}"]
        ),
        "absolute-time": (["let t = CACurrentMediaTime()"], ["let t = CFAbsoluteTimeGetCurrent()"]),
        "combine": (
            ["class A: ObservableObject {}", "@Published var a = 1", "center.publisher(for: .x)"],
            ["@Observable class A {}", "let publisher = 1"]
        ),
        "logging": (
            ["os_log(\"a\")", "let l = OSLog.default"],
            ["log.os_log(1)", "import os\nos_log(\"a\")", "var l = os_unfair_lock()"]
        ),
        "linked-framework": ([".linkedFramework(\"CoreData\")"], [".linkedLibrary(\"z\")"]),
    ]

    private func read(_ text: String, declared: Set<String> = []) -> PortedFile {
        let source = ManagedSource(path: "a.swift", bytes: Array(text.utf8), isExcluded: true)
        return PortedFile(
            source, SourceRewriter(moduleName: "M", models: [], sources: [source]), declared: declared.contains)
    }

    private func found(_ text: String, _ id: String) -> Bool {
        let declared = Set(text.contains("struct ") ? ["ListFormatter", "FetchRequest"] : [])
        return read(text, declared: declared).findings.contains { $0.id == id }
    }

    @Test func everyPatternHasExamples() {
        #expect(Set(PortPatterns.all.map(\.id)) == Set(Self.examples.keys))
        #expect(Set(PortPatterns.all.map(\.id)).count == PortPatterns.all.count)
    }

    @Test(arguments: examples.keys.sorted())
    func findsWhatItIsAboutAndNothingElse(_ id: String) throws {
        let example = try #require(Self.examples[id])
        for text in example.found { #expect(found(text, id), "\(text)") }
        for text in example.fine { #expect(!found(text, id), "\(text)") }
    }

    @Test func codeThatIsLeftOutOnLinuxDoesNotCount() {
        let text = """
            #if canImport(UIKit)
            import UIKit
            #elseif os(macOS)
            import AppKit
            #else
            import Foundation
            #endif
            #if DEBUG && os(iOS)
            import SwiftUI
            #endif
            #if !os(Linux)
            let c = NSFileCoordinator()
            @objc class A {}
            #endif
            """
        let file = read(text)
        #expect(file.effort == .untouched)
        #expect(file.missingImports.isEmpty && file.findings.isEmpty && file.rewrites.isEmpty)
    }

    @Test func importsOfFrameworksAreFoundInEveryForm() {
        let text = """
            @preconcurrency import UIKit
            import class SwiftUI.Font
            import struct Combine.Just
            import CoreData
            import CoreData.NSManagedObject
            import Alamofire
            #if FLAG
            import WebKit
            #endif
            var color: UIColor?, view: WKWebView?
            """
        let file = read(text)
        #expect(file.missingImports.map(\.module) == ["UIKit", "SwiftUI", "Combine", "WebKit"])
        #expect(file.missingImports.map(\.position.line) == [1, 2, 3, 8])
        #expect(file.effort == .framework)
    }

    /// A module of the project may have the name of a framework.
    @Test func modulesOfTheProjectAreNotMissing() {
        let file = read("import Network\n", declared: ["Network"])
        #expect(file.missingImports.isEmpty)
    }

    @Test func rewrittenCodeNeedsNoEdit() {
        let text = """
            @objc(Book) class Book: NSManagedObject {
                override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
                    super.init(entity: entity, insertInto: context)
                }
            }
            extension Book {
                override func awakeFromInsert() { f(#keyPath(Book.title)) }
                func g() -> NSSortDescriptor {
                    NSSortDescriptor(key: "a", ascending: true, selector: #selector(NSString.compare(_:)))
                }
            }
            """
        let file = read(text)
        let requested: Set<SourceRewriter.Edit.Kind> = [
            .attribute, .requiredInitializer, .override, .keyPath, .selector,
        ]
        #expect(Set(file.rewrites.map(\.kind)).isSuperset(of: requested))
        #expect(file.findings.isEmpty)
        #expect(file.effort == .rewritten)
    }

    @Test func storesWithOtherInitializersNeedARewrite() {
        let file = read("class A: NSAtomicStore { init(file: String) { f() } }")
        #expect(file.rewrites.map(\.kind) == [.requiredInitializer])
        #expect(file.effort == .rewritten)
    }

    /// Xcode writes `@nonobjc` in every properties file.
    @Test func theAttributeNonobjcNeedsNoRewrite() {
        let text = "extension Book { @nonobjc class func fetchRequest() -> NSFetchRequest<Book> { f() } }"
        #expect(read(text).effort == .untouched)
    }

    @Test func aRequiredInitializerNeedsNoRewrite() {
        let text =
            "class A { required override init(entity: E, insertInto c: C?) {} ; override required init(entity: E, insertInto c: C?) {} }"
        #expect(read(text).effort == .untouched)
    }
}
