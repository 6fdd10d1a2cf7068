internal import RuntimeSupport

/// `IN`: the left side is an element or a substring of the right one.
struct InRule: ComparisonRule {
    let strings: StringComparison

    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        Membership.contains(right, element: left, strings: strings)
    }

    func test(right: PredicateValue) -> any ValueTest {
        guard let elements = right.elements, strings.isPlain, elements.count > 4 else {
            return RightSideTest(rule: self, right: right)
        }
        return SetMembershipTest(elements)
    }
}

/// `CONTAINS`: the right side is an element or a substring of the left one.
struct ContainsRule: ComparisonRule {
    let strings: StringComparison

    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        Membership.contains(left, element: right, strings: strings)
    }

    func test(right: PredicateValue) -> any ValueTest {
        guard case .string(let part) = right else { return RightSideTest(rule: self, right: right) }
        return SubstringTest(rule: self, search: SubstringSearch(part, at: .anywhere, strings), right: right)
    }
}

/// `BEGINSWITH` and `ENDSWITH`.
struct AffixRule: ComparisonRule {
    let position: SubstringPosition
    let strings: StringComparison

    /// Returns whether the affix matches. `nil` matches nothing. Traps on any other value that is not a string.
    func holds(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
        switch (left, right) {
        case (.string(let whole), .string(let part)):
            return SubstringSearch(part, at: position, strings).isFound(in: whole)
        case (.null, .string), (.string, .null), (.null, .null): return false
        default:
            misuse(
                "NSInvalidArgumentException",
                "Can't do a substring operation with something that isn't a string (lhs = \(left.textForMessage) rhs = \(right.textForMessage))"
            )
        }
    }

    func test(right: PredicateValue) -> any ValueTest {
        guard case .string(let part) = right else { return RightSideTest(rule: self, right: right) }
        return SubstringTest(rule: self, search: SubstringSearch(part, at: position, strings), right: right)
    }
}

/// Tests whether a prepared string is part of another.
struct SubstringTest<Rule: ComparisonRule>: ValueTest {
    let rule: Rule
    let search: SubstringSearch
    let right: PredicateValue

    func holds(_ left: PredicateValue) -> Bool {
        guard case .string(let whole) = left else { return rule.holds(left, right) }
        return search.isFound(in: whole)
    }
}

/// Tests membership. Integers and strings, the most common values, are stored in specialized sets.
struct SetMembershipTest: ValueTest {
    private let members: ValueSet
    private let numbers: Set<Int64>
    private let texts: Set<String>
    /// Whether there are numbers of other types, which may equal an integer.
    private let hasOtherNumbers: Bool

    init(_ elements: [PredicateValue]) {
        members = ValueSet(elements)
        var numbers: Set<Int64> = []
        var texts: Set<String> = []
        var hasOtherNumbers = false
        for element in elements {
            switch element {
            case .integer(let number): numbers.insert(number)
            case .string(let text): texts.insert(text)
            default: hasOtherNumbers = hasOtherNumbers || element.isNumber
            }
        }
        self.numbers = numbers
        self.texts = texts
        self.hasOtherNumbers = hasOtherNumbers
    }

    func holds(_ left: PredicateValue) -> Bool {
        switch left {
        case .integer(let number): numbers.contains(number) || hasOtherNumbers && members.contains(left)
        // Canonically equivalent strings are equal in a set, but not for IN.
        case .string(let text): texts.contains(text) && members.contains(left)
        default: members.contains(left)
        }
    }
}

/// The shared implementation of `IN` and `CONTAINS`.
enum Membership {
    /// Returns whether a collection contains an element, a dictionary a value, or a string a substring. `nil` contains
    /// nothing. Traps on other values.
    static func contains(
        _ whole: PredicateValue, element: PredicateValue, strings: StringComparison
    ) -> Bool {
        switch (whole, element) {
        case (.null, _): return false
        case (.string(let whole), .string(let part)):
            return SubstringSearch(part, at: .anywhere, strings).isFound(in: whole)
        case (.string, .null): return false
        case (.string, _):
            misuse(
                "NSInvalidArgumentException",
                "Can't look for value (\(element.textForMessage)) in string (\(whole.textForMessage)); value is not a string"
            )
        default:
            guard let elements = whole.elements else {
                misuse(
                    "NSInvalidArgumentException",
                    "Can't use in/contains operator with collection \(whole.textForMessage) (not a collection)")
            }
            return elements.contains { strings.equal($0, element) }
        }
    }
}
