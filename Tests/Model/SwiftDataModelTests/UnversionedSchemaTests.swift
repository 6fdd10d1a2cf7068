import SwiftDataModel
import Testing

/// The models of a schema without versions: those that a list names, or all.
@Suite struct UnversionedSchemaTests {
    private func read(_ texts: [String]) -> SwiftDataSources {
        SwiftDataSources(
            texts.enumerated().map { SwiftSourceFile(path: "\($0.offset).swift", bytes: Array($0.element.utf8)) })
    }

    private static let twoItems = """
        @Model class Item { var name = ""; var shelf: Shelf? }
        @Model class Shelf { var label = "" }
        @Model class Draft { var text = "" }
        enum Old { @Model class Item { var count = 0 } }

        """

    private func entities(_ code: String) -> [String]? {
        read([Self.twoItems + code]).versions.first?.model.entities.map(\.name)
    }

    @Test(arguments: [
        "let s = Schema([Item.self])", "func f() { let schema = Schema([Item.self], version: .init(1, 0, 0)) }",
        "let s = SwiftData.Schema(Common.models)\nenum Common { static let models: [any PersistentModel.Type] = [Item.self] }",
        "struct S { static let all: [any PersistentModel.Type] = [Item.self]\nfunc f() { _ = Schema(Self.all + [Shelf.self]) } }",
        "let c = try ModelContainer(for: Item.self, Shelf.self, configurations: ModelConfiguration())",
        "struct A: App { var body: some Scene { WindowGroup { V() }.modelContainer(for: Item.self) } }",
        "struct A: App { var body: some Scene { WindowGroup { V() }.modelContainer(for: [Item.self, Shelf.self]) } }",
        "func f() { let s = Schema([Item.self])\n_ = try ModelContainer(for: s, configurations: []) }",
        "#Preview { V().modelContainer(for: Shelf.self, inMemory: true) }\nfunc f() { _ = Schema([Item.self]) }",
        "extension Old { static func f() { _ = Schema([Shelf.self]); _ = ModelContainer(for: Schema([Old.Item.self])) } }",
    ])
    func theModelsOfASchemaAreThoseThatItLists(code: String) throws {
        // The others, such as another class of the same name, do not belong to the schema; destinations do.
        let found = try #require(entities(code))
        #expect(found.sorted() == ["Item", "Shelf"])
        #expect(read([Self.twoItems + code]).findings.map(\.message) == [])
    }

    @Test(arguments: [
        "", "#Preview { V().modelContainer(for: Item.self, inMemory: true) }",
        "let c = ModelContainer(for: Item.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))",
        "let s = Schema([Item.self]); let t = Schema(models)", "let s = Schema([Item.self, Elsewhere.self])",
        "let s = Schema(versionedSchema: Elsewhere.self); let t = Schema([Item.self])",
        "let s = Schema([Item.self]); let t = Schema([Old.Item.self])",
        "#if os(Linux)\nlet s = Schema([Item.self])\n#endif",
        "class Schema { init(_ x: Any) {} }; let s = Schema([Item.self])",
    ])
    func withoutACertainListAllModelsBelongToTheSchema(code: String) {
        #expect(entities(code) == nil)
        #expect(
            read([Self.twoItems + code]).findings.map(\.message).first?.hasPrefix("two models of one schema") == true)
    }

    @Test func modelsThatNoSchemaListsAreReported() {
        let text = "@Model class A { var x = 0 }\n@Model class B { var x = 0 }\nlet s = Schema([A.self])"
        let read = SwiftDataSources([SwiftSourceFile(path: "a.swift", bytes: Array(text.utf8))], lints: true)
        #expect(read.versions.first?.findings.map(\.message) == ["no schema in the sources has the model “B”"])
    }

    @Test func unknownModelsOfAListAreOneError() {
        let names = (0..<20).map { "Kit.M\($0).self" }.joined(separator: ", ")
        let version = { (name: String) in
            "enum \(name): VersionedSchema { static let versionIdentifier = Schema.Version(1, 0, 0)\n"
                + "static var models: [any PersistentModel.Type] { Common.all } }\n"
        }
        let common = "enum Common { static let all: [any PersistentModel.Type] = [\(names)] }\n"
        #expect(
            read([version("V1") + version("V2") + common]).findings.map(\.message) == [
                "20 models of “Common” are not declared in the sources: "
                    + "“Kit.M0”, “Kit.M1”, “Kit.M2”, “Kit.M3”, “Kit.M4” and 15 more"
            ])
    }
}
