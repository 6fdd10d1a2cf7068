import ModelSchema
import Testing

@Suite struct ClassNameTests {
    /// The forms of Documentation/Formats/ModelSource.md, 4.3.
    @Test(arguments: [
        ("Book", "Book", ClassName.Module.none),
        (".Book", "Book", .currentProduct),
        ("Kit.Book", "Book", .named("Kit")),
        ("A.B.Book", "Book", .named("A.B")),
    ])
    func removesTheModule(text: String, name: String, module: ClassName.Module) {
        #expect(ClassName(text).name == name)
        #expect(ClassName(text).module == module)
        #expect(ClassName(text).isCustom)
    }

    @Test(arguments: ["", "NSManagedObject", ".NSManagedObject"])
    func recognizesMissingClasses(text: String) {
        #expect(!ClassName(text).isCustom)
    }
}

@Suite struct SwiftIdentifierTests {
    @Test(arguments: ["a", "_a", "Book2", "größe", "名前", "i_targets", "😁", "class"])
    func acceptsSwiftIdentifiers(name: String) {
        #expect(SwiftIdentifier.isValid(name))
    }

    @Test(arguments: [
        "", "_", "1a", "a b", "a-b", "$0", "a.b", "a\n", "a\"", "a/b", "..", "a;b", "`a`", "a\u{202E}b", "a\u{0}",
        "\u{301}a",
    ])
    func rejectsOtherNames(name: String) {
        #expect(!SwiftIdentifier.isValid(name))
    }

    @Test func quotesKeywordsOnly() {
        #expect(SwiftIdentifier.declared("repeat") == "`repeat`")
        #expect(SwiftIdentifier.declared("open") == "open")
    }

    /// Documentation/Formats/XcodeSwift.md, 5: `Photo_Club_Hub` → `PhotoClubHub`.
    @Test func shortensModelNames() {
        #expect(SwiftIdentifier.prefix(from: "Photo_Club_Hub") == "PhotoClubHub")
        #expect(SwiftIdentifier.prefix(from: "PBXModel") == "PBXModel")
        #expect(SwiftIdentifier.prefix(from: "My Model-2") == "MyModel2")
        #expect(SwiftIdentifier.prefix(from: "2nd") == "_2nd")
        #expect(SwiftIdentifier.prefix(from: "- -") == "Model")
    }

    @Test func escapesStringLiterals() {
        #expect(SwiftIdentifier.stringLiteral("Book") == #""Book""#)
        #expect(SwiftIdentifier.stringLiteral(#"a"\(b)"#) == #""a\"\\(b)""#)
        #expect(SwiftIdentifier.stringLiteral("a\nb\u{0}\u{2028}") == #""a\nb\u{0}\u{2028}""#)
    }
}

@Suite struct AttributeTypeTests {
    @Test(arguments: AttributeType.allCases)
    func attributeTypesRoundTrip(type: AttributeType) {
        #expect(AttributeType(xmlValue: type.xmlValue) == type)
    }

    @Test func rejectsUnknownTypes() {
        #expect(AttributeType(xmlValue: "Integer") == nil)
    }
}
