import CoreData

extension Story {
    /// Creates a story.
    convenience init(_ title: String, subtitle: String, cover: Cover?, created: Date, context: NSManagedObjectContext) {
        self.init(context: context)
        self.title = title
        self.subtitle = subtitle
        self.cover = cover
        createdAt = created
    }

    /// The articles in the writer's order. They are separate objects, not an array in an attribute, so that they can be
    /// found, counted and changed without the story.
    var articleList: [Article] { articles?.array as? [Article] ?? [] }

    /// Appends a new article.
    @discardableResult
    func write(_ title: String, _ body: String, keywords: [String], at date: Date) -> Article? {
        guard let context = managedObjectContext else { return nil }
        let article = Article(context: context)
        article.title = title
        article.body = body
        article.keywords = keywords
        article.writtenAt = date
        addToArticles(article)
        return article
    }

    /// Moves an article to another index.
    func moveArticle(from source: Int, to destination: Int) {
        let articles = mutableOrderedSetValue(forKey: "articles")
        articles.moveObjects(at: IndexSet(integer: source), to: destination)
    }

    /// Returns all stories, newest first.
    static func all(in context: NSManagedObjectContext) throws -> [Story] {
        let request: NSFetchRequest<Story> = Story.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Story.createdAt, ascending: false)]
        return try context.fetch(request)
    }
}
