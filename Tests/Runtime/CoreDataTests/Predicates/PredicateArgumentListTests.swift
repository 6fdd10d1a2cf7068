import CoreData
import Testing

/// Formats whose arguments libraries pass on as a `va_list`.
@Suite struct PredicateArgumentListTests {
    private func predicate(_ format: String, _ arguments: CVarArg...) -> NSPredicate {
        withVaList(arguments) { NSPredicate(format: format, arguments: $0) }
    }

    @Test func argumentsKeepTheirTypes() {
        #expect(predicate("%K == %@ AND b > %d", "a", "x" as NSString, 3).description == "a == \"x\" AND b > 3")
        let list = NSPredicate(format: "a IN %@", arguments: getVaList([["x", "y"]]))
        #expect(list.description == "a IN {\"x\", \"y\"}")
        #expect(NSExpression(format: "%K + 1", arguments: getVaList(["a"])).description == "a + 1")
    }

    @Test func otherFunctionsGetSwiftsList() {
        let text = withVaList([3]) { NSString(format: "%d", arguments: $0).description }
        #expect(text == "3")
    }
}
