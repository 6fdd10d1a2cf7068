// swift-format-ignore-file
import KitchenModels
import SwiftData
import XCTest

final class KitchenTests: XCTestCase {
    private var container: ModelContainer!
    private var context: ModelContext!

    override func setUpWithError() throws {
        container = try Kitchen.container(inMemory: true)
        context = ModelContext(container)
    }

    override func tearDown() {
        context = nil
        container = nil
    }

    private func fill() throws -> [Recipe] {
        let cook = Cook(email: "a@b", name: .init(first: "Ann", last: "B"))
        let names = ["Soup", "apple pie", "Pie 10", "Pie 9"]
        let recipes = names.map { Recipe(title: $0) }
        for (index, recipe) in recipes.enumerated() {
            context.insert(recipe)
            recipe.rating = index == 0 ? nil : index
            recipe.cook = index < 2 ? cook : nil
            recipe.course = Course.allCases[index % 3]
            for name in ["Flour", "Sugar"].prefix(index) { recipe.add(name, amount: Double(index)) }
            recipe.nutrition = index == 2 ? Nutrition(calories: 200, fat: 3) : nil
            recipe.labels = index == 3 ? [Label("quick"), Label("cheap")] : nil
        }
        try context.save()
        return recipes
    }

    private func titles(_ predicate: Predicate<Recipe>, _ sortBy: [SortDescriptor<Recipe>] = [SortDescriptor(\.title)]) throws -> [String] {
        let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: sortBy)).map(\.title)
        // The same with unsaved changes, and from the store by another context.
        let other = ModelContext(container)
        XCTAssertEqual(try other.fetch(FetchDescriptor(predicate: predicate, sortBy: sortBy)).map(\.title), found)
        for recipe in try other.fetch(FetchDescriptor<Recipe>()) { recipe.isArchived = recipe.isArchived }
        XCTAssertEqual(try other.fetch(FetchDescriptor(predicate: predicate, sortBy: sortBy)).map(\.title), found)
        return found
    }

    func testSubclassesOfModelsOfAnotherModule() throws {
        let container = try ModelContainer(for: Tool.self, SharpTool.self, Knife.self, Spoon.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        context.insert(Knife(name: "bread", length: 20))
        context.insert(Spoon(name: "tea"))
        try context.save()
        let found = try ModelContext(container).fetch(FetchDescriptor<Tool>(sortBy: [SortDescriptor(\.name)]))
        XCTAssertEqual(found.map(\.title), ["bread (20 cm)", "tea"])
        XCTAssertEqual((found.first as? Knife)?.isSharp, true)
        let long = try ModelContext(container).fetch(FetchDescriptor<Knife>(predicate: #Predicate { $0.length > 10 && $0.name == "bread" }))
        XCTAssertEqual(long.count, 1)
    }

    func testValues() throws {
        let recipe = Recipe(title: "Soup", difficulty: .hard)
        XCTAssertEqual(recipe.titleChanges, 0)
        recipe.title = "Stew"
        recipe.steps = [.init(text: "cut"), .init(text: "boil", timer: 60)]
        recipe.tags = ["a", "b"]
        recipe.photo = Data(repeating: 7, count: 200_000)
        recipe.labels = [Label("x")]
        recipe.add("Salt")
        recipe.lastCourse = .dessert
        recipe.nutrition = Nutrition(calories: 10)
        recipe.nutrition?.size = .init(grams: 5)
        recipe.size.grams = 7
        recipe.progress = 0.5
        context.insert(recipe)
        try context.save()
        let stored = try XCTUnwrap(ModelContext(container).fetch(FetchDescriptor<Recipe>()).first)
        XCTAssertEqual(stored.title, "Stew")
        XCTAssertEqual(stored.difficulty, .hard)
        XCTAssertEqual(stored.steps, recipe.steps)
        XCTAssertEqual(stored.tags, ["a", "b"])
        XCTAssertEqual(stored.photo?.count, 200_000)
        XCTAssertEqual(stored.labels?.map(\.name), ["x"])
        XCTAssertEqual(stored.season, .summer)
        XCTAssertEqual(stored.lastCourse, .dessert)
        XCTAssertEqual(stored.nutrition?.size, .init(grams: 5))
        XCTAssertEqual(stored.size.grams, 7)
        XCTAssertEqual(stored.notes, "No notes\n\"yet\"")
        XCTAssertEqual(stored[0].addedAt, recipe[0].addedAt)
        XCTAssertEqual(stored.description, "Stew (1)")
        XCTAssertEqual(stored.id, recipe.id)
        XCTAssertEqual(stored.createdAt, recipe.createdAt)
        XCTAssertFalse(stored.isSelected)
        recipe.archive()
        XCTAssertTrue(recipe.isArchived && context.hasChanges)
        XCTAssertNil(Recipe(csv: "x"))
        XCTAssertEqual(Recipe(csv: "x;3")?.title, "x")
    }

    func testQueries() throws {
        let recipes = try fill()
        let same = ComparisonResult.orderedSame
        XCTAssertEqual(try context.fetch(Recipe.matching("PIE")).map(\.title), ["apple pie", "Pie 9", "Pie 10"])
        XCTAssertEqual(try context.fetch(Recipe.matching("")).count, 4)
        XCTAssertEqual(try titles(Recipe.ofStars), ["Pie 9"])
        XCTAssertEqual(try titles(#Predicate { $0.cook?.email == "a@b" }), ["apple pie", "Soup"])
        XCTAssertEqual(try titles(#Predicate { $0.cook?.name.first == "Ann" }), ["apple pie", "Soup"])
        XCTAssertEqual(try titles(#Predicate { $0.cook == nil && $0.rating != nil }), ["Pie 9", "Pie 10"])
        XCTAssertEqual(try titles(#Predicate { $0.ingredients.contains(where: { $0.name == "Sugar" }) }), ["Pie 9", "Pie 10"])
        XCTAssertEqual(try titles(#Predicate { recipe in recipe.ingredients.filter { $0.amount > 1 }.count >= 2 }), ["Pie 9", "Pie 10"])
        XCTAssertEqual(try titles(#Predicate { $0.ingredients.isEmpty }), ["Soup"])
        XCTAssertEqual(try titles(#Predicate { $0.labels?.contains { $0.name == "quick" } ?? false }), ["Pie 9"])
        XCTAssertEqual(try titles(#Predicate { $0.labels.flatMap { $0.contains { $0.name == "cheap" } } == true }), ["Pie 9"])
        let ids = Set(recipes.prefix(2).map(\.id))
        XCTAssertEqual(try titles(#Predicate { ids.contains($0.id) }), ["apple pie", "Soup"])
        let identifiers = recipes.suffix(2).map(\.persistentModelID)
        XCTAssertEqual(try titles(#Predicate { identifiers.contains($0.persistentModelID) }), ["Pie 9", "Pie 10"])
        let range = 2...3
        XCTAssertEqual(try titles(#Predicate { range.contains($0.rating ?? 0) }), ["Pie 9", "Pie 10"])
        let (start, end): (Date?, Date) = (Date.now.addingTimeInterval(-1000), Date.now.addingTimeInterval(1000))
        XCTAssertEqual(try titles(#Predicate { recipe in if let start { recipe.createdAt > start && recipe.createdAt < end } else { true } }).count, 4)
        let optional: Int? = 2
        XCTAssertEqual(try titles(#Predicate { $0.rating == optional }), ["Pie 10"])
        let nothing: Int? = nil
        XCTAssertEqual(try titles(#Predicate { $0.rating == nothing }), ["Soup"])
        XCTAssertEqual(try titles(#Predicate { nothing == nil || $0.rating == nothing }).count, 4)
        let course = Course.main.rawValue
        XCTAssertEqual(try titles(#Predicate { $0.course.rawValue == course }), ["apple pie"])
        let main = Course.main
        XCTAssertEqual(try titles(#Predicate { $0.course == main }), ["apple pie"])
        XCTAssertEqual(try titles(#Predicate { $0.nutrition?.calories == 200 }), ["Pie 10"])
        XCTAssertEqual(try titles(#Predicate { $0.nutrition != nil }), ["Pie 10"])
        XCTAssertEqual(try titles(#Predicate { !$0.title.isEmpty && $0.rating == 2 }), ["Pie 10"])
        XCTAssertEqual(try titles(#Predicate { $0.title.caseInsensitiveCompare("SOUP") == same }), ["Soup"])
        XCTAssertEqual(try titles(#Predicate { $0.isPublic == nil && $0.isPublic != true }).count, 4)
        XCTAssertEqual(try titles(#Predicate { $0.isPublic ?? false ? false : $0.rating == 1 }), ["apple pie"])
        XCTAssertEqual(try titles(#Predicate { ($0.rating ?? 0) * 2 - 1 == 3 }), ["Pie 10"])
        XCTAssertEqual(try titles(.true).count, 4)
        XCTAssertEqual(try titles(.false), [])
        let counted = #Expression<Recipe, Int> { $0.ingredients.filter { $0.amount > 1 }.count }
        XCTAssertEqual(try counted.evaluate(recipes[3]), 2)
        let cook = try XCTUnwrap(recipes[0].cook)
        let cookID = cook.id
        XCTAssertEqual(try titles(#Predicate { $0.cook?.id == cookID }), ["apple pie", "Soup"])
        XCTAssertEqual(try titles(#Predicate { $0.cook?.persistentModelID == cookID }), ["apple pie", "Soup"])
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Cook>(predicate: #Predicate { $0.recipes.contains { $0.rating == nil } })), 1)
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Cook>(predicate: #Predicate { $0.recipes.allSatisfy { $0.isArchived == false } })), 1)
        let names = ["Flour"]
        XCTAssertEqual(try titles(#Predicate { $0.ingredients.contains { names.contains($0.name) } }).count, 3)
    }

    func testOrders() throws {
        _ = try fill()
        func order(_ sortBy: SortDescriptor<Recipe>...) throws -> [String] { try context.fetch(FetchDescriptor(sortBy: sortBy)).map(\.title) }
        XCTAssertEqual(try order(SortDescriptor(\.title)), ["apple pie", "Pie 9", "Pie 10", "Soup"])
        XCTAssertEqual(try order(SortDescriptor(\.title, comparator: .lexical)), ["Pie 10", "Pie 9", "Soup", "apple pie"])
        XCTAssertEqual(try order(.init(\.title, comparator: .localizedStandard, order: .reverse)), ["Soup", "Pie 10", "Pie 9", "apple pie"])
        XCTAssertEqual(try order(SortDescriptor(\.rating)), ["Soup", "apple pie", "Pie 10", "Pie 9"])
        XCTAssertEqual(try order(SortDescriptor(\.rating, order: .reverse)).last, "Soup")
        XCTAssertEqual(try order(SortDescriptor(\.cook?.email, order: .reverse), SortDescriptor(\.title)), ["apple pie", "Soup", "Pie 9", "Pie 10"])
        XCTAssertEqual(try order(SortDescriptor(\Recipe.size.grams), SortDescriptor(\.title, order: .reverse)).first, "Soup")
        XCTAssertEqual(try context.fetch(FetchDescriptor<Recipe>(sortBy: Recipe.defaultOrder)).count, 4)
    }

    func testComposedPredicates() throws {
        _ = try fill()
        // As helpers that combine predicates at run time build them.
        let (left, right) = (#Predicate<Recipe> { $0.rating != nil }, #Predicate<Recipe> { $0.cook == nil })
        func combine<L: StandardPredicateExpression<Bool>, R: StandardPredicateExpression<Bool>>(
            _ lhs: L, _ rhs: R
        ) -> any StandardPredicateExpression<Bool> { PredicateExpressions.build_Conjunction(lhs: lhs, rhs: rhs) }
        _ = combine(left.expression, right.expression)
        let built = Predicate<Recipe> { recipe in
            PredicateExpressions.build_Conjunction(
                lhs: PredicateExpressions.build_NotEqual(
                    lhs: PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg(recipe), keyPath: \.rating),
                    rhs: PredicateExpressions.build_NilLiteral()),
                rhs: PredicateExpressions.build_Equal(
                    lhs: PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg(recipe), keyPath: \.isArchived),
                    rhs: PredicateExpressions.build_Arg(false)))
        }
        XCTAssertEqual(try titles(built), ["apple pie", "Pie 9", "Pie 10"])
    }

    func testDescriptorsOfRelationships() throws {
        _ = try fill()
        var descriptor = FetchDescriptor<Recipe>(sortBy: [.init(\.title)])
        descriptor.relationshipKeyPathsForPrefetching = [\.ingredients, \.cook]
        descriptor.propertiesToFetch = [\.title, \.rating]
        descriptor.fetchLimit = 2
        descriptor.includePendingChanges = false
        XCTAssertEqual(try context.fetch(descriptor).map(\.title), ["apple pie", "Pie 9"])
        XCTAssertEqual(try context.fetchIdentifiers(descriptor).count, 2)
        var count = 0
        try context.enumerate(FetchDescriptor<Recipe>(), batchSize: 3, allowEscapingMutations: true) { recipe in
            recipe.isArchived = true
            count += recipe.ingredients.count
        }
        XCTAssertEqual(count, 5)
        XCTAssertTrue(context.hasChanges)
        context.rollback()
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Recipe>(predicate: #Predicate { $0.isArchived })), 0)
    }

    func testDeletion() throws {
        let recipes = try fill()
        context.delete(recipes[3])
        XCTAssertTrue(recipes[3].isDeleted)
        try context.save()
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Ingredient>()), 3)
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Label>()), 2)
        try context.delete(model: Recipe.self, where: #Predicate { $0.title == "Pie 10" })
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Recipe>()), 2)
        try context.delete(model: Ingredient.self)
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Ingredient>()), 0)
        XCTAssertTrue(recipes[1].ingredients.isEmpty)
        context.delete(try XCTUnwrap(recipes[0].cook))
        try context.transaction { recipes[0].title = "alone" }
        XCTAssertNil(recipes[0].cook)
    }

    func testRepository() throws {
        let recipes = Repository<Recipe>(context: context)
        let first = try recipes.upsert(remoteID: "1", create: { let new = Recipe(title: "new"); new.remoteID = "1"; return new }, update: { _ in })
        try context.saveIfNeeded()
        let second = try recipes.upsert(remoteID: "1", create: { Recipe() }, update: { $0.title = "updated" })
        XCTAssertTrue(first === second && first == second)
        XCTAssertTrue(recipes.exists(#Predicate { $0.title == "updated" }))
        XCTAssertEqual(try recipes.all().count, 1)
        XCTAssertTrue(try context.existing(Recipe.self, for: first.persistentModelID) === first)
        XCTAssertNil(ModelContext(container).registeredModel(for: first.persistentModelID) as Recipe?)
    }

    func testUpsert() throws {
        let id = UUID()
        context.insert(Recipe(id: id, title: "one"))
        try context.save()
        context.insert(Recipe(id: id, title: "two"))
        try context.save()
        XCTAssertEqual(try context.fetch(FetchDescriptor<Recipe>()).map(\.title), ["two"])
    }

    func testCodable() throws {
        let json = #"{"email":"c@d","name":{"first":"C","last":"D"},"recipes":["x","y"]}"#
        let cook = try JSONDecoder().decode(Cook.self, from: Data(json.utf8))
        context.insert(cook)
        try context.save()
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Recipe>()), 2)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        XCTAssertEqual(String(decoding: try encoder.encode(cook), as: UTF8.self), json)
        XCTAssertEqual(cook.name.full, "C D")
    }

    func testEqualityOfTheClass() {
        XCTAssertTrue(Drawer(name: "a") == Drawer(name: "a") && [Drawer(name: "a")].contains(Drawer(name: "a")))
        XCTAssertEqual(Set([Drawer(name: "a"), Drawer(name: "a"), Drawer(name: "b")]).count, 2)
        XCTAssertEqual([Shelf()].firstIndex(of: Shelf()), 0)
    }

    func testSubclasses() throws {
        guard #available(iOS 26, macOS 26, *) else { return }
        let chef = Chef(email: "e", stars: 2)
        context.insert(chef)
        context.insert(Cook(email: "f", name: .init(first: "F")))
        chef.restaurant = Restaurant(name: "r")
        chef.restaurant?.chefs = [chef]
        try context.save()
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Cook>()), 2)
        XCTAssertEqual(try context.fetch(FetchDescriptor<Chef>(predicate: #Predicate { $0.stars > 1 })).map(\.email), ["e"])
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Cook>(predicate: #Predicate { $0 is Chef })), 1)
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Cook>(predicate: #Predicate { ($0 as? Chef)?.stars == 2 })), 1)
        let decoded = try JSONDecoder().decode(Chef.self, from: Data(#"{"email":"g","name":{"first":"G","last":""},"recipes":[]}"#.utf8))
        context.insert(decoded)
        try context.save()
        XCTAssertEqual(try ModelContext(container).fetch(FetchDescriptor<Chef>(sortBy: [SortDescriptor(\.stars)])).map(\.stars), [2, 3])
    }

    func testActors() async throws {
        let store = KitchenStore(container: container, author: "x")
        let id = try await store.addRecipe("Soup") { $0.rating = 4 }
        let title = await store.title(of: id)
        XCTAssertEqual(title, "Soup")
        try await store.update(id) { $0.title = "Stew" }
        XCTAssertEqual((context.model(for: id) as? Recipe)?.title, "Stew")
        let ratings = try await store.fetch(FetchDescriptor<Recipe>()) { $0.rating }
        XCTAssertEqual(ratings, [4])
        let database: any Database = store
        let count = try await database.count(Recipe.self)
        XCTAssertEqual(count, 1)
        try await LineStore(modelContainer: container).removeAll(Recipe.self)
        XCTAssertEqual(try context.fetchCount(FetchDescriptor<Recipe>()), 0)
        let other = try KitchenStore.inMemory()
        let none = try await other.count(Recipe.self)
        XCTAssertEqual(none, 0)
    }

    func testFile() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).appendingPathExtension("store")
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + end) } }
        do {
            let context = ModelContext(try Kitchen.container(url: url))
            context.insert(Recipe(title: "kept"))
            try context.save()
        }
        let container = try Kitchen.container(url: url)
        XCTAssertEqual(try ModelContext(container).fetch(FetchDescriptor<Recipe>()).map(\.title), ["kept"])
        XCTAssertEqual(container.configurations.first?.url, url)
        XCTAssertEqual(container.schema.entities.map(\.name).sorted(), ["Chef", "Cook", "Ingredient", "Label", "Recipe", "Restaurant"])
    }
}

@Model final class Knife: SharpTool {
    var length: Int

    init(name: String, length: Int) {
        self.length = length
        super.init(name: name)
    }

    override var title: String { "\(name) (\(length) cm)" }
}

@Model class Spoon: Tool {
    var isWooden = false

    override init(name: String) { super.init(name: name) }
}
