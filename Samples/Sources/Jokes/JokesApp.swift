import CoreData
import SampleSupport

/// Jokes: objects without subclasses, accessed with `setValue(_:forKey:)` and `value(forKey:)`.
@main
@MainActor
struct JokesApp {
    static func main() async throws {
        try await Launch.run { folder in try JokesApp(CoreDataStack(folder: folder)).run() }
    }

    private let stack: CoreDataStack
    private let store: JokeStore

    init(_ stack: CoreDataStack) {
        self.stack = stack
        store = JokeStore(stack.persistentContainer.viewContext)
    }

    private static let sorts = UUID(uuidString: "5E0B2A4C-51E2-4D1B-9C6B-0B6F0C6F0A01") ?? UUID()
    private static let lettuce = UUID(uuidString: "5E0B2A4C-51E2-4D1B-9C6B-0B6F0C6F0A02") ?? UUID()
    private static let types = UUID(uuidString: "5E0B2A4C-51E2-4D1B-9C6B-0B6F0C6F0A03") ?? UUID()
    private static let chicken = UUID(uuidString: "5E0B2A4C-51E2-4D1B-9C6B-0B6F0C6F0A04") ?? UUID()

    private func run() throws {
        if try store.jokes().isEmpty { try collect() }
        Launch.section("The collection")
        try show()
        try tell()
        try forget()
    }

    private func collect() throws {
        Launch.section("Saving four jokes by their keys")
        try store.save(
            Joke(
                id: Self.sorts, category: .programming, setup: "Why do programmers mix up Halloween and Christmas?",
                punchline: "Because Oct 31 is Dec 25.", rating: .great, comedian: "Ada"))
        try store.save(
            Joke(
                id: Self.types, category: .programming, setup: "What is a programmer's favourite place to hang out?",
                punchline: "The Foo Bar.", rating: .bad, comedian: "ada"))
        try store.save(
            Joke(
                id: Self.lettuce, category: .knockKnock, setup: "Knock knock. Who's there? Lettuce.",
                punchline: "Lettuce in, it's cold out here!", rating: .fine, comedian: "Bob"))
        try store.save(
            Joke(id: Self.chicken, category: .general, setup: "Why did the chicken cross the road?", comedian: nil))
        let object = try stack.persistentContainer.viewContext.fetch(
            NSFetchRequest<NSManagedObject>(entityName: "Joke")
        ).first
        print("they are of the class \(object.map { "\(type(of: $0))" } ?? "-")")
    }

    private func show() throws {
        for category in Joke.Category.allCases {
            for joke in try store.jokes(category) {
                let told = joke.toldAt == nil ? "" : ", told on \(Clock.day(joke.toldAt))"
                print("[\(category.rawValue)] \(joke.setup) (\(joke.rating), \(joke.comedian ?? "nobody's")\(told))")
            }
        }
        for comedian in try store.comedians() {
            print("\(comedian.name): \(comedian.jokes), the best is \(comedian.best)")
        }
    }

    private func tell() throws {
        Launch.section("Telling one, found by its UUID")
        guard let joke = try store.joke(id: Self.chicken) else { return print("it is forgotten") }
        print("\(joke.setup) \(joke.punchline ?? "…")")
        try store.tell(id: Self.chicken, at: Clock.date("2026-11-21 20:00"), .bad)
        print(
            "told on \(Clock.day(try store.joke(id: Self.chicken)?.toldAt)), \(try store.joke(id: Self.chicken)?.rating ?? .unrated)"
        )
    }

    private func forget() throws {
        Launch.section("Forgetting one")
        print("the chicken: \(try store.delete(id: Self.chicken) ? "forgotten" : "was forgotten before")")
        print("\(try store.jokes().count) jokes left")
    }
}
