import Combine
import CoreData

@objc(Article)
public class Article: NSManagedObject, Identifiable {
    @NSManaged public var title: String
    @NSManaged public var isRead: Bool
    @NSManaged public var published: Date?
    @NSManaged public var source: Source?

    /// The title, now and after each change.
    public var titles: AnyPublisher<String, Never> {
        publisher(for: \.title).removeDuplicates().eraseToAnyPublisher()
    }
}
