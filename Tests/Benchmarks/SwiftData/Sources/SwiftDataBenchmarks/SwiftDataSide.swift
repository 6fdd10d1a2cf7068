import SwiftData

/// The same work by SwiftData models.
struct SwiftDataSide {
    let container: ModelContainer

    init() throws {
        container = try ModelContainer(
            for: Models.Author.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    func insert(_ count: Int) throws {
        let context = ModelContext(container)
        for index in 0..<count {
            context.insert(
                Models.Book(
                    isbn: "isbn \(index)", pages: Int64(index % 1000), price: 9.5,
                    published: Date(timeIntervalSinceReferenceDate: Double(index)), title: "Title \(index)"))
        }
        try context.save()
    }

    func read() throws -> Int {
        let context = ModelContext(container)
        var sum = 0
        for book in try context.fetch(FetchDescriptor<Models.Book>()) {
            sum += Int(book.pages) + (book.title?.utf8.count ?? 0) + (book.isNew ? 1 : 0) + Int(book.price)
            sum += Int(book.published?.timeIntervalSinceReferenceDate ?? 0)
        }
        return sum
    }

    func update() throws {
        let context = ModelContext(container)
        for book in try context.fetch(FetchDescriptor<Models.Book>()) {
            book.pages += 1
            book.title = "Changed"
        }
        try context.save()
    }

    func search(_ times: Int) throws -> Int {
        let context = ModelContext(container)
        var count = 0
        for round in 0..<times {
            let (lower, upper) = (Int64(round * 10), Int64(round * 10 + 10))
            let predicate = #Predicate<Models.Book> { $0.pages >= lower && $0.pages < upper }
            count += try context.fetch(FetchDescriptor(predicate: predicate)).count
        }
        return count
    }

    func access(_ times: Int) throws -> Int {
        let context = ModelContext(container)
        var descriptor = FetchDescriptor<Models.Book>()
        descriptor.fetchLimit = 1000
        let books = try context.fetch(descriptor)
        var sum = 0
        for round in 0..<times {
            for book in books {
                sum += Int(book.pages) + (book.title?.utf8.count ?? 0)
                book.pages = Int64(round)
            }
        }
        return sum
    }
}
