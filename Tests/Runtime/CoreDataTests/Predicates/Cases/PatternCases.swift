import CoreData

extension CaseTable {
    private static var values: [String: Any] {
        [
            "name": "Swift", "file": "notes.txt", "cafe": "caf\u{E9}", "empty": "", "star": "a*b", "question": "a?b",
            "back": "a\\b", "many": String(repeating: "a", count: 2000) + "b", "phone": "555-1234",
            "mail": "ann@example.com",
            "lines": "one\ntwo", "number": "42", "dots": "a.b", "brackets": "[x]", "pattern": "S.*t", "wild": "Sw*",
        ]
    }

    static let patterns: [PredicateCaseGroup] = [
        // "Predicate Format String Syntax", String Comparisons: LIKE, "? and * are allowed as wildcard characters,
        // where ? matches 1 character and * matches 0 or more characters". Predicate Programming Guide: a backslash
        // escapes one.
        PredicateCaseGroup(
            "LIKE", on: values,
            #"""
            T name LIKE 'Swift'
            F name LIKE 'swift'
            T name LIKE[c] 'swift'
            F name LIKE 'Swif'
            F name LIKE 'wift'
            T name LIKE 'Sw*'
            T name LIKE '*ft'
            T name LIKE '*wif*'
            T name LIKE '*'
            T name LIKE '**'
            T name LIKE 'S*t'
            F name LIKE 'S*f'
            T name LIKE '?wift'
            T name LIKE 'S???t'
            F name LIKE 'S????t'
            F name LIKE 'S??t'
            T name LIKE '?????'
            F name LIKE '????'
            F name LIKE '??????'
            T name LIKE '*?'
            T name LIKE '?*'
            T name LIKE '?*?'
            T name LIKE 'Swift*'
            F name LIKE 'Swift?'
            T name LIKE 'S*i*t'
            F name LIKE 'S*x*t'
            T file LIKE '*.txt'
            F file LIKE '*.TXT'
            T file LIKE[c] '*.TXT'
            F file LIKE '*.t'
            T file LIKE 'n*t*s*.*t'
            T empty LIKE ''
            T empty LIKE '*'
            F empty LIKE '?'
            F name LIKE ''
            T cafe LIKE 'caf?'
            F cafe LIKE 'cafe'
            T cafe LIKE[d] 'cafe'
            T cafe LIKE[cd] 'CAF*E'
            T cafe LIKE[cd] 'C?FE'
            T star LIKE 'a\\*b'
            F name LIKE 'S\\*t'
            T question LIKE 'a\\?b'
            F star LIKE 'a\\?b'
            T star LIKE 'a?b'
            T back LIKE 'a\\\\b'
            T dots LIKE 'a.b'
            F star LIKE 'a.b'
            T brackets LIKE '[x]'
            F dots LIKE '[a.b]*'
            T name LIKE wild
            F name LIKE pattern
            T many LIKE '*b'
            T many LIKE 'a*a*a*b'
            F many LIKE 'a*a*a*c'
            F many LIKE '*a*a*a*a*a*a*a*a*a*a*c'
            """#),
        // The same: MATCHES, "the left hand expression equals the right hand expression using a regex-style comparison
        // according to ICU v3": the whole string has to match.
        PredicateCaseGroup(
            "MATCHES", on: values,
            #"""
            T name MATCHES 'Swift'
            F name MATCHES 'swift'
            T name MATCHES[c] 'swift'
            F name MATCHES 'Swi'
            F name MATCHES 'wift'
            T name MATCHES 'S.*'
            T name MATCHES '.*t'
            T name MATCHES '[A-Z][a-z]+'
            F name MATCHES '[a-z]+'
            T name MATCHES[c] '[a-z]+'
            T name MATCHES 'Swift|Rust'
            F name MATCHES 'Swi|Rust'
            T name MATCHES '(Rust|Swift)'
            T empty MATCHES 'Swift|'
            T empty MATCHES ''
            T empty MATCHES '.*'
            F empty MATCHES '.+'
            F name MATCHES ''
            T name MATCHES '^Swift$'
            T phone MATCHES '\\d{3}-\\d{4}'
            F phone MATCHES '\\d{3}'
            T phone MATCHES '[0-9]{3}-[0-9]{4}'
            F phone MATCHES '\\w+'
            T mail MATCHES '[A-Z0-9a-z._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,4}'
            F phone MATCHES '[A-Z0-9a-z._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,4}'
            T number MATCHES '^[1-9][0-9]*$'
            F lines MATCHES '.*'
            T lines MATCHES '(?s).*'
            T lines MATCHES 'one\\ntwo'
            T dots MATCHES 'a\\.b'
            T dots MATCHES 'a.b'
            F dots MATCHES 'a\\*b'
            T cafe MATCHES 'caf.'
            F cafe MATCHES 'cafe'
            T cafe MATCHES[d] 'cafe'
            T cafe MATCHES[cd] 'CAFE'
            T name MATCHES pattern
            F file MATCHES pattern
            T many MATCHES 'a+b'
            T many MATCHES 'a*?b'
            F many MATCHES 'a*'
            T name MATCHES '(?i)swift'
            T 'aa' MATCHES '(.)\\1'
            F 'ab' MATCHES '(.)\\1'
            T 'foobar' MATCHES '(?=foo).*'
            """#),
    ]
}
