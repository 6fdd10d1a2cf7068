import PredicateSyntax
import Testing

@Suite struct LimitTests {
    static let depth = PredicateParser.maximumDepth

    /// Returns texts with `count` levels of nesting, each of a different kind.
    static func nested(_ count: Int) -> [String] {
        func wrap(_ opening: String, _ core: String, _ closing: String) -> String {
            String(repeating: opening, count: count) + core + String(repeating: closing, count: count)
        }
        return [
            wrap("(", "a == 1", ")"), wrap("NOT ", "a == 1", ""), wrap("!", "a == 1", ""),
            wrap("NOT (b == 1 AND ", "a == 1", ")"), wrap("{", "a", "}") + " == 1", wrap("-", "a", "") + " == 1",
            wrap("- ", "1", "") + " == 1", wrap("f:(", "a", ")") + " == 1", wrap("a[", "a", "]") + " == 1",
            wrap("", "a", "[0]") + " == 1", wrap("", "a", "[LAST]") + " == 1", wrap("", "%K", ".%K") + " == 1",
            wrap("1 + ", "a", "") + " == 1", wrap("(1 + ", "a", ")") + " == 1", wrap("a UNION ", "a", "") + " == 1",
            wrap("2 ** ", "a", "") + " == 1", wrap("$x := ", "a", "") + " == 1",
            wrap("SUBQUERY(a, $x, ", "a == 1", ").b == 1"), wrap("TERNARY(", "a == 1", ", 1, 2) == 1"),
            wrap("CAST(", "a", ", 'x')") + " == 1", wrap("FUNCTION(", "a", ", 'x')") + " == 1",
            wrap("(", "a", ") + 1") + " == 1", wrap("", "a", "[0].b") + " == 1", wrap("(", "a == 1", ") == 1"),
            wrap("NONE a == 1 AND NOT (", "a == 1", ")"),
        ]
    }

    @Test func nestingWithinTheLimitWorks() {
        for text in LimitTests.nested(40) {
            #expect(throws: Never.self) { try PredicateParser.parsePredicate(text) }
        }
    }

    @Test func nestingBeyondTheLimitIsAnError() {
        for count in [LimitTests.depth + 1, 20_000] {
            for text in LimitTests.nested(count) {
                let error = #expect(throws: PredicateSyntaxError.self) { try PredicateParser.parsePredicate(text) }
                #expect(error?.message == "the text nests deeper than 200 levels", "\(text.prefix(40))")
            }
        }
    }

    /// The deepest trees of every shape can be printed, read, hashed, traversed and released on half the stack of a
    /// secondary thread on Apple's platforms (512 KiB). Without optimization or with a sanitizer, frames are much
    /// larger.
    @Test func deepestTreesNeedLittleStack() {
        #if DEBUG
        let stackSize = 1 << 20
        #else
        let stackSize = 256 << 10
        #endif
        TestEnvironment.runOnThread(stackSize: stackSize) {
            for count in Array(stride(from: 40, to: 190, by: 30)) + Array(190...LimitTests.depth) {
                for text in LimitTests.nested(count) {
                    guard let tree = try? PredicateParser.parsePredicate(text) else { continue }
                    let printed = PredicatePrinter(numberStyle: .typed).string(for: tree)
                    let again = try? PredicateParser.parsePredicate(printed)
                    #expect(again == tree)
                    #expect(again?.hashValue == tree.hashValue)
                    #expect(tree.mapKeyPaths { $0 } == tree)
                    _ = tree.keyPaths
                }
            }
        }
    }

    @Test(arguments: ["AND", "OR", "&&", "||"])
    func longChainsAreFlat(_ sign: String) throws {
        let count = 5_000
        let text = (0..<count).map { "a\($0) == \($0)" }.joined(separator: " \(sign) ")
        let predicate = try PredicateParser.parsePredicate(text)
        #expect(predicate.subpredicates.count == count)
        #expect(predicate.subpredicates.last == .compare(.key("a4999"), using: .equal, right: .integer(4_999)))
        #expect(try PredicateParser.parsePredicate(predicate.predicateFormat) == predicate)
    }

    @Test func longChainsOfBothKindsAreFlat() throws {
        let text = Array(repeating: "a == 1 AND NOT b == 1", count: 20_000).joined(separator: " OR ")
        let predicate = try PredicateParser.parsePredicate(text)
        #expect(predicate == .or(Array(repeating: .and([.isA, .not(.isB)]), count: 20_000)))
    }

    @Test func longListsKeyPathsAndStringsAreFine() throws {
        let list = (0..<50_000).map(String.init).joined(separator: ",")
        let keys = Array(repeating: "k", count: 50_000).joined(separator: ".")
        let string = String(repeating: "x\\n", count: 50_000)
        let predicate = try PredicateParser.parsePredicate("\(keys) IN {\(list)} AND a == '\(string)'")
        #expect(try PredicateParser.parsePredicate(predicate.predicateFormat) == predicate)
    }

    @Test func longRunsOfOneByteAreErrorsInLinearTime() {
        for byte in ["(", "[", "{", "-", "!", ".", "%", "#", "@", "$", "\"", "'", "\\", "=", "*", ":", "0", " ", "é"] {
            let text = String(repeating: byte, count: 200_000)
            #expect(throws: PredicateSyntaxError.self) { try PredicateParser.parsePredicate(text) }
        }
    }
}
