import CoreData
import Library
import Testing

@Suite struct LibraryTests {
    @Test func containerFindsTheModelAndItsClasses() throws {
        let context = Library.container().newBackgroundContext()
        try context.performAndWait {
            // Use the entity names first: no class was used before.
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            #expect(author is Author)
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            #expect(book is Book)
            book.setValue("Emma", forKey: "title")
            book.setValue(author, forKey: "author")
            try context.save()
            #expect((author as? Author)?.books?.count == 1)
            #expect(try context.fetch(Book.fetchRequest()).first?.title == "Emma")
        }
    }
}
