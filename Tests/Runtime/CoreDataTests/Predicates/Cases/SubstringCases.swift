import CoreData

extension CaseTable {
    private static var values: [String: Any] {
        [
            "title": "The Swift Book", "cafe": "Un caf\u{E9} noir", "decomposed": "caf" + "e\u{301} noir", "empty": "",
            "part": "Swift", "file": "notes.txt", "long": String(repeating: "ab", count: 500) + "c",
            "umlaut": "M\u{FC}ller",
            "emoji": "a\u{1F600}b", "lines": "first\nsecond", "path": "a/b\\c",
        ]
    }

    static let substrings: [PredicateCaseGroup] = [
        // "Predicate Format String Syntax", String Comparisons: BEGINSWITH, "the left-hand expression begins with the
        // right-hand expression".
        PredicateCaseGroup(
            "BEGINSWITH", on: values,
            """
            T title BEGINSWITH 'The'
            T title BEGINSWITH 'The Swift Book'
            F title BEGINSWITH 'The Swift Books'
            F title BEGINSWITH 'the'
            T title BEGINSWITH[c] 'the'
            T title BEGINSWITH[c] 'THE SW'
            F title BEGINSWITH 'Swift'
            F title BEGINSWITH[c] 'swift'
            T title beginswith 'T'
            F empty BEGINSWITH 'x'
            T cafe BEGINSWITH 'Un caf'
            F cafe BEGINSWITH 'Un cafe'
            T cafe BEGINSWITH[d] 'Un cafe'
            F cafe BEGINSWITH[d] 'un cafe'
            T cafe BEGINSWITH[cd] 'UN CAFE'
            T cafe BEGINSWITH 'Un café'
            T decomposed BEGINSWITH[cd] 'CAFE'
            F decomposed BEGINSWITH 'cafe'
            T umlaut BEGINSWITH[d] 'Mull'
            T umlaut BEGINSWITH[c] 'mü'
            F umlaut BEGINSWITH 'Mu'
            T emoji BEGINSWITH 'a😀'
            F part BEGINSWITH title
            T title BEGINSWITH title
            """),
        // The same: ENDSWITH.
        PredicateCaseGroup(
            "ENDSWITH", on: values,
            """
            T title ENDSWITH 'Book'
            T title ENDSWITH 'The Swift Book'
            F title ENDSWITH 'book'
            T title ENDSWITH[c] 'book'
            F title ENDSWITH 'Swift'
            F title ENDSWITH 'A The Swift Book'
            T file ENDSWITH '.txt'
            F file ENDSWITH '.TXT'
            T file ENDSWITH[c] '.TXT'
            F empty ENDSWITH 'x'
            T cafe ENDSWITH 'noir'
            T cafe ENDSWITH 'é noir'
            F cafe ENDSWITH 'e noir'
            T cafe ENDSWITH[d] 'e noir'
            T cafe ENDSWITH[cd] 'CAFE NOIR'
            T umlaut ENDSWITH 'ller'
            F umlaut ENDSWITH 'uller'
            T umlaut ENDSWITH[d] 'uller'
            T emoji ENDSWITH '😀b'
            T long ENDSWITH 'abc'
            """),
        // The same: CONTAINS. Reference of NSString.range(of:options:): an empty string is not found; letters with
        // marks are distinct characters unless diacritics are ignored.
        PredicateCaseGroup(
            "CONTAINS", on: values,
            """
            T title CONTAINS 'Swift'
            T title CONTAINS 'The'
            T title CONTAINS 'Book'
            T title CONTAINS ' '
            T title CONTAINS 'The Swift Book'
            F title CONTAINS 'swift'
            T title CONTAINS[c] 'swift'
            T title CONTAINS[c] 'SWIFT B'
            F title CONTAINS 'SwiftBook'
            F title CONTAINS 'The Swift Book.'
            T title CONTAINS part
            F part CONTAINS title
            T title contains[cd] 'SWIFT'
            F empty CONTAINS 'x'
            F title CONTAINS ''
            F empty CONTAINS ''
            T cafe CONTAINS 'é'
            F cafe CONTAINS 'cafe'
            T cafe CONTAINS[d] 'cafe'
            F cafe CONTAINS[d] 'CAFE'
            T cafe CONTAINS[cd] 'CAFE'
            T cafe CONTAINS[c] 'CAFÉ'
            F decomposed CONTAINS 'cafe'
            T decomposed CONTAINS 'é'
            T decomposed CONTAINS 'noir'
            T decomposed CONTAINS[d] 'cafe'
            T umlaut CONTAINS[cd] 'MULLER'
            F umlaut CONTAINS[c] 'MULLER'
            T long CONTAINS 'bc'
            T long CONTAINS 'abc'
            F long CONTAINS 'cc'
            F long CONTAINS 'bb'
            T emoji CONTAINS '😀'
            T lines CONTAINS 'second'
            T lines CONTAINS 't\\ns'
            T path CONTAINS '\\\\'
            T path CONTAINS '/b'
            """),
        // Reference of NSComparisonPredicate.Operator.in: "For strings, returns true if the left hand side is a
        // substring of the right hand side."
        PredicateCaseGroup(
            "IN a string", on: values,
            """
            T 'Swift' IN title
            F 'swift' IN title
            T 'swift' IN[c] title
            T part IN title
            F title IN part
            T 'b' IN 'abc'
            F 'd' IN 'abc'
            F 'ac' IN 'abc'
            T 'cafe' IN[d] cafe
            F 'cafe' IN cafe
            """),
    ]
}
