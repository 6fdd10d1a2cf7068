internal import Foundation

struct URLValues: ValueGenerator {
    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        [
            "https://example.com/", "file:///tmp/a%20file.txt", "mailto:ada@example.com", "urn:isbn:0451450523",
            "relative/path",
            "https://user@example.com:8443/%F0%9F%99%82?query=a%26b&empty=#fragment", "https://xn--bcher-kva.example/",
        ].compactMap { URL(string: $0) }
    }

    func random(_ numbers: inout SeededNumbers) -> Any? { numbered(numbers.below(1_000_000), &numbers) }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        URL(string: "https://example.com/items/\(number)")
    }

    func value(of text: String) -> Any? { URL(string: text) }
}
