import CoreData

extension CaseTable {
    private static var values: [String: Any] {
        [
            "name": "Ann", "lower": "ann", "upper": "ANN", "empty": "", "cafe": "caf\u{E9}",
            "decomposed": "cafe\u{301}",
            "plain": "cafe", "capital": "CAF\u{C9}", "street": "stra\u{DF}e", "ten": "10", "two": "2", "apple": "apple",
            "banana": "banana", "accented": "\u{C4}pfel", "emoji": "\u{1F600}", "space": " ann ",
            "ns": "Ann" as NSString,
            "sub": "xAnny".dropFirst().prefix(3), "japanese": "\u{6771}\u{4EAC}",
        ]
    }

    static let strings: [PredicateCaseGroup] = [
        // "Predicate Format String Syntax", String Comparisons: "String comparisons are, by default, case and diacritic
        // sensitive."
        PredicateCaseGroup(
            "equality of strings", on: values,
            """
            T name == 'Ann'
            T name == "Ann"
            T 'Ann' == name
            F name == 'ann'
            F name == 'ANN'
            F name == 'An'
            F name == 'Anna'
            F name == lower
            T name == ns
            T name == sub
            T name != lower
            T name != 'Bob'
            F name != 'Ann'
            T empty == ''
            F empty == ' '
            F space == 'ann'
            F cafe == 'cafe'
            F plain == cafe
            T plain == 'cafe'
            F cafe == capital
            T japanese == '東京'
            T emoji == '😀'
            F ten == 10
            T ten != 10
            F ten == two
            """),
        // The same: [c] for case insensitivity, [d] for diacritic insensitivity, [cd] for both.
        PredicateCaseGroup(
            "equality of strings with options", on: values,
            """
            T name ==[c] 'ANN'
            T name ==[c] lower
            T upper ==[c] lower
            F name ==[c] 'Anne'
            F name ==[d] 'ann'
            T name ==[d] 'Ann'
            T cafe ==[d] 'cafe'
            T plain ==[d] cafe
            F cafe ==[d] 'CAFE'
            F cafe ==[d] capital
            T cafe ==[cd] 'CAFE'
            T cafe ==[cd] capital
            T capital ==[cd] plain
            T capital ==[c] cafe
            F capital ==[c] plain
            F cafe ==[c] 'cafe'
            T decomposed ==[cd] 'CAFE'
            T decomposed ==[d] cafe
            F name !=[c] 'ANN'
            T name !=[c] 'Bob'
            F cafe !=[d] 'cafe'
            T accented ==[cd] 'apfel'
            F accented ==[c] 'apfel'
            T empty ==[cd] ''
            F empty ==[cd] 'a'
            T name ==[C] 'ann'
            T cafe =[CD] 'CAFE'
            """),
        // Reference of NSComparisonPredicate.Options.normalized: the strings have been preprocessed; it supersedes the
        // options for case and diacritics.
        PredicateCaseGroup(
            "normalized strings", on: values,
            """
            T name ==[n] 'Ann'
            F name ==[n] 'ann'
            F name ==[cn] 'ann'
            F cafe ==[dn] 'cafe'
            T name BEGINSWITH[n] 'An'
            F name BEGINSWITH[n] 'an'
            F name BEGINSWITH[cn] 'an'
            T name CONTAINS[n] 'nn'
            T 'b' >[n] 'a'
            """),
        // "Predicate Format String Syntax" and reference of NSComparisonPredicate.Options: [l] compares by the rules of
        // the locale, in which lowercase and uppercase letters sort together (CLDR's root order, on which all locales
        // are based).
        PredicateCaseGroup(
            "strings in the locale's order", on: values,
            """
            T 'a' <[l] 'B'
            F 'B' <[l] 'a'
            T 'a' < 'b'
            F 'a' < 'B'
            T name ==[l] 'Ann'
            F name ==[l] 'Bob'
            T name ==[cl] 'ANN'
            T 'cafe' <[l] cafe
            T cafe <[l] 'caff'
            T name BEGINSWITH[l] 'An'
            T name CONTAINS[cl] 'NN'
            """),
        // Reference of NSString.compare(_:): numerically by character, uppercase before lowercase, prefixes first;
        // options affect the order like a comparison.
        PredicateCaseGroup(
            "order of strings", on: values,
            """
            T apple < banana
            T banana > apple
            T apple <= apple
            T apple >= 'apple'
            F apple > banana
            F apple < apple
            T name < lower
            T upper < lower
            T upper < name
            F name <[c] lower
            T name <=[c] lower
            T name >=[c] upper
            F name >[c] upper
            T ten < two
            T '10' < '9'
            T 'app' < apple
            T apple > 'app'
            T empty < apple
            T plain < cafe
            F plain <[d] cafe
            T plain <=[d] cafe
            T plain >=[d] decomposed
            T cafe < 'caff'
            T 'Zebra' < apple
            F 'Zebra' <[c] apple
            T lower <[c] banana
            T upper <[c] 'b'
            T 'B' >[c] lower
            """),
    ]
}
