import CoreData
import Testing

/// Secure coding, copying and comparison of predicates and expressions, from Apple's reference of NSPredicate and
/// NSExpression, which adopt NSSecureCoding and NSCopying.
@Suite struct PredicateCodingTests {
    private func archived(_ predicate: NSPredicate) throws -> NSPredicate? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
    }

    @Test(arguments: [
        "a == 1", "a == 1.0", "a == YES", "a == '100%@ \\\" %K'", "a.b CONTAINS[cd] 'x' AND NOT (b > 1 OR c == nil)",
        "ANY tags.name == 'x'", "SUBQUERY(books, $b, $b.pages > $limit).@count > 0", "a BETWEEN {1, 2.5}",
        "TERNARY(a > 1, 'x', 'y') == 'x'", "TRUEPREDICATE", "FALSEPREDICATE", "a + b * 2 == 3", "x[FIRST] == 1",
        "a MATCHES '.*\\\\d'", "now() > d", "$x == SELF",
    ])
    func parsedPredicatesRoundTrip(_ format: String) throws {
        let predicate = NSPredicate(format: format)
        let back = try #require(try archived(predicate))
        #expect(back == predicate)
        #expect(type(of: back) == type(of: predicate))
    }

    @Test func constantsRoundTrip() throws {
        let date = Date(timeIntervalSinceReferenceDate: 5.25)
        let uuid = UUID()
        let values: [(Any, Any)] = [
            (date, 5), (uuid, "x"), (Data([1, 2]), Data()), (NSDecimalNumber(string: "1.1"), 1.2),
            (["a", "b"], ["b", "a"]), (true, false), (2.0, 2.5),
            (URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/b")),
        ]
        for (value, other) in values {
            let predicate = NSPredicate(format: "v == %@ AND w == %@", value, "%@")
            let back = try #require(try archived(predicate))
            #expect(back == predicate)
            #expect(back.evaluate(with: ["v": value, "w": "%@"]), "\(predicate)")
            #expect(!back.evaluate(with: ["v": other, "w": "%@"]), "\(predicate)")
        }
        // The type of a number determines the kind of division.
        let half = try #require(try archived(NSPredicate(format: "v / %@ == 2.5", 2.0)))
        #expect(half.evaluate(with: ["v": 5]))
        let whole = try #require(try archived(NSPredicate(format: "v / %@ == 2", 2)))
        #expect(whole.evaluate(with: ["v": 5]))
    }

    @Test func predicateClassesRoundTrip() throws {
        let comparison = NSPredicate(format: "a == 1")
        let data = try NSKeyedArchiver.archivedData(withRootObject: comparison, requiringSecureCoding: true)
        let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSComparisonPredicate.self, from: data)
        #expect(back?.leftExpression.keyPath == "a")
        let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [comparison, NSPredicate(value: true)])
        let compoundBack = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSCompoundPredicate.self,
            from: NSKeyedArchiver.archivedData(withRootObject: compound, requiringSecureCoding: true))
        #expect(compoundBack?.subpredicates.first == comparison && compoundBack?.compoundPredicateType == .and)
        let value = try archived(NSPredicate(value: true))
        #expect(value == NSPredicate(value: true))
    }

    @Test func expressionsRoundTrip() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1)
        for expression in [
            NSExpression(forKeyPath: "a.b"), NSExpression(forConstantValue: date), NSExpression(format: "a + 2.0"),
            NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "a")]),
            NSExpression(forConstantValue: nil), NSExpression(forVariable: "x"),
            NSExpression.expressionForEvaluatedObject(), NSExpression(forAggregate: [1, "a", date]),
        ] {
            let data = try NSKeyedArchiver.archivedData(withRootObject: expression, requiringSecureCoding: true)
            let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExpression.self, from: data)
            #expect(back == expression && back?.expressionType == expression.expressionType, "\(expression)")
            back?.allowEvaluation()
        }
    }

    /// A block, a managed object and a method cannot be archived: for blocks, Apple's framework raises an exception.
    @Test func blocksObjectsAndMethodsCannotBeArchived() async {
        var result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let predicate = NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate { _, _ in true })
            _ = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        }
        #expect(message(result).contains("cannot be archived"))
        result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let predicate = NSPredicate(format: "a == %@", try Library.context().make("Book"))
            _ = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        }
        #expect(message(result).contains("a value of the type Book cannot be archived"))
    }

    private func message(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func damagedArchivesYieldNil() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: NSPredicate(format: "a == %@", Date()), requiringSecureCoding: true)
        var text = try #require(
            try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        var objects = try #require(text["$objects"] as? [Any])
        for (index, object) in objects.enumerated() where object as? String == "a == %@" {
            for format in ["a ==", "a == %@ AND b == %@", "a == %d", "%K == 1", ""] {
                objects[index] = format
                text["$objects"] = objects
                let changed = try PropertyListSerialization.data(fromPropertyList: text, format: .binary, options: 0)
                let back = try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: changed)
                #expect(back == nil, "\(format)")
            }
        }
    }

    @Test func copiesAreEqual() {
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let one = NSPredicate(format: "a == 1 AND d == %@", date)
        #expect(one == NSPredicate(format: "a = 1 && d = %@", date))
        #expect(one != NSPredicate(format: "a == 1 AND d == %@", date.addingTimeInterval(1)))
        #expect(one.copy() as? NSPredicate == one && one.hash == NSPredicate(format: "a = 1 && d = %@", date).hash)
        #expect(NSPredicate(format: "a == 1") != NSPredicate(format: "a == 2"))
        #expect(NSPredicate(format: "a == '1'") != NSPredicate(format: "a == 1"))
        #expect(NSPredicate(format: "a ==[c] '1'") != NSPredicate(format: "a == '1'"))
        let expression = NSExpression(forKeyPath: "a.b")
        #expect(expression == NSExpression(format: "a.b") && expression.copy() as? NSExpression == expression)
        #expect(expression != NSExpression(forKeyPath: "a.c") && expression.hash == NSExpression(format: "a.b").hash)
        #expect(NSExpression(forConstantValue: "a") != NSExpression(forKeyPath: "a"))
    }

    /// A format yields instances of Apple's classes.
    @Test func formatsHaveTheirClasses() {
        #expect(NSPredicate(format: "a == 1") is NSComparisonPredicate)
        #expect((NSPredicate(format: "a == 1") as? NSComparisonPredicate)?.rightExpression.constantValue as? Int == 1)
        let and = NSPredicate(format: "a == 1 AND b == 2 AND c == 3") as? NSCompoundPredicate
        #expect(and?.compoundPredicateType == .and && and?.subpredicates.count == 3)
        #expect((NSPredicate(format: "a == 1 OR b == 2") as? NSCompoundPredicate)?.compoundPredicateType == .or)
        let not = NSPredicate(format: "NOT a == 1") as? NSCompoundPredicate
        #expect(not?.compoundPredicateType == .not && not?.subpredicates.first is NSComparisonPredicate)
        #expect((NSPredicate(format: "NONE a == 1") as? NSCompoundPredicate)?.compoundPredicateType == .not)
        #expect(!(NSPredicate(format: "TRUEPREDICATE") is NSCompoundPredicate))
        let any = NSPredicate(format: "ANY a.b ==[cd] 'x'") as? NSComparisonPredicate
        #expect(any?.comparisonPredicateModifier == .any && any?.predicateOperatorType == .equalTo)
        #expect(any?.options == [.caseInsensitive, .diacriticInsensitive] && any?.customSelector == nil)
    }
}
