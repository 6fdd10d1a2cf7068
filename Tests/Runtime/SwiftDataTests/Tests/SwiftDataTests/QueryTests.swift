import SwiftData
import Testing

@Suite struct QueryTests {
    private let context: ModelContext

    init() throws {
        context = try makeContext()
        let authors = ["Austen", "Brontë", "Čapek"].map(Author.init)
        for (number, title) in ["Emma", "emma 2", "R.U.R.", "Persuasion", "item 10", "item 9"].enumerated() {
            let book = Book(title: title, pages: number * 50, genre: Genre.allCases[number % 3])
            book.author = number == 5 ? nil : authors[number % 3]
            book.mood = number % 2 == 0 ? .happy : nil
            book.format.width = number
            context.insert(book)
        }
        try context.save()
    }

    /// Compares the store's result with the predicate's.
    private func check(_ predicate: Predicate<Book>, _ titles: Set<String>, line: Int = #line) throws {
        let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
        let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.title)
        #expect(Set(found) == titles, sourceLocation: location)
        let all = try context.fetch(FetchDescriptor<Book>())
        #expect(Set(try all.filter { try predicate.evaluate($0) }.map(\.title)) == titles, sourceLocation: location)
        // The same over unsaved changes.
        let other = ModelContext(context.container)
        for book in try other.fetch(FetchDescriptor<Book>()) { book.pages += 0 }
        #expect(
            Set(try other.fetch(FetchDescriptor(predicate: predicate)).map(\.title)) == titles, sourceLocation: location
        )
    }

    @Test func comparisonsSelectMatchingModels() throws {
        try check(#Predicate { $0.title == "Emma" }, ["Emma"])
        try check(#Predicate { $0.pages > 100 && $0.title != "item 9" }, ["Persuasion", "item 10"])
        try check(
            #Predicate { $0.pages <= 50 || $0.title.starts(with: "item") }, ["Emma", "emma 2", "item 10", "item 9"])
        try check(#Predicate { $0.title.localizedStandardContains("EMM") }, ["Emma", "emma 2"])
        try check(#Predicate { $0.title.contains("mm") }, ["Emma", "emma 2"])
        let requested = ["Emma", "R.U.R."]
        try check(#Predicate { requested.contains($0.title) }, ["Emma", "R.U.R."])
        try check(#Predicate { $0.pages + 50 == 100 }, ["emma 2"])
    }

    @Test func optionalValuesAndRelationshipsMatchPredicates() throws {
        try check(#Predicate { $0.author == nil }, ["item 9"])
        try check(#Predicate { $0.author?.name == "Austen" }, ["Emma", "Persuasion"])
        try check(#Predicate { $0.author?.name ?? "none" == "none" }, ["item 9"])
        try check(
            #Predicate { if let author = $0.author { author.name.starts(with: "B") } else { false } },
            ["emma 2", "item 10"])
        try check(#Predicate { $0.author.flatMap { $0.name } == "Austen" }, ["Emma", "Persuasion"])
        let author = try #require(
            try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "Austen" })).first)
        let id = author.persistentModelID
        try check(#Predicate { $0.author?.persistentModelID == id }, ["Emma", "Persuasion"])
    }

    @Test func predicatesTestToManyRelationships() throws {
        let found = try context.fetch(
            FetchDescriptor<Author>(predicate: #Predicate { $0.books.contains { $0.pages > 150 } }))
        #expect(found.map(\.name) == ["Brontë"])
        let many = try context.fetchCount(FetchDescriptor<Author>(predicate: #Predicate { $0.books.count == 2 }))
        #expect(many == 2)
        let none = try context.fetchCount(FetchDescriptor<Author>(predicate: #Predicate { $0.books.isEmpty }))
        #expect(none == 0)
        let all = try context.fetch(
            FetchDescriptor<Author>(predicate: #Predicate { $0.books.allSatisfy { $0.pages == 100 } }))
        #expect(all.map(\.name) == ["Čapek"])
        let filtered = try context.fetchCount(
            FetchDescriptor<Author>(predicate: #Predicate { $0.books.filter { $0.pages > 0 }.count == 2 }))
        #expect(filtered == 1)
    }

    @Test func optionalToManyRelationshipsMatchPredicates() throws {
        let book = try #require(
            try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Emma" })).first)
        book.tagsInOrder = [Tag(name: "x")]
        try context.save()
        try check(#Predicate { $0.tagsInOrder?.contains { $0.name == "x" } ?? false }, ["Emma"])
        try check(#Predicate { $0.tagsInOrder?.contains { $0.name == "x" } == true }, ["Emma"])
        let id = try #require(book.tagsInOrder?.first).persistentModelID
        try check(#Predicate { $0.tagsInOrder?.contains { $0.persistentModelID == id } ?? false }, ["Emma"])
        let some = try context.fetchCount(
            FetchDescriptor<Book>(predicate: #Predicate { ($0.tagsInOrder?.count ?? 0) > 0 }))
        #expect(some == 1)
    }

    @Test func computedPropertiesOfOtherModelsCannotBeSorted() throws {
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
            try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.author?.loudName)]))
        }
    }

    @Test func enumerationsAndStructuresMatchPredicates() throws {
        let genre = Genre.poetry
        try check(#Predicate { $0.genre == genre }, ["emma 2", "item 10"])
        let raw = genre.rawValue
        try check(#Predicate { $0.genre.rawValue == raw }, ["emma 2", "item 10"])
        try check(#Predicate { $0.mood == nil }, ["emma 2", "Persuasion", "item 9"])
        let mood: Mood? = .happy
        try check(#Predicate { $0.mood == mood }, ["Emma", "R.U.R.", "item 10"])
        try check(#Predicate { $0.format.width > 3 }, ["item 10", "item 9"])
    }

    @Test func modelsAreFetchedByIdentifier() throws {
        let book = try #require(
            try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Emma" })).first)
        let id = book.id
        try check(#Predicate { $0.id == id }, ["Emma"])
        let persistent = book.persistentModelID
        try check(#Predicate { $0.persistentModelID == persistent }, ["Emma"])
        let list = [persistent]
        try check(#Predicate { list.contains($0.persistentModelID) }, ["Emma"])
        #expect(
            try context.fetchIdentifiers(FetchDescriptor<Book>(predicate: #Predicate { $0.id == id })) == [persistent])
    }

    @Test func unsupportedPartsOfAQueryAreErrors() throws {
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.author!.name == "Austen" }))
        }
        #expect(throws: SwiftDataError.unsupportedKeyPath) {
            try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.summary == "x" }))
        }
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
            try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.summary)]))
        }
        #expect(throws: (any Error).self) {
            try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.tags.contains("a") }))
        }
    }

    @Test func resultsAreSortedAsRequested() throws {
        let titles = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])).map(\.title)
        #expect(titles == ["Emma", "emma 2", "item 9", "item 10", "Persuasion", "R.U.R."])
        let pages = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages, order: .reverse)])).map(
            \.pages)
        #expect(pages == [250, 200, 150, 100, 50, 0])
        let byAuthor = try context.fetch(
            FetchDescriptor<Book>(sortBy: [SortDescriptor(\.author?.name), SortDescriptor(\.title)]))
        #expect(byAuthor.map { $0.author?.name } == [nil, "Austen", "Austen", "Brontë", "Brontë", "Čapek"])
    }

    @Test func resultsAreSortedByPartsOfStructures() throws {
        for (index, book) in try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])).enumerated() {
            book.format.width = 10 - index
        }
        try context.save()
        let widths = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.format.width)])).map(\.title)
        #expect(widths == ["R.U.R.", "Persuasion", "item 10", "item 9", "emma 2", "Emma"])
        // A computed property that reads a structure.
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
            try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.area)]))
        }
    }

    @Test func limitsAndBatchesSelectPartsOfTheResult() throws {
        var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
        descriptor.fetchLimit = 2
        descriptor.fetchOffset = 1
        #expect(try context.fetch(descriptor).map(\.pages) == [50, 100])
        descriptor.fetchLimit = 0
        descriptor.fetchOffset = nil
        #expect(try context.fetch(descriptor).count == 6)
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
            try context.fetch(descriptor, batchSize: 2)
        }
        descriptor.includePendingChanges = false
        let batches = try context.fetch(descriptor, batchSize: 4)
        #expect(batches.map(\.pages) == [0, 50, 100, 150, 200, 250])
        var count = 0
        try context.enumerate(FetchDescriptor<Book>(), batchSize: 2) { _ in count += 1 }
        #expect(count == 6)
    }

    @Test func enumerateThrowsIfChangesAreLeftAfterABatch() throws {
        let context = try makeContext()
        for _ in 0..<5 { context.insert(Book(title: "B")) }
        try context.save()
        var count = 0
        do {
            try context.enumerate(FetchDescriptor<Book>(), batchSize: 2) { book in
                count += 1
                book.pages = 1
            }
            Issue.record("the changes were accepted")
        } catch {
            #expect(error as? SwiftDataError == .includePendingChangesWithBatchSize)
            #expect("\(error)".contains("left unsaved changes of Book"), "\(error)")
        }
        #expect(count == 2 && context.changedModelsArray.count == 2)
        context.rollback()
        // The changes after the last batch count, too.
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
            try context.enumerate(FetchDescriptor<Book>()) { $0.pages = 2 }
        }
        // Other changes than the block's are allowed.
        try context.enumerate(FetchDescriptor<Book>(), batchSize: 2) { $0.pages = 3 }
        context.rollback()
        count = 0
        try context.enumerate(FetchDescriptor<Book>(), batchSize: 2) { book in
            count += 1
            book.pages = 4
            if count.isMultiple(of: 2) || count == 5 { try context.save() }
        }
        #expect(try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages == 4 })) == 5)
    }
    /// As `DEVIATIONS.md` says: a fetch compares text by its code points.
    @Test func accentsCompareDifferentlyThanInSwift() throws {
        let context = try makeContext()
        for name in ["\u{E9}", "e\u{301}", "g"] { context.insert(Item(timestamp: .now, name: name)) }
        let models = try context.fetch(FetchDescriptor<Item>())
        let equal = #Predicate<Item> { $0.name == "\u{E9}" }
        let less = #Predicate<Item> { $0.name < "f" }
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            #expect(try context.fetchCount(FetchDescriptor(predicate: equal)) == 1)
            #expect(try context.fetchCount(FetchDescriptor(predicate: less)) == 2)
        }
        #expect(try models.filter { try equal.evaluate($0) }.count == 2)
        #expect(try models.filter { try less.evaluate($0) }.isEmpty)
    }
}
