import PredicateSyntax
import Testing

@Suite struct TraversalTests {
    let text = "a.b == $v AND SUBQUERY(items, $x, $x.price > $v AND $x.n == c).@count > a.b[$i].z"

    @Test func keyPathsInOrderOfFirstUse() throws {
        let paths = try PredicateParser.parsePredicate(text).keyPaths
        #expect(paths.map(\.keyPath) == ["a.b", "@count", "items", "price", "n", "c", "z"])
        #expect(paths.filter(\.startsAtEvaluatedObject).map(\.keyPath) == ["a.b", "items", "c"])
        #expect(try PredicateParser.parseExpression("SELF.a").keyPaths.map(\.startsAtEvaluatedObject) == [true])
    }

    @Test func variablesWithAndWithoutThoseOfSubqueries() throws {
        let predicate = try PredicateParser.parsePredicate(text)
        #expect(predicate.variables == ["v", "x", "i"])
        #expect(predicate.freeVariables == ["v", "i"])
        let outside = try PredicateParser.parseExpression("SUBQUERY($x.items, $x, $x == 1)")
        #expect(outside.freeVariables == ["x"])
        #expect(outside.variables == ["x"])
    }

    @Test func substitutionLeavesSubqueryVariablesAlone() throws {
        let predicate = try PredicateParser.parsePredicate("$x == 1 AND SUBQUERY($x, $x, $x == $v).@count > $w")
        let substituted = predicate.substitutingVariables { name in
            switch name {
            case "x": Expression.key("k")
            case "v": Expression.string("s")
            default: nil
            }
        }
        #expect(substituted.predicateFormat == "k == 1 AND SUBQUERY(k, $x, $x == \"s\").@count > $w")
        #expect(substituted.freeVariables == ["w"])
    }

    @Test func substitutedKeyPathsJoinTheKeysThatFollow() throws {
        let predicate = try PredicateParser.parsePredicate("$x.name == 1")
        #expect(
            predicate.substitutingVariables { _ in .key("owner") }
                == .compare(.key("owner.name"), using: .equal, right: .one))
    }

    @Test func substitutionErrorsKeepTheirType() throws {
        struct Unknown: Error, Equatable { let name: String }
        let predicate = try PredicateParser.parsePredicate("a == $v")
        #expect(throws: Unknown(name: "v")) {
            try predicate.substitutingVariables { (name: String) throws(Unknown) -> Expression? in
                throw Unknown(name: name)
            }
        }
    }

    @Test func keyPathsAreMappedEverywhere() throws {
        let everything =
            "ANY a == 1 OR NOT f:(a) IN {a} OR TERNARY(a == 1, a, a UNION a) == a[a] OR (a == 1) == CAST(a, 'x')"
            + " OR FETCH(a, a, NO) == FUNCTION(a, 'b:', a) OR ($z := a) == a MINUS a INTERSECT a OR $v.a == 1"
        let predicate = try PredicateParser.parsePredicate(everything)
        #expect(predicate.mapKeyPaths { $0 } == predicate)
        let mapped = predicate.mapKeyPaths { path in
            KeyPathExpression(DottedKeyPath(keys: ["p"] + path.keyPath.keys), of: path.operand)
        }
        #expect(mapped.keyPaths.map(\.keyPath) == ["p.a", "p.a"])
        #expect(mapped.keyPaths.map(\.operand) == [nil, .variable("v")])
    }

    @Test func predicatesOfACompound() throws {
        var count = 0
        try PredicateParser.parsePredicate("a == 1 AND NOT (b == 1 OR c == 1)").visitPredicates { _ in count += 1 }
        #expect(count == 6)
    }
}

/// Raw values, from Documentation/Formats/CompiledModel.md, 2.8 and Apple's headers.
@Suite struct RawValueTests {
    @Test func operatorTypesEqualApples() {
        #expect(ComparisonOperator.spelled.map(\.operatorType) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99, 100])
        for comparison in ComparisonOperator.spelled {
            #expect(ComparisonOperator(operatorType: comparison.operatorType) == comparison)
        }
        #expect(ComparisonOperator.customSelector("x:").operatorType == 11)
        #expect(ComparisonOperator(operatorType: 11) == nil)
    }

    @Test func modifiersAndOptionsAndCompounds() {
        #expect(ComparisonModifier.allCases.map(\.rawValue) == [0, 1, 2])
        let options: [ComparisonOptions] = [
            .caseInsensitive, .diacriticInsensitive, .normalized, .localeSensitive,
        ]
        #expect(options.map(\.rawValue) == [1, 2, 4, 8])
        #expect(Predicate.not(.isA).compoundType?.rawValue == 0)
        #expect(Predicate.and([]).compoundType?.rawValue == 1)
        #expect(Predicate.or([]).compoundType?.rawValue == 2)
        #expect(Predicate.isA.compoundType == nil)
    }

    @Test(
        arguments: [
            ("1", 0), ("SELF", 1), ("$x", 2), ("a", 3), ("f()", 4), ("a[0]", 4), ("a + 1", 4), ("a UNION b", 5),
            ("a INTERSECT b", 6), ("a MINUS b", 7), ("SUBQUERY(a, $x, $x == 1)", 13), ("{1}", 14), ("ANYKEY", 15),
            ("TERNARY(a == 1, 1, 2)", 20), ("FETCH(a, b, YES)", 50), ("%@", nil), ("$x := 1", nil), ("a == 1", nil),
        ] as [(String, UInt?)])
    func expressionTypes(_ text: String, _ type: UInt?) throws {
        #expect(try PredicateParser.parseExpression(text).expressionType?.rawValue == type)
    }
}
