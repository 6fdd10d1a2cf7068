import CoreData
import Testing

/// Misuse that raises an exception on Apple's platforms traps with the key, the type and the reason.
@Suite struct PredicateMisuseTests {
    private func message(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func unknownKeysOfAnObjectTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "colour == 'red'").evaluate(with: Plain(title: "x"))
        }
        #expect(message(result).contains("NSUnknownKeyException"))
        #expect(message(result).contains("Plain"))
        #expect(message(result).contains("the key colour"))
    }

    @Test func unknownKeysOfAStringTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "name.size == 3").evaluate(with: ["name": "Ann"])
        }
        #expect(message(result).contains("<String> valueForUndefinedKey"))
        #expect(message(result).contains("the key size"))
    }

    @Test func unknownCollectionOperatorsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "list.@total.self == 3").evaluate(with: ["list": [1]])
        }
        #expect(message(result).contains("the key @total"))
    }

    /// "Key-Value Coding Programming Guide": the union operators raise an exception if a leaf object is `nil`.
    @Test func unionOfNilTraps() async {
        await #expect(processExitsWith: .failure) {
            let rows: [[String: Any]] = [["a": 1], [:]]
            _ = NSPredicate(format: "rows.@unionOfObjects.a != nil").evaluate(with: ["rows": rows])
        }
    }

    /// With C arguments, this would read arbitrary memory.
    @Test func textInPlaceOfANumberTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "name == %@ AND age > %d", "Ann", "41")
        }
        #expect(message(result).contains("argument 2 for %d must be a number"))
    }

    @Test func missingArgumentsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "name == %@ AND age > %d", "Ann")
        }
        #expect(message(result).contains("%d needs argument 2, and there are only 1"))
    }

    @Test func numberInPlaceOfAKeyTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "%K == 1", 5)
        }
        #expect(message(result).contains("argument 1 for %K must be a key path"))
    }

    @Test func missingVariablesTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "a == $B").evaluate(with: ["a": 1], substitutionVariables: ["C": 1])
        }
        #expect(message(result).contains("Can't get value for 'B' in bindings [\"C\"]"))
    }

    @Test func comparingDifferentTypesTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "a < 'x'").evaluate(with: ["a": 1])
        }
        #expect(message(result).contains("Can't compare 1 with \"x\""))
    }

    @Test func membershipInANumberTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "1 IN a").evaluate(with: ["a": 5])
        }
        #expect(message(result).contains("Can't use in/contains operator with collection 5 (not a collection)"))
    }

    @Test func prefixOfANumberTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "a BEGINSWITH '1'").evaluate(with: ["a": 12])
        }
        #expect(message(result).contains("Can't do a substring operation with something that isn't a string (lhs = 12"))
    }

    @Test func matchingANumberTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "a MATCHES '1.'").evaluate(with: ["a": 12])
        }
        #expect(message(result).contains("Can't do regex matching on object 12"))
    }

    @Test func invalidPatternsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "a MATCHES 'a)(b'").evaluate(with: ["a": "x"])
        }
        #expect(message(result).contains("Can't open pattern a)(b"))
    }

    @Test func anyOfASingleValueTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "ANY a == 1").evaluate(with: ["a": 1])
        }
        #expect(message(result).contains("The left hand side for an ALL or ANY operator must be either"))
    }

    @Test func betweenASingleValueTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = NSPredicate(format: "a BETWEEN {1}").evaluate(with: ["a": 1])
        }
    }

    @Test func subqueryOfASingleValueTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = NSPredicate(format: "SUBQUERY(a, $x, $x == 1).@count == 1").evaluate(with: ["a": 1])
        }
    }

    @Test func elementOutOfBoundsTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "a[3] == 1").evaluate(with: ["a": [1, 2]])
        }
        #expect(message(result).contains("index 3 beyond bounds [0 .. 1]"))
    }

    @Test func unknownFunctionsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "frobnicate:(a) == 1").evaluate(with: ["a": 1])
        }
        #expect(message(result).contains("unknown function frobnicate:"))
    }

    @Test func unknownMethodsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "FUNCTION(a, 'frobnicate') == 1").evaluate(with: ["a": 1])
        }
        #expect(message(result).contains("has no method frobnicate"))
    }

    @Test func arithmeticWithTextTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "a + 1 == 2").evaluate(with: ["a": "x"])
        }
        #expect(message(result).contains("\"x\" is not a number"))
    }
}
