import CoreData
import Testing

/// Format arguments in the forms used by apps.
@Suite struct ArgumentTests {
    private let id = UUID()
    private let date = Date(timeIntervalSinceReferenceDate: 100)

    /// Swift code uses `as CVarArg` for values that the compiler bridges on Apple's platforms.
    @Test func argumentsKeepTheirValues() throws {
        let link = try #require(URL(string: "https://example.org"))
        let object: [String: Any] = ["id": id, "date": date, "link": link, "data": Data([1, 2]), "price": Decimal(3)]
        #expect(NSPredicate(format: "id == %@", id as CVarArg).evaluate(with: object))
        #expect(!NSPredicate(format: "id == %@", UUID() as CVarArg).evaluate(with: object))
        #expect(
            NSPredicate(format: "date >= %@ AND date < %@", date as CVarArg, date.addingTimeInterval(1) as CVarArg)
                .evaluate(with: object))
        #expect(NSPredicate(format: "link == %@", link as CVarArg).evaluate(with: object))
        #expect(NSPredicate(format: "data == %@", Data([1, 2]) as CVarArg).evaluate(with: object))
        #expect(NSPredicate(format: "price == %@", Decimal(3) as CVarArg).evaluate(with: object))
        #expect(NSPredicate(format: "id IN %@", [id] as CVarArg).evaluate(with: object))
        #expect(NSPredicate(format: "id IN %@", Set([id]) as CVarArg).evaluate(with: object))
        #expect(NSPredicate(format: "price == %@", NSNumber(value: 3) as CVarArg).evaluate(with: object))
    }

    /// Apps pass on lists of arguments.
    @Test func argumentArraysAreAccepted() {
        func matches(_ format: String, _ arguments: any CVarArg...) -> Bool {
            NSPredicate(format: format, argumentArray: arguments).evaluate(with: ["id": id, "name": "a", "count": 2])
        }
        #expect(matches("id == %@ AND name == %@ AND count == %d", id as CVarArg, "a", 2))
        #expect(!matches("id == %@ AND name == %@ AND count == %d", id as CVarArg, "b", 2))
    }

    /// A mutable collection has the elements that it has when the predicate is evaluated, as in a fetch.
    @Test func mutableCollectionsAreReadAtEachEvaluation() {
        let list = NSMutableArray(array: [1, 2])
        let set = NSMutableSet(array: [1, 2])
        let predicates = [
            NSPredicate(format: "n IN %@", list), NSPredicate(format: "n > 0 AND n IN %@", set),
            NSPredicate(format: "NOT (n IN %@)", list).withSubstitutionVariables([:]),
        ]
        let sum = NSExpression(format: "sum:(%@)", list)
        func answers() -> [Bool] { predicates.map { $0.evaluate(with: ["n": 3]) } }
        for _ in 0..<2 { #expect(answers() == [false, false, true]) }
        #expect(sum.expressionValue(with: nil, context: nil) as? Int == 3)
        list.add(3)
        set.add(3)
        for _ in 0..<2 { #expect(answers() == [true, true, false]) }
        #expect(sum.expressionValue(with: nil, context: nil) as? Int == 6)
    }

    /// Fetches accept `SELF` as a key, whether or not objects have unsaved changes.
    @Test(.overAllStores) func selfIsAKeyOfObjects() throws {
        let context = try Library.context()
        let author = context.make("Author", ["name": "a"])
        _ = context.make("Author", ["name": "b"])
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        for (format, arguments) in [("%K == %@", ["SELF", author]), ("%K == %@", ["SELF.name", "a"])] {
            let predicate = NSPredicate(format: format, argumentArray: arguments)
            request.predicate = predicate
            #expect(predicate.evaluate(with: author))
            #expect(try context.fetch(request) == [author], "\(StoreKind.current)")
            author.setValue(7, forKey: "age")
            #expect(try context.fetch(request) == [author], "\(StoreKind.current)")
            context.rollback()
        }
    }

    /// The same values in a format of `String` yield their descriptions.
    @Test func stringFormatsAreAccepted() {
        #expect(String(format: "%@ %@ %d", id as CVarArg, "a", 2) == "\(id.uuidString) a 2")
        #expect(String(format: "%@", NSNumber(value: 3) as CVarArg) == "3")
        #expect(String(format: "%@ %@", NSString(string: "a"), NSString(string: "b") as NSObject as CVarArg) == "a b")
    }
}
