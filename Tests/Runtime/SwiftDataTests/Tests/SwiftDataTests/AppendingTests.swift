import RuntimeSupport
import SwiftData
import Testing

/// Models that are added to a to-many relationship one by one.
@Suite struct AppendingTests {
    @Model final class Node {
        var parent: Node?
        @Relationship(inverse: \Node.parent) var children: [Node]

        init(children: [Node]) { self.children = children }
    }

    private let context: ModelContext
    private let author = Author(name: "A")

    init() throws {
        context = try makeContext()
        context.insert(author)
    }

    private var titles: [String] { author.books.map(\.title) }

    @Test func appendedModelsFollowTheOthers() throws {
        for number in 0..<5 { author.books.append(Book(title: "\(number)")) }
        #expect(titles == ["0", "1", "2", "3", "4"] && author.books.allSatisfy { $0.author === author })
        author.books.append(author.books[1])
        author.books = author.books + [Book(title: "5"), author.books[0], Book(title: "6")]
        #expect(titles == ["0", "1", "2", "3", "4", "5", "6"])
        try context.save()
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Book>()) == 7)
    }

    @Test func appendingTakesTheModelFromAnother() {
        let other = Author(name: "B")
        other.books = [Book(title: "b")]
        context.insert(other)
        author.books.append(other.books[0])
        #expect(other.books.isEmpty && titles == ["b"] && author.books[0].author === author)
    }

    @Test func anEqualValueIsAChange() throws {
        author.books = [Book(title: "a")]
        try context.save()
        let books = author.books
        #expect(!context.hasChanges)
        author.books = books
        #expect(context.hasChanges && context.changedModelsArray.count == 1)
    }

    @Test func newModelsMayReferToTheOwnerAlready() {
        for number in 0..<3 { author.books.append(Book(title: "\(number)", author: author)) }
        #expect(titles == ["0", "1", "2"])
    }

    /// The insertion of the new node moves the other one to it, and the assignment moves it back.
    @Test func membersThatANewModelHasTakenComeBack() throws {
        let context = ModelContext(try makeContainer(Node.self))
        let (parent, child) = (Node(children: []), Node(children: []))
        context.insert(parent)
        parent.children = [child]
        let new = Node(children: [child])
        parent.children.append(new)
        #expect(parent.children.count == 2 && parent.children.contains(child) && parent.children.contains(new))
        #expect(child.parent === parent && new.children.isEmpty)
    }

    #if DEBUG
    /// Each append looks at the members, and does not compare, check and replace all of them.
    @Test func appendingDoesNotReplaceTheMembers() {
        func steps(_ count: Int) -> Int {
            let author = Author(name: "\(count)")
            context.insert(author)
            let counter = WorkCount.Counter()
            WorkCount.$counter.withValue(counter) {
                for number in 0..<count { author.books.append(Book(title: "\(number)")) }
            }
            return counter.steps
        }
        let few = steps(50)
        #expect(steps(400) < 16 * max(few, 50))
    }
    #endif
}
