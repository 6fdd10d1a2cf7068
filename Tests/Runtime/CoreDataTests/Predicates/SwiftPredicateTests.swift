import CoreData
import Testing

/// Swift's `#Predicate` as an `NSPredicate`. The expected results are Swift's own: both predicates are evaluated on the
/// same objects.
@Suite struct SwiftPredicateTests {
    private let context: NSManagedObjectContext
    private let books: [Volume]

    init() throws {
        let context = try Library.context(Volume.coordinator())
        self.context = context
        let writers = [nil, "Ann", "Bob"].map { context.make("Author", ["name": $0, "age": 40]) }
        let tags = ["x", "y"].map { context.make("Tag", ["name": $0]) }
        var made: [NSManagedObject] = []
        for (index, title) in ["Emma", "emma", "", "Überfluß", nil, "a.b"].enumerated() {
            let book = context.make(
                "Book",
                [
                    "title": title, "pages": index * 100 - 100, "price": Double(index) / 2, "isNew": index % 2 == 0,
                    "author": index < 3 ? writers[index] : nil, "tags": NSSet(array: Array(tags.prefix(index % 3))),
                    "date": index == 1 ? nil : Date(timeIntervalSinceReferenceDate: Double(index)),
                ])
            made.append(book)
        }
        made[0].setValue(made[1], forKey: "sequel")
        made[1].setValue(made[2], forKey: "sequel")
        books = made.compactMap { $0 as? Volume }
    }

    /// Checks that both predicates have the same results, both true and false ones if `mixed`.
    private func check(
        _ predicate: Foundation.Predicate<Volume>, _ format: String? = nil, mixed: Bool = true,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let turned = try #require(NSPredicate(predicate), sourceLocation: location)
        if let format { #expect("\(turned)" == format, sourceLocation: location) }
        var answers: Set<Bool> = []
        for book in books {
            let answer = try predicate.evaluate(book)
            answers.insert(answer)
            #expect(
                turned.evaluate(with: book) == answer, "\(turned) \(book.title ?? "nil")", sourceLocation: location)
        }
        if mixed { #expect(answers.count == 2, "\(turned) says nothing", sourceLocation: location) }
        let request = NSFetchRequest<Volume>(entityName: "Book")
        request.predicate = turned
        let found = try context.fetch(request)
        #expect(
            Set(found) == Set(try books.filter { try predicate.evaluate($0) }), sourceLocation: location)
    }

    @Test func comparisonsAreConverted() throws {
        let limit: Int32 = 100
        try check(#Predicate { $0.pages > limit }, "pages > 100")
        try check(#Predicate { $0.pages >= limit }, "pages >= 100")
        try check(#Predicate { $0.pages < limit }, "pages < 100")
        try check(#Predicate { $0.pages <= limit }, "pages <= 100")
        try check(#Predicate { $0.pages == limit }, "pages == 100")
        try check(#Predicate { $0.pages != limit }, "pages != 100")
        try check(#Predicate { $0.title == "Emma" }, #"title == "Emma""#)
        try check(#Predicate { $0.title != "Emma" }, #"title != "Emma""#)
        let date = Date(timeIntervalSinceReferenceDate: 2)
        try check(#Predicate { $0.date == date })
    }

    @Test func logicIsConverted() throws {
        try check(#Predicate { $0.pages > 0 && $0.price < 2 }, "pages > 0 AND price < 2")
        try check(#Predicate { $0.pages > 200 || $0.price < 1 }, "pages > 200 OR price < 1")
        try check(#Predicate { !($0.pages > 200) }, "NOT pages > 200")
        try check(#Predicate { $0.isFresh }, "isNew == 1")
        try check(#Predicate { !$0.isFresh || $0.pages == 300 })
        try check(#Predicate { $0.isFresh == ($0.pages > 100) })
        try check(#Predicate { _ in true }, mixed: false)
        try check(Predicate<Volume>.false, mixed: false)
        let flag = true
        try check(#Predicate { flag && $0.pages > 100 })
    }

    @Test func conditionalsAreConverted() throws {
        try check(#Predicate { $0.isFresh ? $0.pages > 100 : $0.price > 1 })
        try check(#Predicate { ($0.isFresh ? 1 : 2) == 2 })
        try check(
            #Predicate {
                if let title = $0.title { title == "emma" } else { true }
            })
    }

    @Test func optionalsAreConverted() throws {
        try check(#Predicate { $0.title == nil }, "title == nil")
        try check(#Predicate { $0.author != nil }, "author != nil")
        try check(#Predicate { $0.author?.name == "Ann" }, #"author.name == "Ann""#)
        try check(#Predicate { $0.author?.name != "Ann" })
        try check(#Predicate { $0.sequel?.sequel?.title == "" })
        try check(#Predicate { ($0.title ?? "none") == "none" })
        try check(#Predicate { ($0.author?.name ?? "none") == "none" })
        try check(#Predicate { $0.title.flatMap { $0 == "Emma" } ?? true })
        try check(#Predicate { $0.title.flatMap { $0 == "Emma" } ?? false })
        try check(#Predicate { $0.title.flatMap { $0 != "Emma" } ?? $0.isFresh })
        try check(#Predicate { $0.author.flatMap { $0.name.flatMap { $0 != "Ann" } } ?? true })
        try check(#Predicate { $0.title.flatMap { $0.isEmpty } == true })
        try check(#Predicate { $0.title.flatMap { $0.isEmpty } == nil })
        try check(#Predicate { $0.title == nil || $0.title!.isEmpty })
    }

    @Test func stringOperationsAreConverted() throws {
        let part = "mm"
        try check(#Predicate { ($0.title ?? "").contains(part) })
        try check(#Predicate { $0.title?.contains("mm") ?? false }, #"title != nil AND title CONTAINS "mm""#)
        try check(#Predicate { $0.title?.starts(with: "Em") ?? true })
        try check(#Predicate { $0.title?.starts(with: "") ?? false })
        try check(#Predicate { $0.title?.contains("") ?? false })
        try check(#Predicate { $0.title?.isEmpty ?? false })
        try check(#Predicate { $0.title?.contains(#/^[a-z]+$/#) ?? false })
        try check(#Predicate { $0.title?.contains(#/m{2}/#) ?? false })
    }

    /// Foundation supports these in `#Predicate` only on Apple's platforms; here CoreData provides them.
    @Test func localizedStringOperationsAreConverted() throws {
        let same = ComparisonResult.orderedSame
        try check(
            #Predicate { $0.title?.localizedStandardContains("EM") ?? false },
            #"title != nil AND title CONTAINS[cdl] "EM""#)
        try check(#Predicate { ($0.title ?? "").localizedStandardContains("uberflu") })
        try check(#Predicate { ($0.title ?? "").caseInsensitiveCompare("EMMA") == same })
        try check(#Predicate { ($0.title ?? "").caseInsensitiveCompare("EMMA") != same })
        let ascending = ComparisonResult.orderedAscending
        try check(#Predicate { ($0.title ?? "").localizedCompare("b") == ascending })
    }

    @Test func rangesAreConverted() throws {
        try check(#Predicate { (0...200).contains($0.pages) }, "pages BETWEEN {0, 200}")
        try check(#Predicate { (0..<200).contains($0.pages) }, "pages >= 0 AND pages < 200")
        let (closed, open): (ClosedRange<Int32>, Range<Int32>) = (100...200, 100..<300)
        try check(#Predicate { closed.contains($0.pages) })
        try check(#Predicate { open.contains($0.pages) })
        let (from, through, upTo): (PartialRangeFrom<Int32>, PartialRangeThrough<Int32>, PartialRangeUpTo<Int32>) =
            (100..., ...100, ..<100)
        try check(#Predicate { from.contains($0.pages) }, "pages >= 100")
        try check(#Predicate { through.contains($0.pages) }, "pages <= 100")
        try check(#Predicate { upTo.contains($0.pages) }, "pages < 100")
    }

    @Test func arithmeticIsConverted() throws {
        try check(#Predicate { $0.pages + 1 == 101 })
        try check(#Predicate { $0.pages - 100 == 0 })
        try check(#Predicate { $0.pages * 2 == 400 })
        try check(#Predicate { $0.pages / 3 == 33 })
        try check(#Predicate { $0.pages % 7 == 2 })
        try check(#Predicate { $0.pages % 7 == -2 })
        try check(#Predicate { $0.price / 2 == 0.25 })
        try check(#Predicate { -$0.pages == 100 })
    }

    @Test func collectionsAreConverted() throws {
        let pages: [Int32] = [0, 300]
        try check(#Predicate { pages.contains($0.pages) }, "pages IN {0, 300}")
        let titles: Set<String?> = ["Emma", nil]
        try check(#Predicate { titles.contains($0.title) })
        try check(#Predicate { $0.tags.count == 2 }, "tags.@count == 2")
        try check(#Predicate { $0.tags.isEmpty }, "tags.@count == 0")
        let name = "Emma"
        let numbers = [1, 2, 3]
        try check(#Predicate { $0.title == name || numbers.isEmpty })
        let ages: [Int32] = [40]
        try check(#Predicate { $0.author.flatMap { ages.contains($0.age) } ?? false })
        let list: [Int32] = [100, 200]
        try check(#Predicate { $0.pages == list[0] })
        try check(#Predicate { list.first! == $0.pages })
        try check(#Predicate { list.last! == $0.pages })
        try check(#Predicate { list.min()! == $0.pages })
        try check(#Predicate { list.max()! == $0.pages })
        let byTitle: [String: Int32] = ["Emma": -100]
        try check(#Predicate { (byTitle[$0.title ?? ""] ?? 100) == $0.pages })
        try check(#Predicate { byTitle[$0.title ?? "", default: 100] == $0.pages })
    }

    @Test func membersOfRelationshipsAreConverted() throws {
        let limit: Int32 = 100
        func writers(_ predicate: Foundation.Predicate<Writer>, _ format: String?) throws {
            let turned = try #require(NSPredicate(predicate))
            if let format { #expect("\(turned)" == format) }
            for case let writer as Writer in try context.all("Author") {
                #expect(turned.evaluate(with: writer) == (try predicate.evaluate(writer)), "\(turned)")
            }
        }
        try writers(
            #Predicate { $0.volumes.contains { $0.pages < limit } },
            "SUBQUERY(books, $element1, $element1.pages < 100).@count > 0")
        try writers(#Predicate { $0.volumes.allSatisfy { $0.pages < limit } }, nil)
        try writers(#Predicate { $0.volumes.filter { $0.pages < limit }.count == 1 }, nil)
        try writers(
            #Predicate { writer in writer.volumes.contains { $0.pages < writer.age && $0.author != nil } }, nil)
    }

    /// The compiler already knows the results of most casts, so these are handwritten.
    @Test func castsAreConverted() throws {
        let same = Foundation.Expression<Volume, Int32> { book in
            PredicateExpressions.build_KeyPath(
                root: PredicateExpressions.ForceCast<_, Volume>(book), keyPath: \.pages)
        }
        #expect(NSExpression(same)?.description == "pages")
        let optional = Foundation.Expression<Volume, Volume?> { PredicateExpressions.ConditionalCast<_, Volume>($0) }
        #expect(NSExpression(optional)?.description == "SELF")
        let check = Foundation.Expression<Volume, Bool> { PredicateExpressions.TypeCheck<_, Volume>($0) }
        #expect(NSExpression(check)?.expressionValue(with: books[0], context: nil) as? Bool == true)
        let other = Foundation.Expression<Volume, Writer?> { PredicateExpressions.ConditionalCast<_, Writer>($0) }
        #expect(NSExpression(other) == nil)
        let wrong = Foundation.Expression<Volume, Bool> { PredicateExpressions.TypeCheck<_, Writer>($0) }
        #expect(NSExpression(wrong) == nil)
        let forced = Foundation.Expression<Volume, Writer> { PredicateExpressions.ForceCast<_, Writer>($0) }
        #expect(NSExpression(forced) == nil)
    }

    @Test func expressionsAreConverted() throws {
        let expression = #Expression<Volume, Int32> { $0.pages + 1 }
        let turned = try #require(NSExpression(expression))
        #expect(turned.description == "pages + 1")
        #expect(turned.expressionValue(with: books[2], context: nil) as? Int == 101)
    }

    /// A predicate without a counterpart with the same results yields `nil`.
    @Test func unsupportedPredicatesYieldNil() {
        let texts = ["a"]
        #expect(NSPredicate(#Predicate<Volume> { ($0.title ?? "").count > 2 }) == nil)
        #expect(NSPredicate(#Predicate<Volume> { $0.loudTitle == "A!" }) == nil)
        #expect(NSPredicate(#Predicate<Volume> { $0.isLong }) == nil)
        #expect(NSPredicate(#Predicate<Volume> { texts[0..<1].contains($0.title ?? "") }) == nil)
        #expect(NSPredicate(#Predicate<NSString> { $0.length > 3 }) == nil)
    }
}
