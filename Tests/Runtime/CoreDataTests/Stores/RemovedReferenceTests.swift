import Testing

@testable import CoreData

/// References to deleted objects in XML and binary stores, whose files cannot be read with a reference to a missing
/// object.
@Suite struct RemovedReferenceTests {
    /// Authors with favorites, which have no inverse, and with books.
    private static func model(_ rule: NSDeleteRule) -> NSManagedObjectModel {
        let model = Library.model(booksRule: rule)
        let favorites = NSRelationshipDescription()
        favorites.name = "favorites"
        favorites.destinationEntity = model.entitiesByName["Book"]
        favorites.maxCount = 0
        model.entitiesByName["Author"]?.properties.append(favorites)
        return model
    }

    private func expectReadable(_ stack: FormatStack, _ rule: NSDeleteRule, books: Int, authors: Int) throws {
        let again = try FormatStack(stack.type, stack.url, model: Self.model(rule))
        defer { again.remove() }
        let context = try again.context()
        #expect(try context.all("Book").count == books)
        #expect(try context.all("Author").count == authors)
        for author in try context.all("Author") { #expect((author.value(forKey: "favorites") as? NSSet)?.count == 0) }
    }

    @Test(arguments: FormatStoreTests.types)
    func membersWithoutAnInverseAreForgotten(_ type: String) throws {
        let stack = try FormatStack(type, model: Self.model(.nullifyDeleteRule))
        defer { stack.remove() }
        let context = try stack.context()
        let book = context.make("Book")
        _ = context.make("Author", ["favorites": NSSet(object: book)])
        try context.save()
        let other = try stack.context()
        other.delete(try #require(try other.all("Book").first))
        try other.save()
        try expectReadable(stack, .nullifyDeleteRule, books: 0, authors: 1)
    }

    @Test(arguments: FormatStoreTests.types)
    func referencesOfObjectsThatNoRuleFollowsAreForgotten(_ type: String) throws {
        let stack = try FormatStack(type, model: Self.model(.noActionDeleteRule))
        defer { stack.remove() }
        let context = try stack.context()
        let author = context.make("Author")
        _ = context.make("Book", ["author": author])
        try context.save()
        context.delete(author)
        try context.save()
        try expectReadable(stack, .noActionDeleteRule, books: 1, authors: 0)
    }

    @Test(arguments: FormatStoreTests.types)
    func membersThatTheContextDidNotKnowAreForgotten(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        let context = try stack.context()
        let (book, tag) = (context.make("Book"), context.make("Tag"))
        try context.save()
        let other = try stack.context()
        let same = try #require(try other.all("Book").first)
        #expect((same.value(forKey: "tags") as? NSSet)?.count == 0)
        book.setValue(NSSet(object: tag), forKey: "tags")
        try context.save()
        other.delete(same)
        try other.save()
        let again = try FormatStack(type, stack.url)
        defer { again.remove() }
        #expect(try again.context().all("Tag").count == 1)
    }

    /// A failed save gives the members back.
    @Test(arguments: FormatStoreTests.types)
    func aFailedSaveForgetsNothing(_ type: String) throws {
        let stack = try FormatStack(type, model: Self.model(.nullifyDeleteRule))
        defer { stack.remove() }
        let context = try stack.context()
        let book = context.make("Book")
        _ = context.make("Author", ["favorites": NSSet(object: book)])
        try context.save()
        let moved = stack.folder.appendingPathComponent("moved")
        try FileManager.default.moveItem(at: stack.url, to: moved)
        try FileManager.default.createDirectory(at: stack.url, withIntermediateDirectories: false)
        let other = try stack.context()
        other.delete(try #require(try other.all("Book").first))
        #expect(throws: (any Error).self) { try other.save() }
        let reader = try stack.context()
        #expect(((try reader.all("Author").first)?.value(forKey: "favorites") as? NSSet)?.count == 1)
    }
}
