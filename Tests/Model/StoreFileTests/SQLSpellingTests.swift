import StoreFile
import Testing

/// Names and strings in SQL.
@Suite struct SQLSpellingTests {
    /// A mark ends a name or a string whatever follows it, even an accent that Swift combines with it.
    @Test func marksAreDoubled() {
        #expect(SQLSpelling.name("a\"b") == "\"a\"\"b\"")
        #expect(SQLSpelling.literal("it's") == "'it''s'")
        #expect(Array(SQLSpelling.name("a\"\u{301}; --").utf8) == Array("\"a\"\"\u{301}; --\"".utf8))
        #expect(Array(SQLSpelling.literal("a'\u{301}; --").utf8) == Array("'a''\u{301}; --'".utf8))
    }
}
