import CoreData
import Testing

@testable import PenCake

@MainActor @Suite struct PenCakeTests {
    private let context = PersistenceController().container.viewContext

    private func story() -> Story {
        Story(
            "Title", subtitle: "Subtitle", cover: nil, created: Date(timeIntervalSinceReferenceDate: 0),
            context: context)
    }

    @Test func aCoverRoundTripsThroughItsArchive() throws {
        let cover = Cover(.mint, motto: "Go on", fontSize: 11.5)
        let transformer = try #require(ValueTransformer(forName: CoverTransformer.name))
        let data = try #require(transformer.reverseTransformedValue(cover) as? Data)
        #expect(transformer.transformedValue(data) as? Cover == cover)
    }

    @Test func archivesOfOtherClassesAreRejected() throws {
        let transformer = try #require(ValueTransformer(forName: CoverTransformer.name))
        let data = try NSKeyedArchiver.archivedData(withRootObject: NSDate(), requiringSecureCoding: true)
        #expect(transformer.transformedValue(data) == nil)
    }

    @Test func articlesKeepTheirOrder() {
        let story = story()
        for title in ["one", "two", "three"] { story.write(title, "", keywords: [], at: Date()) }
        story.moveArticle(from: 0, to: 2)
        #expect(story.articleList.map(\.title) == ["two", "three", "one"])
        #expect(story.articleList.allSatisfy { $0.story === story })
    }

    @Test func deletingAStoryDeletesItsArticles() throws {
        let story = story()
        story.write("one", "", keywords: ["a", "b"], at: Date())
        try context.save()
        context.delete(story)
        try context.save()
        #expect(try context.count(for: NSFetchRequest<Article>(entityName: "Article")) == 0)
    }
}
