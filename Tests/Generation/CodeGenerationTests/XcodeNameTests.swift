import Testing

@testable import CodeGeneration

/// The code style of each version of Xcode (Documentation/Formats/XcodeSwift.md, 7, and XcodeObjectiveC.md, 1).
@Suite struct XcodeNameTests {
    @Test(arguments: [
        ("xcode8", CodeStyle.xcode8), ("xcode9", .xcode9), ("xcode10", .xcode9), ("xcode11", .xcode11),
        ("xcode12", .xcode12),
        ("xcode13", .xcode12), ("xcode14", .xcode12), ("xcode15", .xcode12), ("xcode16", .xcode12),
        ("xcode26", .xcode26),
        ("xcode27", .xcode27),
    ])
    func everyXcodeHasASwiftStyle(name: String, style: CodeStyle) {
        #expect(CodeStyle(xcode: name) == style)
    }

    @Test(arguments: [
        ("xcode9.3", ObjectiveCStyle.xcode9_3), ("xcode10", .xcode9_3), ("xcode12", .xcode9_3), ("xcode13", .xcode13),
        ("xcode16", .xcode13), ("xcode26", .xcode13),
    ])
    func everyXcodeHasAnObjectiveCStyle(name: String, style: ObjectiveCStyle) {
        #expect(ObjectiveCStyle(xcode: name) == style)
    }

    @Test(arguments: ["", "xcode", "xcode7", "xcode17", "xcode25", "xcode013", "xcode１３", "Xcode13", "13", "xcode13.1"])
    func otherNamesAreRejected(name: String) {
        #expect(CodeStyle(xcode: name) == nil)
    }
}
