import Combine
import CoreData
import Foundation

/// The data layer of an app: lists that views observe.
public final class FeedStore: ObservableObject {
    @Published public private(set) var articles: [Article] = []
    @Published public var filter = ""
    public let errors = PassthroughSubject<Error, Never>()
    public let unreadCount = CurrentValueSubject<Int, Never>(0)

    let container: NSPersistentContainer
    private var cancellables: Set<AnyCancellable> = []
    private var saving: AnyCancellable?

    public init() {
        container = NSPersistentContainer(name: "Feed")
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { [errors] _, error in
            if let error = error { errors.send(error) }
        }
        NotificationCenter.default
            .publisher(for: .NSManagedObjectContextDidSave, object: container.viewContext)
            .sink { [weak self] _ in self?.reload() }
            .store(in: &cancellables)
        $filter
            .dropFirst()
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .removeDuplicates()
            .sink { [weak self] text in self?.reload(text) }
            .store(in: &cancellables)
        $articles
            .map { articles in articles.filter { !$0.isRead }.count }
            .assign(to: \.value, on: unreadCount)
            .store(in: &cancellables)
    }

    public func reload() { reload(filter) }

    private func reload(_ text: String) {
        let request = NSFetchRequest<Article>(entityName: "Article")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Article.title, ascending: true)]
        if !text.isEmpty { request.predicate = NSPredicate(format: "%K CONTAINS[cd] %@", #keyPath(Article.title), text) }
        do {
            articles = try container.viewContext.fetch(request)
        } catch {
            errors.send(error)
        }
    }

    /// Imports titles in the background.
    public func importTitles(_ titles: [String]) -> Future<Int, Error> {
        Future { [container] promise in
            container.performBackgroundTask { context in
                for title in titles { Article(context: context).title = title }
                promise(Result { try context.save(); return titles.count })
            }
        }
    }
}
