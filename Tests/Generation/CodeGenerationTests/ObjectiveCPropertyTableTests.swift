import Testing

@testable import CodeGeneration

/// The table of properties that Apple's runtime finds by name.
@Suite struct ObjectiveCPropertyTableTests {
    private func text(_ source: String, imports: String = "import CoreData") -> String {
        let source = ManagedSource(path: "/p/Book.swift", bytes: Array("\(imports)\n\(source)".utf8), isExcluded: true)
        return ManagedCode(moduleName: "Shop", models: [], sources: [source]).accessorsFile(named: "x")
    }

    @Test(arguments: [
        ("@objc var name: String { \"\" }", #"(\Book.name, "name")"#),
        ("@objc(isFresh) public var fresh: Bool { true }", #"(\Book.fresh, "isFresh")"#),
        ("@objc dynamic private(set) var `class` = 0", #"(\Book.`class`, "class")"#),
        ("@NSManaged var primitiveKind: Int16", #"(\Book.primitiveKind, "primitiveKind")"#),
    ])
    func propertiesAreListedWithTheirNames(declaration: String, entry: String) {
        for superclass in ["NSManagedObject", "NSObject"] {
            let found = text("class Book: \(superclass) { \(declaration) }")
            #expect(found.contains("override class var properties: [Property] {") && found.contains(entry), "\(found)")
        }
        #expect(text("class Book: NSObject {}\nextension Book { \(declaration) }").contains(entry))
    }

    @Test(arguments: [
        "class Book: NSManagedObject { @NSManaged var name: String }", "class Book: NSObject { var name = 0 }",
        "class Book: NSObject { @objc private var name: Int { 0 } }",
        "class Book: NSObject { @objc static var name: Int { 0 } }",
        "class Book: NSObject { @objc override var description: String { \"\" } }",
        "class Book<T>: NSObject { @objc var name: Int { 0 } }",
        "private class Book: NSObject { @objc var name: Int { 0 } }",
        "@MainActor class Book: NSObject { @objc var name: Int { 0 } }",
        "class Book: NSObject { @MainActor @objc var name: Int { 0 } }",
        "@objc protocol Book { @objc var name: Int { get } }", "extension NSObject { @objc var name: Int { 0 } }",
        "class Book: NSObject { @objc func name() {} }",
    ])
    func othersAreNotListed(source: String) {
        #expect(!text(source).contains("_ObjectiveCProperties"))
    }

    @Test func subclassesHaveTheInheritedNames() {
        let found = text(
            """
            class Book: NSObject { @objc(isNew) var new: Bool { true } }
            enum Old { class Novel: Book {} }
            class Sequel: Old.Novel {}
            private class Secret: Book {}
            @MainActor class Screen: Book {}
            class Volume<T>: Book {}
            class Other: NSObject {}
            """)
        let entries = found.split(separator: "\n").filter { $0.contains("isNew") }.map { $0.drop { $0 != "\\" } }
        #expect(
            entries.map { $0.prefix { $0 != "," } } == [#"\Book.new"#, #"\Old.Novel.new"#, #"\Sequel.new"#], "\(found)")
    }

    @Test func aTargetThatDoesNotImportTheModuleHasNoTable() {
        #expect(
            !text("class Book: NSObject { @objc var name: Int { 0 } }", imports: "").contains("_ObjectiveCProperties"))
    }
}
