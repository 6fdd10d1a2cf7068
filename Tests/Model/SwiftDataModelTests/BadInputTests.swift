import Diagnostics
import SwiftDataModel
import Testing

/// Sources that cannot be read: each kind has a message with its location and a suggestion, and yields no model.
@Suite struct BadInputTests {
    /// Expects exactly these errors, as `file:line:column: message`, and no model.
    private func expectErrors(
        _ expected: [String], help: String, in texts: [String],
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        expectErrors(expected, help: help, in: texts.map { Array($0.utf8) }, sourceLocation: sourceLocation)
    }

    private func expectErrors(
        _ expected: [String], help: String, in files: [[UInt8]],
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let names = ["a.swift", "b.swift"]
        let sources = SwiftDataSources(zip(names, files).map { SwiftSourceFile(path: $0, bytes: $1) })
        let messages = sources.findings.map { finding in
            let span = finding.range.map { "\($0.start.line):\($0.start.column)" } ?? "-"
            return "\(finding.file ?? "-"):\(span): \(finding.message)"
        }
        #expect(messages == expected, sourceLocation: sourceLocation)
        #expect(sources.versions.isEmpty, sourceLocation: sourceLocation)
        #expect(
            sources.findings.contains { $0.help?.contains(help) == true }, "\(sources.findings.map(\.help))",
            sourceLocation: sourceLocation)
        #expect(sources.findings.allSatisfy { $0.severity == .error }, sourceLocation: sourceLocation)
    }

    @Test func aMissingBraceIsAnError() {
        expectErrors(
            ["a.swift:1:19: the body of “Book” is not closed"], help: "so that it compiles",
            in: ["@Model class Book {\n    var title: String\n"])
        expectErrors(
            ["a.swift:3:1: a closing brace has no opening brace"], help: "so that it compiles",
            in: ["@Model class Book {\n    var title: String }\n}\n"])
    }

    @Test func anUnclosedStringIsAnError() {
        expectErrors(
            ["a.swift:2:17: the string in the initial value of “Book.title” is not closed"],
            help: "so that it compiles", in: ["@Model class Book {\n    var title = \"abc\n    var x: Int\n}\n"])
    }

    @Test func anUnclosedConditionIsAnError() {
        expectErrors(
            ["a.swift:2:5: an “#if” has no “#endif”"], help: "so that it compiles",
            in: ["@Model class Book {\n    #if canImport(SwiftData)\n    var x: Int\n}\n"])
    }

    @Test func unknownMacrosAreErrors() {
        expectErrors(
            ["a.swift:2:5: “#Fields” in “Book” may declare properties"], help: "write the properties out",
            in: ["@Model class Book {\n    #Fields(\"a\")\n    var title: String\n}\n"])
        expectErrors(
            ["a.swift:2:5: “Book.title” has the attribute “@Encrypted”, which may change how it is stored"],
            help: "remove the attribute", in: ["@Model class Book {\n    @Encrypted var title: String\n}\n"])
    }

    @Test func anUnresolvedTypeIsAnError() {
        expectErrors(
            [
                "a.swift:2:9: the type of “Book.color” is not declared in the sources, and how SwiftData stores it is unknown"
            ],
            help: "add the file that declares it", in: ["@Model class Book {\n    var color: Color\n}\n"])
    }

    @Test func aGenericTypeIsAnError() {
        expectErrors(
            ["a.swift:2:9: “Book.box” cannot be stored: “Box” is generic (b.swift:2)"],
            help: "convert it in a computed property",
            in: [
                "@Model class Book {\n    var box: Box<Int>\n}\n",
                "\nstruct Box<T: Codable>: Codable { var value: T }\n",
            ])
    }

    @Test func aProtocolAsTypeIsAnError() {
        expectErrors(
            [
                "a.swift:2:9: “Book.shape” cannot be stored: its type is a protocol, a tuple or a function",
                "a.swift:3:9: “Book.other” cannot be stored: “Shape” is a protocol (b.swift:1)",
            ],
            help: "compute the value",
            in: ["@Model class Book {\n    var shape: any Shape\n    var other: Shape\n}\n", "protocol Shape {}\n"])
    }

    @Test func twoClassesWithOneNameAreAnError() {
        expectErrors(
            ["a.swift:1:14: “Book” is declared twice; the other declaration is at b.swift:2"],
            help: "nest each class in the `VersionedSchema`",
            in: ["@Model class Book { var x: Int }\n", "\n@Model class Book { var y: Int }\n"])
        expectErrors(
            ["a.swift:1:25: “Book.price” cannot be stored: “Price” is declared twice (a.swift:2 and b.swift:1)"],
            help: "leave out the file",
            in: [
                "@Model class Book { var price: Price }\nstruct Price: Codable { var a: Int }\n",
                "struct Price: Codable { var b: Int }\n",
            ])
    }

    @Test func branchesThatDifferAreAnError() {
        expectErrors(
            ["a.swift:3:9: “Book.x” depends on `#if BETA`", "a.swift:5:9: “Book.x” depends on `#if BETA`"],
            help: "`--define NAME[=false]`",
            in: ["@Model class Book {\n    #if BETA\n    var x: Int\n    #else\n    var x: String\n    #endif\n}\n"])
        expectErrors(
            ["b.swift:1:25: “Book.p” cannot be stored: “P” depends on `#if BETA` (a.swift:2 and a.swift:4)"],
            help: "`--define NAME[=false]`",
            in: [
                "#if BETA\nstruct P: Codable { var x: Int }\n#else\nstruct P: Codable { var x: Bool }\n#endif\n",
                "@Model class Book { var p: P }\n",
            ])
        expectErrors(
            ["a.swift:2:14: “Book” depends on `#if BETA`"], help: "`--define NAME[=false]`",
            in: ["#if BETA\n@Model class Book { var x: Int }\n#else\n@Model class Book { var x: Bool }\n#endif\n"])
    }

    @Test func enormousLiteralsAreReadOrRejected() throws {
        expectErrors(
            ["a.swift:1:25: the initial value of “Book.x” is too large for any number type"],
            help: "a number that fits the type",
            in: ["@Model class Book { var x: Int = \(String(repeating: "9", count: 100_000)) }\n"])
        expectErrors(
            ["a.swift:1:25: the type of “Book.x” cannot be determined from its initial value"],
            help: "write the type: `var x: …`",
            in: [
                "@Model class Book { var x = \(String(repeating: "[", count: 5_000))\(String(repeating: "]", count: 5_000)) }\n"
            ])
        let text = String(repeating: "a", count: 200_000)
        let long = SwiftDataSources([
            SwiftSourceFile(
                path: "a.swift", bytes: Array("@Model class Book { var x = \"\(text)\"; var y = 0x10 }".utf8))
        ])
        #expect(try #require(long.versions.first).model.entities[0].attributes.map(\.defaultValue) == [text, "16"])
    }

    @Test func textThatIsNotUTF8IsAnError() {
        expectErrors(
            ["a.swift:2:20: the file is not UTF-8"], help: "save it as UTF-8",
            in: [Array("@Model class Book {\n    var x: Int // a".utf8) + [0xE9, 0x0A] + Array("}\n".utf8)])
    }
}
