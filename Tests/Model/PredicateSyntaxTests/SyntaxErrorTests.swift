import PredicateSyntax
import Testing

@Suite struct SyntaxErrorTests {
    struct ErrorCase: Sendable, CustomTestStringConvertible {
        let text: String
        let range: Range<Int>
        let message: String
        init(_ text: String, _ range: Range<Int>, _ message: String) {
            self.text = text
            self.range = range
            self.message = message
        }
        var testDescription: String { text }
    }

    /// The ranges are counted by hand. None of these texts is valid according to "Predicate Format String Syntax".
    static let cases: [ErrorCase] = [
        ErrorCase("", 0..<0, "expected an expression, found the end of the text"),
        ErrorCase("   ", 3..<3, "expected an expression, found the end of the text"),
        ErrorCase("a", 1..<1, "expected a comparison operator, found the end of the text"),
        ErrorCase("a AND b == 1", 2..<5, "expected a comparison operator, found `AND`"),
        ErrorCase("b == 1 AND (a)", 14..<14, "expected a comparison operator, found the end of the text"),
        ErrorCase("NOT a", 5..<5, "expected a comparison operator, found the end of the text"),
        ErrorCase("a ==", 4..<4, "expected an expression, found the end of the text"),
        ErrorCase("a == == 1", 5..<6, "expected an expression, found `=`"),
        ErrorCase("== 1", 0..<1, "expected an expression, found `=`"),
        ErrorCase("a == 1 b", 7..<8, "expected an operator, found `b`"),
        ErrorCase("a == 1)", 6..<7, "expected an operator, found `)`"),
        ErrorCase("(a == 1", 7..<7, "expected `)`, found the end of the text"),
        ErrorCase("(a == 1}", 7..<8, "expected `)`, found `}`"),
        ErrorCase("a IN {1, 2", 10..<10, "expected `}`, found the end of the text"),
        ErrorCase("a IN {1, }", 9..<10, "expected an expression, found `}`"),
        ErrorCase("a IN (1, 2)", 7..<8, "expected `)`, found `,`"),
        ErrorCase("a == 1, b", 6..<7, "expected an operator, found `,`"),
        ErrorCase("a[0 == 1", 8..<8, "expected `]`, found the end of the text"),
        ErrorCase("a[] == 1", 2..<3, "expected an expression, found `]`"),
        ErrorCase("() == 1", 1..<2, "expected an expression, found `)`"),
        ErrorCase("a < b < c", 6..<7, "comparisons cannot be chained"),
        ErrorCase("NOT a == b == c", 11..<13, "comparisons cannot be chained"),
        ErrorCase("a == NOT b", 5..<8, "expected an expression, found `NOT`"),
        ErrorCase("a == ANY b", 5..<8, "expected an expression, found `ANY`"),
        ErrorCase("ANY (a == 1)", 12..<12, "expected a comparison operator, found the end of the text"),
        ErrorCase("ANY ALL a == 1", 4..<7, "expected an expression, found `ALL`"),
        ErrorCase("a NOT IN {1}", 2..<5, "expected an operator, found `NOT`"),
        ErrorCase("a IS NULL", 2..<4, "expected an operator, found `IS`"),
        ErrorCase("in == 1", 0..<2, "expected an expression, found `in`"),
        ErrorCase("a == 'x", 5..<7, "the string is not closed"),
        ErrorCase("a == 'x\\", 5..<8, "the string is not closed"),
        ErrorCase("a == \"\\u12\"", 6..<10, "a Unicode escape needs 4 hexadecimal digits"),
        ErrorCase("a == \"\\uD800\"", 6..<12, "`\\uD800` is not a Unicode character"),
        ErrorCase("a == \"\\uDC00x\"", 6..<12, "`\\uDC00` is not a Unicode character"),
        ErrorCase("a == \"\\uD800\\u0041\"", 6..<18, "`\\uD800\\u0041` is not a Unicode character"),
        ErrorCase("a == \"\\UFFFFFFFF\"", 6..<16, "`\\UFFFFFFFF` is not a Unicode character"),
        ErrorCase("a == 12ab", 5..<9, "`12ab` is not a number"),
        ErrorCase("a == 0b12", 5..<9, "`0b12` is not a number"),
        ErrorCase("a == 0x", 7..<7, "expected digits of base 16, found the end of the text"),
        ErrorCase("a == 0xFFFFFFFFFFFFFFFF", 5..<23, "`0xFFFFFFFFFFFFFFFF` does not fit in 64 bits"),
        ErrorCase("a == 1e999", 5..<10, "`1e999` is too large"),
        ErrorCase("a == 1e", 5..<7, "`1e` is not a number"),
        ErrorCase("a == \u{201C}x\u{201D}", 5..<8, "expected an expression, found `\u{201C}`"),
        ErrorCase("a == +1", 5..<6, "expected an expression, found `+`"),
        ErrorCase("a == $", 6..<6, "expected the name of a variable, found the end of the text"),
        ErrorCase("a == #", 6..<6, "expected a key, found the end of the text"),
        ErrorCase("a. == 1", 3..<4, "expected a key, found `=`"),
        ErrorCase("a.@ == 1", 4..<5, "expected the name of a collection operator, found `=`"),
        ErrorCase("a.%@ == 1", 2..<3, "expected a key, found `%`"),
        ErrorCase("a.b(1) == 1", 3..<4, "expected an operator, found `(`"),
        ErrorCase("a:b(1) == 1", 0..<3, "the function name `a:b` lacks its last colon"),
        ErrorCase("a: == 1", 3..<4, "expected `(`, found `=`"),
        ErrorCase("a == %", 5..<6, "`%` is not a placeholder"),
        ErrorCase("a == %y", 5..<7, "`%y` is not a placeholder"),
        ErrorCase("a == %%", 5..<7, "`%%` stands for a percent sign, which is not an operator"),
        ErrorCase("a % 2 == 1", 2..<3, "expected an operator, found `%`"),
        ErrorCase("a ==[x] 'b'", 5..<6, "unknown comparison option"),
        ErrorCase("a ==[c 'b'", 6..<7, "unknown comparison option"),
        ErrorCase("a & b == 1", 2..<3, "expected an operator, found `&`"),
        ErrorCase("1 := 2", 0..<1, "only a variable can be assigned to"),
        ErrorCase("CAST(a) == 1", 0..<7, "wrong number of arguments"),
        ErrorCase("TERNARY(a, b, c) == 1", 9..<10, "expected a comparison operator, found `,`"),
        ErrorCase("SUBQUERY(a, x, a == 1)", 12..<13, "the second argument of SUBQUERY must be a variable"),
        ErrorCase("FUNCTION(a, b) == 1", 12..<13, "the second argument of FUNCTION must be a selector in quotes"),
        ErrorCase("FETCH(a, b, 2) == 1", 12..<13, "the third argument of FETCH must be YES or NO"),
        ErrorCase("a == \u{0}", 5..<6, "expected an expression, found `\u{0}`"),
        ErrorCase("a == 😀", 5..<9, "expected an expression, found `😀`"),
    ]

    @Test(arguments: cases)
    func errorIsWhereTheMistakeIs(_ example: ErrorCase) {
        let error = #expect(throws: PredicateSyntaxError.self) {
            try PredicateParser.parsePredicate(example.text)
        }
        #expect(error?.range == example.range)
        #expect(error?.message == example.message)
        #expect(error?.offset == example.range.lowerBound)
    }

    @Test func linesAndColumnsCountScalars() {
        let error = #expect(throws: PredicateSyntaxError.self) {
            try PredicateParser.parsePredicate("größe == 1\n  AND é == ?")
        }
        #expect(error?.line == 2)
        #expect(error?.column == 12)
        #expect(error?.offset == 25)
        #expect(error?.description == "2:12: expected an expression, found `?`")
    }

    /// Suggestions of what the author probably meant, in Apple's documented form.
    @Test(arguments: [
        ("in == 1", "a key of this name is written #in"),
        ("isRead", "a Boolean is tested with isRead == YES"),
        ("a NOT IN {1}", "write NOT (x IN y)"),
        ("a IN (1, 2)", "a list is written in braces, as in x IN {1, 2}"),
        ("a == \u{201C}x\u{201D}", "strings take straight quotes, \" or '"),
        ("%@ AND a == 1", "a predicate cannot be an argument; predicates are joined with NSCompoundPredicate"),
        ("a % 2 == 1", "use modulus:by:(a, b) for the remainder of a division"),
        ("a.%@ == 1", "the argument for a key is %K"),
        ("TRUE", "a predicate that is always so is TRUEPREDICATE"),
    ])
    func hint(_ text: String, _ hint: String) {
        let error = #expect(throws: PredicateSyntaxError.self) { try PredicateParser.parsePredicate(text) }
        #expect(error?.hint == hint)
    }
}
