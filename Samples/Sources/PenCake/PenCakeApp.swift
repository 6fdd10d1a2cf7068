import CoreData
import SampleSupport

/// Stories and their articles: covers as archives of a custom class, articles as relationships.
@main
@MainActor
struct PenCakeApp {
    static func main() async throws {
        try await Launch.run { folder in try PenCakeApp(PersistenceController(folder: folder)).run() }
    }

    private let context: NSManagedObjectContext

    init(_ persistence: PersistenceController) {
        context = persistence.container.viewContext
    }

    private func run() throws {
        if try Story.all(in: context).isEmpty { try write() }
        try shelf()
        try redesign()
        try find()
        try edit()
    }

    private func write() throws {
        Launch.section("Two stories")
        let journey = Story(
            "The Journey", subtitle: "a diary", cover: Cover(.mint, motto: "Go on"),
            created: Clock.date("2026-03-01 08:00"),
            context: context)
        journey.write(
            "Departure", "The train left at dawn.", keywords: ["train", "dawn"], at: Clock.date("2026-03-02 06:10"))
        journey.write(
            "Arrival", "It rained in Lisbon.", keywords: ["rain", "Lisbon"], at: Clock.date("2026-03-05 19:45"))
        journey.write("On the way", "Mountains, and then the sea.", keywords: [], at: Clock.date("2026-03-03 12:00"))
        let kitchen = Story(
            "Kitchen Notes", subtitle: "recipes", cover: nil, created: Clock.date("2026-05-20 17:00"), context: context)
        kitchen.write(
            "Bread", "Flour, water, salt, time.", keywords: ["flour", "yeast"], at: Clock.date("2026-05-20 18:00"))
        print("in the order of writing: \(Self.titles(journey.articleList))")
        journey.moveArticle(from: 2, to: 1)
        print("in the order of the journey: \(Self.titles(journey.articleList))")
        try context.save()
    }

    private func shelf() throws {
        Launch.section("The shelf")
        // Print what is in the store, not what is in memory.
        context.reset()
        for story in try Story.all(in: context) {
            print("\(story.title ?? "") - \(story.subtitle ?? ""), cover: \(story.cover.map { "\($0)" } ?? "none")")
            for article in story.articleList {
                let keywords = article.keywords?.joined(separator: ", ") ?? "none"
                print("  \(Clock.day(article.writtenAt)) \(article.title ?? ""): \(article.body ?? "") [\(keywords)]")
            }
        }
    }

    private func redesign() throws {
        Launch.section("New covers")
        for story in try Story.all(in: context) {
            let cover = Cover(
                .rose, motto: story.cover?.motto ?? "Untitled", fontSize: (story.cover?.fontSize ?? 10) + 2)
            story.cover = cover
            print("\(story.title ?? ""): \(cover); changed: \(story.changedValues().keys.sorted())")
        }
        try context.save()
        let story = try Story.all(in: context).first
        story?.cover = story?.cover.map { Cover($0.color, motto: $0.motto, fontSize: $0.fontSize) }
        print("an equal cover is no change to be saved: \(story?.hasPersistentChangedValues == false)")
        context.rollback()
    }

    /// Finds stories by their articles, and articles by their stories. Predicates cannot access the content of a cover.
    private func find() throws {
        Launch.section("Finding")
        let stories: NSFetchRequest<Story> = Story.fetchRequest()
        stories.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        stories.predicate = NSPredicate(format: "ANY articles.body CONTAINS[cd] %@", "RÁINED")
        print("it rains in: \(try context.fetch(stories).compactMap(\.title))")
        stories.predicate = NSPredicate(format: "articles.@count > %d", 1)
        print("more than one article: \(try context.fetch(stories).compactMap(\.title))")
        let articles: NSFetchRequest<Article> = Article.fetchRequest()
        articles.predicate = NSPredicate(format: "story.title BEGINSWITH %@", "Kitchen")
        articles.sortDescriptors = [NSSortDescriptor(key: "writtenAt", ascending: true)]
        print("in the kitchen: \(Self.titles(try context.fetch(articles)))")
    }

    private func edit() throws {
        Launch.section("Editing")
        guard let kitchen = try Story.all(in: context).first, let bread = kitchen.articleList.first else { return }
        bread.keywords?.append("oven \(kitchen.articleList.count)")
        print("keywords: \(bread.keywords ?? [])")
        if kitchen.articleList.count == 1 {
            kitchen.write("Soup", "What the garden gives.", keywords: ["garden"], at: Clock.date("2026-06-01 12:00"))
        }
        try context.save()
        print("\(kitchen.title ?? ""): \(Self.titles(kitchen.articleList))")
    }

    private static func titles(_ articles: [Article]) -> String { articles.compactMap(\.title).joined(separator: ", ") }
}
