import CoreData
import Testing

/// `NSFetchRequestExpression`: fetch requests in predicates.
@Suite(.overAllStores) struct FetchRequestExpressionTests {
    private func fill(_ context: NSManagedObjectContext) throws {
        let authors = ["Austen", "Eliot", "Gaskell"].map { context.make("Author", ["name": $0]) }
        for (index, author) in authors.enumerated() {
            _ = context.make("Book", ["title": "Book of \(index)", "pages": index, "author": author])
        }
        _ = context.make("Tag", ["name": "Book of 1"])
        try context.save()
    }

    private func request(_ entity: String, _ format: String? = nil) -> NSFetchRequest<NSFetchRequestResult> {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0) }
        return request
    }

    private func expression(
        _ request: NSFetchRequest<NSFetchRequestResult>, _ context: NSManagedObjectContext, countOnly: Bool = false
    ) -> NSExpression {
        NSFetchRequestExpression.expression(
            forFetch: NSExpression(forConstantValue: request), context: NSExpression(forConstantValue: context),
            countOnly: countOnly)
    }

    private func titles(_ context: NSManagedObjectContext, _ predicate: NSPredicate) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }
    }

    @Test func partsAreThoseOfTheInitializer() throws {
        let context = try Library.context()
        let inner = request("Author")
        let whole = try #require(expression(inner, context, countOnly: true) as? NSFetchRequestExpression)
        #expect(whole.requestExpression.constantValue as? NSFetchRequest<NSFetchRequestResult> === inner)
        #expect(whole.contextExpression.constantValue as? NSManagedObjectContext === context)
        #expect(whole.isCountOnlyRequest)
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "author"), rightExpression: whole, modifier: .direct, type: .in)
        #expect(predicate.rightExpression is NSFetchRequestExpression)
    }

    @Test func evaluatesToTheResults() throws {
        let context = try Library.context()
        try fill(context)
        let authors = expression(request("Author", "name < 'F'"), context)
        let found = try #require(authors.expressionValue(with: nil, context: nil) as? [NSManagedObject])
        #expect(Set(found.compactMap { $0.value(forKey: "name") as? String }) == ["Austen", "Eliot"])
        let count = expression(request("Author", "name < 'F'"), context, countOnly: true)
        #expect(count.expressionValue(with: nil, context: nil) as? Int == 2)
    }

    @Test func fetchesWithARequestInThePredicate() throws {
        let context = try Library.context()
        try fill(context)
        let inner = expression(request("Author", "name < 'F'"), context)
        let isIn = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "author"), rightExpression: inner, modifier: .direct, type: .in)
        #expect(try titles(context, isIn) == ["Book of 0", "Book of 1"])
        let not = NSCompoundPredicate(notPredicateWithSubpredicate: isIn)
        #expect(try titles(context, not) == ["Book of 2"])
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [isIn, NSPredicate(format: "pages > 0")])
        #expect(try titles(context, both) == ["Book of 1"])
        #expect(try titles(context, NSPredicate(format: "author IN %@", inner)) == ["Book of 0", "Book of 1"])
        // A count can be used like any other number.
        let count = expression(request("Author", "name < 'F'"), context, countOnly: true)
        let pages = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "pages"), rightExpression: count, modifier: .direct, type: .equalTo
        )
        #expect(try titles(context, pages) == ["Book of 2"])
        let counted = NSFetchRequest<NSManagedObject>(entityName: "Book")
        counted.predicate = isIn
        #expect(try context.count(for: counted) == 2)
    }

    @Test func oneColumnYieldsAListOfValues() throws {
        let context = try Library.context()
        try fill(context)
        let names = request("Tag")
        names.resultType = .dictionaryResultType
        names.propertiesToFetch = ["name"]
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "title"), rightExpression: expression(names, context),
            modifier: .direct, type: .in)
        #expect(try titles(context, predicate) == ["Book of 1"])
    }

    /// Each fetch executes the request again, including unsaved objects.
    @Test func theRequestIsExecutedOnEachEvaluation() throws {
        let context = try Library.context()
        try fill(context)
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "author"),
            rightExpression: expression(request("Author", "age > 50"), context), modifier: .direct, type: .in)
        #expect(try titles(context, predicate).isEmpty)
        let author = try #require(try context.all("Author", by: "name").last)
        author.setValue(60, forKey: "age")
        #expect(try titles(context, predicate) == ["Book of 2"])
        let book = try #require(try context.all("Book", by: "title").last)
        #expect(predicate.evaluate(with: book))
    }
}

/// Requests with other result types, instead of casts.
@Suite struct FetchRequestConversionTests {
    @Test func requestsAndTemplatesConvertToOtherResultTypes() throws {
        let model = Library.model()
        let template = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        template.predicate = NSPredicate(format: "pages > $PAGES")
        template.fetchLimit = 3
        model.setFetchRequestTemplate(template, forName: "long")
        let books: NSFetchRequest<Book>? = model.fetchRequestTemplate(forName: "long")
        #expect(books?.predicate == template.predicate && books?.fetchLimit == 3 && books?.entityName == "Book")
        let long: NSFetchRequest<Book>? = model.fetchRequestFromTemplate(
            withName: "long", substitutionVariables: ["PAGES": 100])
        #expect(long?.predicate == NSPredicate(format: "pages > 100"))
        let missing: NSFetchRequest<Book>? = model.fetchRequestTemplate(forName: "none")
        #expect(missing == nil)
        // Without a type, the previous spellings keep their meaning.
        let plain = try #require(model.fetchRequestTemplate(forName: "long"))
        #expect(plain === template)
        let converted = NSFetchRequest<Book>(plain)
        converted.fetchLimit = 1
        #expect(converted.predicate == template.predicate && template.fetchLimit == 3)
        #expect(NSFetchRequest<NSFetchRequestResult>(converted).fetchLimit == 1)
    }
}
