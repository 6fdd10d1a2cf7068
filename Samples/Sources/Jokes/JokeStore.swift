import CoreData

/// A store for jokes that uses only key-value coding.
final class JokeStore {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) {
        self.context = context
    }

    /// Saves a joke, updating the one with the same ID if there is one.
    func save(_ joke: Joke) throws {
        let object =
            try object(id: joke.id) ?? NSEntityDescription.insertNewObject(forEntityName: "Joke", into: context)
        joke.write(to: object)
        object.setValue(try joke.comedian.map(comedian), forKey: Joke.Key.comedian.rawValue)
        try context.save()
    }

    /// Returns the jokes of a category, or all jokes, best first.
    func jokes(_ category: Joke.Category? = nil) throws -> [Joke] {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Joke")
        if let category {
            request.predicate = NSPredicate(format: "%K == %@", Joke.Key.category.rawValue, category.rawValue)
        }
        request.sortDescriptors = [
            NSSortDescriptor(key: "rating", ascending: false),
            NSSortDescriptor(key: "setup", ascending: true, selector: Selector(("localizedStandardCompare:"))),
        ]
        request.returnsObjectsAsFaults = false
        let objects = try context.fetch(request) as? [NSManagedObject] ?? []
        return objects.compactMap(Joke.init)
    }

    /// Returns the joke with an ID, or `nil` if there is none.
    func joke(id: UUID) throws -> Joke? { try object(id: id).flatMap(Joke.init) }

    /// Records that a joke was told, and its rating.
    func tell(id: UUID, at date: Date, _ rating: Joke.Rating) throws {
        guard let object = try object(id: id) else { return }
        object.setValuesForKeys(["toldAt": date, "rating": rating.rawValue])
        try context.save()
    }

    /// Deletes a joke, and returns whether there was one.
    func delete(id: UUID) throws -> Bool {
        guard let object = try object(id: id) else { return false }
        context.delete(object)
        try context.save()
        return true
    }

    /// Returns the number of jokes and the best rating of each comedian, sorted by name.
    func comedians() throws -> [(name: String, jokes: Int, best: Int)] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Comedian")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request).map { comedian in
            (
                comedian.value(forKey: "name") as? String ?? "",
                comedian.mutableSetValue(forKey: "jokes").count,
                comedian.value(forKeyPath: "jokes.@max.rating") as? Int ?? 0
            )
        }
    }

    private func object(id: UUID) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Joke")
        request.predicate = NSPredicate(format: "id == %@", id as CVarArg)
        request.fetchLimit = 1
        return try context.fetch(request).first
    }

    /// Returns the comedian with a name, creating it if there is none yet.
    private func comedian(_ name: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Comedian")
        request.predicate = NSPredicate(format: "name ==[c] %@", name)
        if let known = try context.fetch(request).first { return known }
        let comedian = NSEntityDescription.insertNewObject(forEntityName: "Comedian", into: context)
        comedian.setValue(UUID(), forKey: "id")
        comedian.setValue(name, forKey: "name")
        return comedian
    }
}
