import Foundation
import Testing

@testable import ProjectConfiguration

/// The parser of settings files, compared with libyaml: it reads every accepted document like libyaml.
@Suite struct YAMLSubsetTests {
    /// A document and libyaml's result; the value is `nil` if libyaml rejects the document.
    private struct Case {
        var name: String
        var text: String
        var value: Value?
    }

    /// A value without its range.
    private indirect enum Value: Equatable, Sendable {
        case scalar(String)
        case sequence([Value])
        case mapping([Pair])

        struct Pair: Equatable, Sendable {
            var key: String
            var value: Value
        }

        init(_ node: YAMLSubset.Node) {
            self =
                switch node {
                case .scalar(let text, _): .scalar(text)
                case .sequence(let items, _): .sequence(items.map { Value($0) })
                case .mapping(let members, _): .mapping(members.map { Pair(key: $0.key, value: Value($0.value)) })
                }
        }

        init(json: Any) throws {
            if let text = json as? String {
                self = .scalar(text)
            } else if let items = json as? [Any] {
                self = .sequence(try items.map { try Value(json: $0) })
            } else {
                let pairs = try #require((json as? [String: Any])?["map"] as? [[Any]])
                self = .mapping(
                    try pairs.map { Pair(key: try #require($0[0] as? String), value: try Value(json: $0[1])) })
            }
        }
    }

    /// Returns the cases in a file with a JSON object on each line (`Scripts/check-yaml.py`).
    private static func cases(_ path: String) throws -> [Case] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            return Case(
                name: try #require(object["name"] as? String), text: try #require(object["text"] as? String),
                value: try object["value"].map { try Value(json: $0) })
        }
    }

    /// Checks documents, and returns the number accepted by the parser.
    private static func check(_ cases: [Case]) -> Int {
        cases.count { item in
            guard let node = try? YAMLSubset.parse(Array(item.text.utf8)) else { return false }
            var value = Value(node)
            // An empty document is an empty mapping here, and an empty scalar after `---` in libyaml.
            if value == .mapping([]), item.value == .scalar("") { value = .scalar("") }
            #expect(value == item.value, "\(item.name): \(item.text.debugDescription)")
            return true
        }
    }

    private static let fixture = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/yaml-cases.jsonl").path

    /// The documents of the YAML test suite and of PyYAML's tests.
    @Test func documentsOfTheYAMLTestSuiteAreReadAsLibyamlReadsThemOrRejected() throws {
        let accepted = Self.check(try Self.cases(Self.fixture))
        // A parser that rejects everything must fail.
        #expect(accepted >= 60)
    }

    /// Generated documents, if `Scripts/check-yaml.py` provides some.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MODELC_YAML_CASES"] != nil))
    func generatedDocumentsAreReadAsLibyamlReadsThemOrRejected() throws {
        let cases = try Self.cases(try #require(ProcessInfo.processInfo.environment["MODELC_YAML_CASES"]))
        let accepted = Self.check(cases)
        print("accepted \(accepted) of \(cases.count) documents; libyaml \(cases.count { $0.value != nil })")
        #expect(accepted > cases.count / 10)
    }

    @Test(arguments: [
        ("- Kid's/**  # a comment", Value.sequence([.scalar("Kid's/**")])),
        ("- 'it''s' # a comment", .sequence([.scalar("it's")])),
        (#"- "a\tb\u00e9\x41\\""#, .sequence([.scalar("a\tbé\u{41}\\")])),
        ("- [T?sts, 'a, b', \"]\"]", .sequence([.sequence([.scalar("T?sts"), .scalar("a, b"), .scalar("]")])])),
        ("\u{FEFF}--- # settings\r\na: b\r\n", .mapping([.init(key: "a", value: .scalar("b"))])),
        (
            "a:\n- b: c\n  d:\n  - e\n",
            .mapping([
                .init(
                    key: "a",
                    value: .sequence([
                        .mapping([
                            .init(key: "b", value: .scalar("c")), .init(key: "d", value: .sequence([.scalar("e")])),
                        ])
                    ]))
            ])
        ),
    ])
    private func readsTheSubset(_ text: String, value: Value) throws {
        #expect(Value(try YAMLSubset.parse(Array(text.utf8))) == value)
    }

    @Test(arguments: [
        ("{a: b, a: c}", 7, "duplicate key “a”"),
        ("a: 1\na: 2", 5, "duplicate key “a”, first in line 1"),
        ("a: &x b", 3, "unsupported YAML syntax: “&”"),
        ("a: !t b", 3, "unsupported YAML syntax: “!”"),
        ("a: |\n  b", 3, "unsupported YAML syntax: “|”"),
        ("a: b\n  c", 7, "unexpected indentation: a value must fit in one line"),
        ("a: [b,\n c]", 3, "missing “]”: a collection in brackets must end in its line"),
        ("a: 'b\n c'", 3, "missing end quote: a text in quotes must end in its line"),
        (#"a: "\q""#, 4, "invalid escape sequence; write “\\\\” for a backslash"),
        (#"a: "\ud800""#, 4, "invalid escape sequence; expected 4 hexadecimal digits"),
        ("a: b\n---\nc: d", 5, "unsupported YAML syntax: “---”"),
        ("%YAML 1.2\n---\na: b", 0, "unsupported YAML syntax: “%”"),
        ("a: b: c", 3, "unsupported YAML syntax: a key in a value; quote a text with “: ”"),
        ("a: b\u{2028}c", 4, "unsupported character U+2028"),
        ("a: b\rc: d", 4, "unsupported character U+000D"),
        ("a: 'b' c", 7, "unexpected text after the value"),
        ("[a:?b]", 2, "unsupported YAML syntax: “:”; quote the text"),
        ("? a", 0, "unsupported YAML syntax: “?”"),
        ("a: b\n\tc: d", 5, "YAML is indented with spaces, not tabs"),
    ])
    func rejectsUnsupportedSyntax(text: String, offset: Int, message: String) {
        do throws(YAMLSubset.Failure) {
            Issue.record("read as \(try YAMLSubset.parse(Array(text.utf8)))")
        } catch {
            #expect(error.offset == offset)
            #expect(error.message == message)
        }
    }

    @Test func rejectsInvalidUTF8() {
        #expect(throws: YAMLSubset.Failure.self) { try YAMLSubset.parse([0x61, 0x3A, 0x20, 0xC3, 0x28]) }
        #expect(throws: YAMLSubset.Failure.self) { try YAMLSubset.parse([0xFF, 0xFE, 0x61, 0x00]) }
    }

    @Test(arguments: ["- ", "[", "{a: ", "a:\n"]) func nestingIsLimited(opening: String) {
        var text = ""
        for level in 0..<20_000 {
            text += opening == "a:\n" ? String(repeating: " ", count: level % 500) + opening : opening
        }
        #expect(throws: YAMLSubset.Failure.self) { try YAMLSubset.parse(Array(text.utf8)) }
    }
}
