import Diagnostics
import Testing

@Suite struct JSONNodeTests {
    private func parse(_ text: String) throws(ParsedJSON.Failure) -> ParsedJSON {
        try ParsedJSON.parse(Array(text.utf8))
    }

    private func message(_ text: String) -> String? {
        do throws(ParsedJSON.Failure) {
            _ = try parse(text)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func numbersKeepTheirDigits() throws {
        guard case .array(let elements) = try parse("[0.10, -1E+3, 12345678901234567890123]") else {
            Issue.record("no array")
            return
        }
        let digits = elements.map { element in if case .number(let text) = element { text } else { "" } }
        #expect(digits == ["0.10", "-1E+3", "12345678901234567890123"])
    }

    @Test func membersAreReadByName() throws {
        let value = try parse(#" {"a": "\u00e9\ud83d\ude01\n", "b": {"c": true}, "a2": ["x", "y"], "d": ["x", 1]} "#)
        #expect(value["a"]?.text == "é😁\n")
        #expect(value["b"]?["c"]?.bool == true)
        #expect(value["a2"]?.texts == ["x", "y"])
        #expect(value["d"]?.texts == nil && value["d"]?.text == nil && value["e"] == nil)
    }

    @Test func theLastOfSeveralMembersCounts() throws {
        #expect(try parse(#"{"a": "1", "a": "2"}"#)["a"]?.text == "2")
    }

    @Test(arguments: [
        ("[1,]", "invalid JSON at byte 4"), (#"{"a" 1}"#, "a colon is missing at byte 6"),
        ("1 2", "text follows the JSON value"), ("\"\\ud800\"", "an incomplete surrogate pair at byte 8"),
        ("01", "text follows the JSON value"), ("", "the JSON value is incomplete at byte 1"),
        (String(repeating: "[", count: 101), "JSON nested too deeply at byte 101"),
    ])
    func faultsAreLocated(text: String, expected: String) {
        #expect(message(text) == expected)
    }
}
