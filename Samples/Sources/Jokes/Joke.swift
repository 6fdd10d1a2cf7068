import CoreData

/// A joke as used by the app's screens. In the store it is an `NSManagedObject` without a subclass, accessed by keys.
struct Joke: Equatable {
    /// The topic of a joke. The raw value is stored.
    enum Category: String, CaseIterable {
        case general, programming
        case knockKnock = "knock-knock"
    }

    /// The rating of a joke. The raw value is stored.
    enum Rating: Int16, Comparable {
        case unrated, bad, fine, great

        static func < (one: Rating, other: Rating) -> Bool { one.rawValue < other.rawValue }
    }

    /// The keys of the entity.
    enum Key: String {
        case category, comedian, id, punchline, rating, setup, toldAt
    }

    var id: UUID
    var category: Category
    var setup: String
    var punchline: String?
    var rating = Rating.unrated
    var toldAt: Date?
    var comedian: String?
}

extension Joke {
    /// Reads a joke from its object. Returns `nil` if a required value is missing.
    init?(_ object: NSManagedObject) {
        guard let id = object.value(forKey: "id") as? UUID,
            let category = (object.value(forKey: Key.category.rawValue) as? String).flatMap(Category.init),
            let setup = object.value(forKey: Key.setup.rawValue) as? String
        else { return nil }
        self.id = id
        self.category = category
        self.setup = setup
        punchline = object.value(forKey: Key.punchline.rawValue) as? String
        rating = Rating(rawValue: object.value(forKey: Key.rating.rawValue) as? Int16 ?? 0) ?? .unrated
        toldAt = object.value(forKey: Key.toldAt.rawValue) as? Date
        comedian = object.value(forKeyPath: "comedian.name") as? String
    }

    /// Writes the joke's own values into an object.
    func write(to object: NSManagedObject) {
        object.setValue(id, forKey: Key.id.rawValue)
        object.setValue(category.rawValue, forKey: Key.category.rawValue)
        object.setValue(setup, forKey: Key.setup.rawValue)
        object.setValue(punchline, forKey: Key.punchline.rawValue)
        object.setValue(rating.rawValue, forKey: Key.rating.rawValue)
        object.setValue(toldAt, forKey: Key.toldAt.rawValue)
    }
}
