import CoreData
import Testing

/// Descriptions of predicates and expressions, as returned by Apple's `description`.
@Suite struct PredicateDescriptionTests {
    private let first = NSPredicate(format: "a == 1")
    private let second = NSPredicate(format: "b == 'x'")

    @Test func compoundsThatFoundationMakesPrintTheirPredicate() {
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [first, second])
        #expect(and.description == "a == 1 AND b == \"x\"" && "\(and)" == and.description)
        let or = NSCompoundPredicate(orPredicateWithSubpredicates: [and, first])
        #expect(or.description == "(a == 1 AND b == \"x\") OR a == 1")
        let predicate: NSPredicate = or
        #expect(String(describing: predicate) == or.description)
        #expect(NSCompoundPredicate(type: .and, subpredicates: [first]).description == "a == 1")
    }

    @Test func notPrintsItsSubpredicate() {
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: first).description == "NOT a == 1")
        #expect(NSCompoundPredicate(type: .not, subpredicates: [first]).description == "NOT a == 1")
        let or = NSCompoundPredicate(orPredicateWithSubpredicates: [first, second])
        #expect(NSCompoundPredicate(type: .not, subpredicates: [or]).description == "NOT (a == 1 OR b == \"x\")")
    }

    @Test func valuesPrintAsKeywords() {
        #expect(NSPredicate(value: true).description == "TRUEPREDICATE")
        #expect(NSPredicate(value: false).description == "FALSEPREDICATE")
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [first, NSPredicate(value: true)])
        #expect(both.description == "a == 1 AND TRUEPREDICATE")
    }

    @Test func nullPrintsInBrackets() {
        #expect(NSExpression(forConstantValue: NSNull()).description == "<null>")
        #expect(NSExpression(forConstantValue: nil).description == "nil")
        // It still counts as no value.
        let predicate = NSPredicate(format: "name == %@", NSNull())
        #expect(predicate.description == "name == <null>" && predicate.evaluate(with: ["a": 1]))
        #expect(!predicate.evaluate(with: ["name": "x"]))
    }

    @Test func swiftKeyPathsAreDescribed() throws {
        _ = try Library.coordinator()
        #expect(NSExpression(forKeyPath: \TitledObject.title).keyPath == "title")
        #expect(NSExpression(forKeyPath: \TitledObject.title).description == "title")
    }

    @Test func historyTokensAreOrdered() throws {
        let stack = try HistoryStack()
        let context = try stack.context()
        var tokens: [NSPersistentHistoryToken] = []
        for name in ["a", "b", "c"] {
            _ = context.make("Author", ["name": name])
            try context.save()
            tokens.append(try #require(try context.history().last?.token))
        }
        func numbers(_ predicate: NSPredicate) throws -> [Int] {
            let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
            fetch.predicate = predicate
            let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
            request.resultType = .transactionsOnly
            let found = try context.result(of: request) as? [NSPersistentHistoryTransaction]
            return try #require(found).map { transaction in tokens.firstIndex(of: transaction.token) ?? -1 }
        }
        #expect(try numbers(NSPredicate(format: "token > %@", tokens[0])) == [1, 2])
        #expect(try numbers(NSPredicate(format: "token >= %@", tokens[1])) == [1, 2])
        #expect(try numbers(NSPredicate(format: "token < %@", tokens[1])) == [0])
        #expect(try numbers(NSPredicate(format: "%@ < token", tokens[1])) == [2])
        #expect(try numbers(NSPredicate(format: "token == %@", tokens[1])) == [1])
        #expect(try numbers(NSPredicate(format: "token != %@", tokens[1])) == [0, 2])
    }
}

/// A book with an accessor.
final class TitledObject: NSManagedObject {
    var title: String? { value(forKey: "title") as? String }
}

/// `IN` with values whose type differs from that of the attribute.
@Suite(.overAllStores) struct MembershipOfOtherTypesTests {
    private func authors(_ format: String) throws -> (found: [NSManagedObject], matching: [NSManagedObject]) {
        let context = try Library.context()
        for name in ["9", "10", "11", "1", "x", nil] {
            _ = context.make("Author", ["name": name, "age": name.flatMap { Int($0) }])
        }
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        let all = try context.fetch(request)
        request.predicate = NSPredicate(format: format)
        return (try context.fetch(request), all.filter { request.predicate?.evaluate(with: $0) == true })
    }

    /// A number is not equal to a string in any store.
    @Test(arguments: ["age IN {'9', '10'}", "age IN {9, '10'}", "age == '9'"])
    func theStoreAgreesWithTheEvaluator(_ format: String) throws {
        let (found, matching) = try authors(format)
        #expect(Set(found) == Set(matching))
    }

    /// In databases, a text attribute equals a number with its digits, as by the affinity of its column in SQLite.
    @Test(
        arguments: [
            ("name IN {9, 10, 11}", ["9", "10", "11"]), ("name IN {9, '10', 11}", ["9", "10", "11"]),
            ("NOT name IN {9, 10}", ["11", "1", "x", nil]), ("name IN {9, nil}", ["9", nil]),
            ("name IN {9.0, TRUE}", ["1"]), ("name == 9", ["9"]), ("name != 9", ["10", "11", "1", "x", nil]),
        ] as [(String, [String?])])
    func textsEqualNumbersInDatabases(_ format: String, names: [String?]) throws {
        let (found, matching) = try authors(format)
        if StoreKind.current == .inMemory {
            #expect(Set(found) == Set(matching))
        } else {
            #expect(Set(found.map { $0.value(forKey: "name") as? String }) == Set(names))
        }
    }
}

/// The initial `userInfo` of new descriptions, as in Apple's framework.
@Suite struct UserInfoTests {
    @Test func userInfoOfNewDescriptionsIsChangedInPlace() {
        let properties = [
            NSAttributeDescription(), NSRelationshipDescription(), NSFetchedPropertyDescription(),
            NSDerivedAttributeDescription(), NSExpressionDescription(), NSCompositeAttributeDescription(),
        ]
        for property in properties {
            #expect(property.userInfo?.isEmpty == true)
            property.userInfo?["search"] = 1
            #expect(property.userInfo?["search"] as? Int == 1)
            #expect((property.copy() as? NSPropertyDescription)?.userInfo?["search"] as? Int == 1)
        }
        let entity = NSEntityDescription()
        entity.userInfo?["search"] = 1
        #expect(entity.userInfo?["search"] as? Int == 1)
        entity.userInfo = nil
        #expect(entity.userInfo == nil)
    }

    /// The request itself is not frozen with the model.
    @Test func predicateOfAFetchedPropertyChangesAtRunTime() throws {
        let model = Library.model()
        let fetched = NSFetchedPropertyDescription()
        fetched.name = "others"
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        request.entity = model.entitiesByName["Book"]
        request.predicate = NSPredicate(format: "pages > 10")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        fetched.fetchRequest = request
        model.entitiesByName["Author"]?.properties.append(fetched)
        let context = try Library.context(Library.coordinator(model))
        let author = context.make("Author", ["name": "a"])
        for pages in [5, 15] { _ = context.make("Book", ["title": "\(pages)", "pages": pages]) }
        try context.save()
        func titles() -> [String] {
            let books = (author.value(forKey: "others") as? NSArray)?.compactMap { $0 as? NSManagedObject } ?? []
            return books.compactMap { $0.value(forKey: "title") as? String }
        }
        #expect(titles() == ["15"])
        fetched.fetchRequest?.predicate = NSPredicate(format: "pages > 1 AND $FETCH_SOURCE != nil")
        context.refresh(author, mergeChanges: true)
        #expect(titles() == ["15", "5"])
    }
}
