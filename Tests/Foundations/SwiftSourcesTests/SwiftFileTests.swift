import SwiftSources
import TestSupport
import Testing

@Suite struct SwiftFileTests {
    private func classes(_ source: String) -> [String: Int] {
        let found = SwiftFile(Array(source.utf8)).types.filter { $0.kind == .class && !$0.isLocal }
        return Dictionary(found.map { ($0.path.joined(separator: "."), $0.line) }) { first, _ in first }
    }

    @Test func classesInCommentsAndStringsAreIgnored() {
        let source = #"""
            import Foundation
            // class Commented {}
            /* class /* nested */ Blocked */
            @objc(Book) public final class Book: NSManagedObject {
                class func make() -> Book { Book() }
                class var shared = "class Texted \(1)"
                let raw = #"class Raw "quoted" "#
                func text() { class Local {} }
                class Inner: NSManagedObject {}
            }
            let text = """
                class Multiline "" {}
                """
            class `Self`<T> where T: AnyObject {}
            extension Author {}
            actor Writer {}
            protocol P: class {}
            class Éditeur {}
            let kind = Kind.class
            """#
        #expect(classes(source) == ["Book": 4, "Book.Inner": 9, "Self": 14, "Éditeur": 18])
    }

    @Test(arguments: [
        "\"", "\"\"\"", "/*", "#\"", "\\", "class", "class \"", "`", "\"\\", "\"\\(", "#if", "@", "@NSManaged",
        "class A { @NSManaged var", "class A { @NSManaged var a:", "class A { @NSManaged func",
        "class A { @NSManaged func a(",
        "class A { @NSManaged func a(_ b:", "extension", "#keyPath(", "import", "{}}}}", "#else", "typealias A =",
        "class A { @NSManaged var a: Set<", "class A { @NSManaged var a: (((", "/", "#/", "##",
    ])
    func unfinishedCodeIsPassedOver(_ text: String) {
        let file = SwiftFile(Array(text.utf8))
        #expect(file.managedFunctions.allSatisfy { $0.isUnusual && $0.end <= text.utf8.count })
    }

    @Test(.randomized) func aFileMayContainAnyBytes() {
        var generator = Seeds.generator()
        let parts = [
            "class ", "A", "{", "}", "@NSManaged ", "var ", "func ", ":", "\"", "\\(", ")", "(", "<", ">", "\n", "#if ",
            "#endif", "#else\n", "/*", "*/", "//", "`", "é", "?", "[", "]", ",", "import ", "#", "extension ",
            "private(set) ", "/",
        ]
        for _ in 0..<3000 {
            let text = (0..<40).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            let bytes = Array(text.utf8)
            let file = SwiftFile(bytes)
            for property in file.managedProperties { #expect(bytes.indices.contains(property.nameRange.lowerBound)) }
            for function in file.managedFunctions { #expect(function.end <= bytes.count) }
        }
    }

    // MARK: Properties

    private func properties(_ source: String) -> [String] {
        let bytes = Array(source.utf8)
        return SwiftFile(bytes).managedProperties.map { property in
            let type = String(decoding: bytes[property.typeRange], as: UTF8.self)
            let access = [property.access, property.setterAccess.map { $0 + "(set)" }].compactMap { $0 }.joined(
                separator: " ")
            return "\(property.context.path.joined(separator: ".")) \(access) \(property.name): \(type)"
        }
    }

    @Test func propertiesOfClassesAndExtensions() {
        let source = """
            import CoreData

            final class Book: NSManagedObject {
                @NSManaged var title: String?
                @NSManaged public private(set) var date : Date // a comment
                @NSManaged
                nonisolated
                public var
                    pages: Set<Page>
                @NSManaged var a: Int16, b: [String: Any]?
                var computed: Int { 3 }
                @NSManaged fileprivate var `repeat`: Swift.Bool; let x = 1
                lazy var other: String = { "@NSManaged var no: Int" }()
                enum Status: Int16 { case draft }
                @NSManaged var status: Status
                class Inner: NSManagedObject { @NSManaged var book: Book! }
            }
            public extension Book {
                @objc @NSManaged var late: NSSet?
            }
            """
        #expect(
            properties(source) == [
                "Book  title: String?", "Book public private(set) date: Date", "Book public pages: Set<Page>",
                "Book  a: Int16", "Book  b: [String: Any]?", "Book fileprivate repeat: Swift.Bool",
                "Book  status: Status",
                "Book.Inner  book: Book!", "Book  late: NSSet?",
            ])
        #expect(SwiftFile(Array(source.utf8)).managedProperties.last?.context.extensionAccess == "public")
    }

    @Test func conditionsOfTheCompilerAreEvaluatedForLinux() {
        let source = """
            class A: NSManagedObject {
            #if canImport(ObjectiveC)
                @objc(one) @NSManaged var one: Int16
            #elseif os(Linux) && !DEBUG
                @NSManaged var two: Int16
            #else
                @NSManaged var three: Int16
            #endif
            #if os(Linux) || canImport(Darwin)
                @NSManaged var four: Int16
            #if false
                @NSManaged var five: Int16
            #endif
            #else
                @NSManaged var six: Int16
            #endif
            #if (os(macOS) || os(iOS)) && swift(>=5.9)
                class NoBook { "
            #endif
                @NSManaged var seven: Int16
            }
            """
        let file = SwiftFile(Array(source.utf8))
        #expect(file.managedProperties.map(\.name) == ["two", "three", "four", "seven"])
        #expect(file.managedProperties.map(\.isUncertain) == [true, true, false, false])
        #expect(file.objectiveCAttributes.isEmpty)
        #expect(file.types.map(\.path) == [["A"]])
    }

    @Test func textsAndRegularExpressionsHideBraces() {
        let source = #"""
            class A: NSManagedObject {
                func f() -> String { "}\(g("}", ["}": "\(1)}"]))}" }
                let a = /}"[/]"/
                let b = 6 / 2, c = (4) / 2
                let d = #/ } /#
                let e = ##"}"#}"##
                @NSManaged var title: String?
            }
            """#
        #expect(properties(source) == ["A  title: String?"])
    }

    @Test func importsAreReadWithTheirModifiers() {
        let source = """
            public import Foundation
            @preconcurrency import CoreData
            import struct Foundation.Date; import Shop
            func f(import: Int) {}
            """
        let imports = SwiftFile(Array(source.utf8)).imports
        #expect(
            imports.map(\.text) == [
                "public import Foundation", "@preconcurrency import CoreData", "import struct Foundation.Date",
                "import Shop",
            ])
        #expect(imports.map(\.module) == ["Foundation", "CoreData", "Foundation", "Shop"])
    }

    // MARK: Functions, Objective-C

    @Test func functionsAndAttributes() throws {
        let source = """
            @objc(Book) @objcMembers class Book: NSManagedObject {}
            extension Book {
                @objc(insertObject:inPagesAtIndex:)
                @NSManaged public func insertIntoPages(_ value: Page, at idx: Int)

                @NSManaged func odd(_ a: Int = 3) throws -> Int
                func path() -> String { #keyPath(Book.author.name) }
            }
            """
        let bytes = Array(source.utf8)
        let file = SwiftFile(bytes)
        let texts = file.objectiveCAttributes.map { String(decoding: bytes[$0], as: UTF8.self) }
        #expect(texts == ["@objc(Book)", "@objcMembers", "@objc(insertObject:inPagesAtIndex:)"])
        #expect(file.keyPaths.map(\.path) == [["Book", "author", "name"]])
        let function = try #require(file.managedFunctions.first)
        #expect(function.name == "insertIntoPages")
        #expect(function.parameters.map(\.label) == [nil, "at"])
        #expect(function.parameters.map(\.name) == ["value", "idx"])
        #expect(!function.isUnusual)
        #expect(String(decoding: bytes[..<function.end].suffix(8), as: UTF8.self) == "dx: Int)")
        #expect(file.managedFunctions.last?.isUnusual == true)
    }

    // MARK: Types

    @Test(arguments: [
        ("Date", "named"), ("Date?", "optional"), ("[Int]", "array"), ("[String: Any]", "dictionary"),
        ("Set<Book>?", "optional"), ("Optional<Date>", "optional"), ("Foundation.Date", "named"),
        ("(Int, Int)", "other"),
        ("(Date)?", "optional"), ("any P", "other"), ("A & B", "other"), ("() -> Void", "other"),
        ("Date.Type", "other"),
        ("Swift.Array<Int>", "array"), ("@Sendable (Int) async throws -> Void", "other"),
        ("[[Set<[A.B<C>]>]]", "array"),
    ])
    func types(_ text: String, kind: String) {
        let source = "class A { @NSManaged var a: \(text)\n var b: Int }"
        let property = SwiftFile(Array(source.utf8)).managedProperties.first
        #expect(property?.type.map { "\($0)".prefix { $0 != "(" } } == kind[...])
        #expect(properties(source) == ["A  a: \(text)"])
    }

    /// Deeper types have short paths: otherwise, the sum of the lengths would grow with the square of the depth.
    @Test func pathsOfNestedTypesAreBounded() {
        let lengths = [2000, 4000].map { depth in
            let text = String(repeating: "class A<T> {\n", count: depth) + String(repeating: "}\n", count: depth)
            let file = SwiftFile(Array(text.utf8))
            #expect(file.types.count == depth)
            return file.types.map(\.path.count).reduce(0, +)
        }
        #expect(lengths[1] - lengths[0] == 2000)
    }
}
