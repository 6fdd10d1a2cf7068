import Testing

@testable import ModelcDriver

/// The errors in the output of `swift build`.
@Suite struct CompilerErrorTests {
    @Test func readsErrorsOnceAndInOrder() {
        let output = """
            Building for debugging...
            [3/5] Compiling App B.swift
            /p/Sources/App/B.swift:12:5: error: cannot find type 'Theme' in scope
             10 |
             12 | let theme: Theme
                |            `- error: cannot find type 'Theme' in scope
            /p/Sources/App/A: B.swift:3:9: error: value of type 'Book' has no member 'theme'
            /p/Sources/App/B.swift:12:5: error: cannot find type 'Theme' in scope
            /p/Sources/App/C.swift:1:1: warning: variable was never used
            /p/Sources/App/C.swift:1:1: note: error: is only a word
            error: fatalError
            """
        #expect(
            CompilerError.errors(in: output) == [
                CompilerError(
                    path: "/p/Sources/App/A: B.swift", line: 3, column: 9,
                    message: "value of type 'Book' has no member 'theme'"),
                CompilerError(
                    path: "/p/Sources/App/B.swift", line: 12, column: 5, message: "cannot find type 'Theme' in scope"),
            ])
    }

    @Test func findsTheSourceOfACrash() {
        let output = """
            Stack dump:
            0.\tProgram arguments: /usr/bin/swift-frontend /p/Sources/App/A.swift
            1.\tApple Swift version 6.3
            2.\tWhile evaluating request TypeCheckSourceFileRequest(source_file "/p/Sources/App/A.swift")
            3.\tWhile type-checking statement at [/p/Sources/App/A.swift:7:3 - line:9:4] RangeText="{
            """
        #expect(
            CompilerError.errors(in: output) == [
                CompilerError(path: "/p/Sources/App/A.swift", line: 7, column: 3, message: "the compiler crashed")
            ])
    }

    @Test(arguments: [
        ("cannot find 'UIColor' in scope", true), ("cannot find type 'Theme' in scope", true),
        ("no such module 'UIKit'", true), ("value of type 'Book' has no member 'theme'", true),
        ("'play' is unavailable: not on Linux", true), ("ambiguous use of 'make'", false),
        ("cannot convert value of type 'Int' to specified type 'String'", false),
        ("type 'A' does not conform to protocol 'B'", false),
    ])
    func distinguishesMissingSymbols(message: String, isMissing: Bool) {
        #expect(CompilerError(path: "/a", line: 1, column: 1, message: message).namesMissingSymbol == isMissing)
    }

    @Test func readsNamesInMessages() {
        let error = CompilerError(
            path: "/a", line: 1, column: 1, message: "value of type 'Array<App.Book>' has no member 'theme'")
        #expect(error.names == ["Array", "App", "Book", "theme"])
    }
}
