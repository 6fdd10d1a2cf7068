// swift-format-ignore-file
import Foundation
import SwiftData
#if canImport(SwiftUI)
import SwiftUI
#endif
#if canImport(UIKit)
import UIKit
#endif

// The model layer of a library: in another module than its tests, and in Swift 5's language mode.

public protocol Archivable: AnyObject {
    var isArchived: Bool { get set }
}

public protocol RemoteModel: PersistentModel {
    static var defaultOrder: [SortDescriptor<Self>] { get }
    var remoteID: String { get set }
}

extension Archivable {
    public func archive() { isArchived = true }
}

@Model
public final class Recipe: Archivable, RemoteModel, Identifiable, CustomStringConvertible {
    #Index<Recipe>([\.title], [\.createdAt, \.isArchived])
    #Unique<Recipe>([\.remoteID])

    /// The identifier.
    @Attribute(.unique) public private(set) var id: UUID
    public var remoteID: String
    public private(set) var createdAt: Date
    public internal(set) var updatedAt: Date = Date.now
    public var title: String {
        didSet { titleChanges += 1 }
        willSet { titleChanges += 1 }
    }
    @Transient public var titleChanges = 0
    public var isArchived: Bool = false
    public var rating: Int?
    var servings = 4; var minutes: Int = 30
    private var difficultyRaw: String = Difficulty.easy.rawValue
    public var difficulty: Difficulty {
        get { Difficulty(rawValue: difficultyRaw) ?? .easy }
        set { difficultyRaw = newValue.rawValue }
    }
    public var course: Course = Course.main
    public var lastCourse: Course?
    public var season: Season? = .summer
    public var nutrition: Nutrition?
    public var size: Nutrition.Size = Nutrition.Size(grams: 100)
    public var steps: [Step] = []
    public var tags: [String] = []
    public var isPublic: Bool? = nil
    @Attribute(.externalStorage, originalName: "picture") public var photo: Data?
    @Attribute(.ephemeral) public var progress: Double = 0
    @Attribute(.spotlight) public var notes: String = """
        No notes
        "yet"
        """
    @Relationship(deleteRule: .cascade, inverse: \Ingredient.recipe) public var ingredients: [Ingredient] = []
    @Relationship(deleteRule: .nullify, inverse: \Cook.recipes)
    public var cook: Cook?
    public var labels: [Label]? = [Label]()
    @Relationship(deleteRule: .nullify, originalName: "followUps") public var followUp: Recipe?
    @Transient public var isSelected = false
    @Transient var completion: ((Bool) -> Void)?
    public static let maximumServings = 12
    public static var untitled: String { "Untitled" }
    public lazy var words: [String] = title.split(separator: " ").map(String.init)

    public init(
        id: UUID = .init(), title: String = Recipe.untitled, createdAt: Date = .now, difficulty: Difficulty = .easy,
        cook: Cook? = nil
    ) {
        self.id = id
        self.remoteID = id.uuidString
        self.title = title
        self.createdAt = createdAt
        self.difficultyRaw = difficulty.rawValue
        self.cook = cook
    }

    public convenience init?(csv: Substring) {
        let parts = csv.split(separator: ";")
        guard parts.count == 2, let minutes = Int(parts[1]) else { return nil }
        self.init(title: String(parts[0]))
        self.minutes = minutes
    }

    deinit { completion?(true) }

    public var description: String { "\(title) (\(ingredients.count))" }
    public subscript(index: Int) -> Ingredient { sortedIngredients[index] }
    public var sortedIngredients: [Ingredient] { ingredients.sorted { $0.position < $1.position } }

    public enum Difficulty: String, Codable, CaseIterable, Sendable, Comparable {
        case easy, medium, hard
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    public struct Step: Codable, Hashable, Identifiable {
        public var id = UUID()
        public var text: String
        public var timer: TimeInterval?
        public init(text: String, timer: TimeInterval? = nil) {
            self.text = text
            self.timer = timer
        }
    }
}

public enum Course: String, Codable, CaseIterable { case starter, main, dessert }
public enum Season: Codable { case spring, summer, autumn, winter }

public struct Nutrition: Codable, Equatable, Hashable, Sendable {
    public var calories: Int
    public var fat: Double?
    public var size: Size?

    public struct Size: Codable, Hashable, Sendable {
        public var grams: Double
        public init(grams: Double) { self.grams = grams }
    }

    public init(calories: Int, fat: Double? = nil) {
        self.calories = calories
        self.fat = fat
    }
}

extension Recipe {
    public static var defaultOrder: [SortDescriptor<Recipe>] { [SortDescriptor(\.title), SortDescriptor(\.createdAt, order: .reverse)] }

    public static func matching(_ text: String, archived: Bool = false) -> FetchDescriptor<Recipe> {
        FetchDescriptor<Recipe>(
            predicate: #Predicate<Recipe> { recipe in
                recipe.isArchived == archived && (text.isEmpty || recipe.title.localizedStandardContains(text))
            },
            sortBy: defaultOrder)
    }

    public static var ofStars: Predicate<Recipe> {
        let limit = 3
        return #Predicate { $0.rating ?? 0 >= limit }
    }

    public func add(_ name: String, amount: Double = 1) {
        ingredients.append(Ingredient(name: name, amount: amount, position: ingredients.count))
        updatedAt = .now
    }
}

@Model
public class Ingredient {
    public var name: String
    public var amount: Double
    public var unit: Unit_ = Unit_.piece
    public var position: Int
    public var recipe: Recipe?
    public let addedAt: Date = Date()
    let source: String

    public init(name: String, amount: Double = 1, position: Int = 0, source: String = "shop") {
        self.name = name
        self.amount = amount
        self.position = position
        self.source = source
    }

    public enum Unit_: Int, Codable { case piece = 1, gram, liter }
}

@Model
open class Cook: Codable {
    @Attribute(.unique) public var email: String
    public var name: Name
    open var recipes: [Recipe] = [Recipe]()
    @Relationship(deleteRule: .nullify, inverse: \Cook.apprentices) public var mentor: Cook?
    public var apprentices: [Cook] = []
    public var birthday: Date?
    public var salary: Decimal?

    public struct Name: Codable, Hashable {
        public var first: String
        public var last: String = ""
        public var full: String { first + " " + last }
        public init(first: String, last: String = "") {
            self.first = first
            self.last = last
        }
    }

    private enum CodingKeys: CodingKey { case email, name, recipes, birthday }

    public init(email: String, name: Name) {
        self.email = email
        self.name = name
    }

    public required init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.email = try container.decode(String.self, forKey: .email)
        self.name = try container.decode(Name.self, forKey: .name)
        self.birthday = try container.decodeIfPresent(Date.self, forKey: .birthday)
        self.recipes = try container.decode([String].self, forKey: .recipes).map { Recipe(title: $0) }
    }

    open func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(email, forKey: .email)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(birthday, forKey: .birthday)
        try container.encode(recipes.map(\.title), forKey: .recipes)
    }
}

@Model public final class Label: Hashable, Comparable {
    public var name: String = ""
    @Relationship(inverse: \Recipe.labels) public var recipes: [Recipe]?
    public init(_ name: String) { self.name = name }
    public static func < (lhs: Label, rhs: Label) -> Bool { lhs.name < rhs.name }
}

@available(iOS 26, macOS 26, *)
@Model public final class Chef: Cook {
    public var stars: Int = 1
    public var restaurant: Restaurant?
    public init(email: String, stars: Int) {
        self.stars = stars
        super.init(email: email, name: Name(first: email))
    }
    public required init(from decoder: Decoder) throws {
        stars = 3
        try super.init(from: decoder)
    }
}

@Model package final class Drawer {
    package var name: String
    package init(name: String) { self.name = name }
    package static func == (lhs: Drawer, rhs: Drawer) -> Bool { lhs.name == rhs.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

@Model open class Shelf {
    public var number = 0
    public init() {}
    public static func == (lhs: Shelf, rhs: Shelf) -> Bool { lhs.number == rhs.number }
}

@available(iOS 26, macOS 26, *)
@Model public final class Restaurant {
    public var name: String
    @Relationship(deleteRule: .deny, minimumModelCount: 0, maximumModelCount: 2) public var chefs: [Chef] = []
    public init(name: String) { self.name = name }
}

#if canImport(SwiftUI)
struct RecipeList: View {
    @Query(sort: \Recipe.title) private var recipes: [Recipe]
    @Environment(\.modelContext) private var context
    var body: some View { List(recipes) { Text($0.title) } }
}
#endif

/// A base class for the models of other modules.
@Model
open class Tool {
    public var name: String
    public var price = 0.0

    public init(name: String) { self.name = name }

    open var title: String { name }
}

@Model
open class SharpTool: Tool {
    public var isSharp = true

    public override init(name: String) { super.init(name: name) }
}
