import CoreData
import Testing

@testable import Jokes

@MainActor @Suite struct JokesTests {
    private let stack = CoreDataStack(folder: nil)
    private var store: JokeStore { JokeStore(stack.persistentContainer.viewContext) }

    private let joke = Joke(
        id: UUID(), category: .knockKnock, setup: "Who's there?", punchline: "Nobody.", rating: .fine,
        toldAt: Date(timeIntervalSinceReferenceDate: 1), comedian: "Bob")

    @Test func aJokeRoundTrips() throws {
        try store.save(joke)
        #expect(try store.joke(id: joke.id) == joke)
        #expect(try store.joke(id: UUID()) == nil)
    }

    @Test func savingAJokeAgainUpdatesIt() throws {
        try store.save(joke)
        var other = joke
        other.rating = .great
        other.punchline = nil
        other.comedian = "BOB"
        try store.save(other)
        other.comedian = "Bob"
        #expect(try store.jokes() == [other])
        #expect(try store.comedians().map(\.jokes) == [1])
        #expect(try store.comedians().map(\.best) == [3])
    }

    @Test func objectsWithoutAClassAreManagedObjects() throws {
        try store.save(joke)
        let objects = try stack.persistentContainer.viewContext.fetch(
            NSFetchRequest<NSManagedObject>(entityName: "Joke"))
        #expect(objects.map { type(of: $0) == NSManagedObject.self } == [true])
        #expect(objects.first?.value(forKey: "category") as? String == "knock-knock")
    }

    @Test func aDeletedJokeIsGone() throws {
        try store.save(joke)
        #expect(try store.delete(id: joke.id))
        #expect(try !store.delete(id: joke.id))
        #expect(try store.comedians().map(\.jokes) == [0])
    }
}
