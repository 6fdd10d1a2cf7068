// swift-format-ignore-file
import Foundation
import SwiftData

// The model layer of a warehouse app: actors that pass identifiers, history of other authors, undo.

@Model
final class Product {
    #Unique<Product>([\.sku], [\.supplier, \.supplierCode])
    #Index<Product>([\.sku], [\.category, \.name])

    @Attribute(.unique, .preserveValueOnDeletion, originalName: "code") var sku: String
    var name: String
    var category: Category
    var quantity: Int = 0 {
        willSet { }
    }
    var price: Price
    var supplierCode: String?
    var supplier: Supplier?
    var movement: Movement = Movement.none
    var dimensions: Dimensions? = nil
    private var storedFlags: Int = 0
    var flags: Flags {
        get { Flags(rawValue: storedFlags) }
        set { storedFlags = newValue.rawValue }
    }
    var labels: [Label] = []
    var perWarehouse: [String: Int] = [:]
    @Attribute(.ephemeral) var isSelected: Bool = false
    @Attribute(.allowsCloudEncryption) var secret: String?
    @Transient var undoable: Bool = true
    @Relationship(deleteRule: .deny, inverse: \OrderLine.product) var lines: [OrderLine]? = []

    enum Category: String, Codable, CaseIterable, Identifiable, Sendable {
        case tools = "Tools", food = "Food", other
        var id: Self { self }
    }

    enum Movement: Codable, Hashable, Sendable {
        case none
        case moved(from: String, to: String)
        case counted(Int, by: String?)
    }

    struct Price: Codable, Hashable, Comparable, Sendable {
        var amount: Decimal
        var currency: String = "EUR"
        static func < (a: Price, b: Price) -> Bool { a.amount < b.amount }
    }

    struct Dimensions: Codable, Hashable, Sendable {
        var width, height: Double
        var depth: Double?
        var unit: Unit = .centimeters
        enum Unit: Int, Codable, Sendable { case millimeters = 1, centimeters = 10 }
    }

    struct Flags: OptionSet, Codable, Hashable, Sendable {
        let rawValue: Int
        static let fragile = Flags(rawValue: 1 << 0)
        static let cold = Flags(rawValue: 1 << 1)
    }

    struct Label: Codable, Hashable, Identifiable, Sendable {
        var id = UUID()
        var text: String
        var color: String?
    }

    init(sku: String, name: String, category: Category = .other, price: Decimal = 0, supplier: Supplier? = nil) {
        self.sku = sku
        self.name = name
        self.category = category
        self.price = Price(amount: price)
        self.supplier = supplier
    }
}

@Model
final class Supplier {
    private(set) var name: String
    @Relationship(deleteRule: .nullify, inverse: \Product.supplier) fileprivate(set) var products: [Product] = []
    init(name: String) { self.name = name }
    var productNames: [String] { products.map(\.name).sorted() }
}

@Model
final class PurchaseOrder {
    var number: Int
    var placed: Date?
    @Relationship(deleteRule: .cascade, inverse: \OrderLine.order) var lines: [OrderLine] = []
    init(number: Int) { self.number = number }
    var total: Decimal { lines.reduce(into: Decimal.zero) { $0 += $1.product.map(\.price.amount)! * Decimal($1.count) } }
}

@Model
final class OrderLine {
    var count: Int
    var product: Product?
    var order: PurchaseOrder?
    init(count: Int, product: Product) {
        self.count = count
        self.product = product
    }
}

// MARK: - Actors

struct ProductSnapshot: Sendable, Hashable, Identifiable {
    let id: PersistentIdentifier
    let sku: String
    let quantity: Int
}

extension Product {
    nonisolated var snapshot: ProductSnapshot { ProductSnapshot(id: persistentModelID, sku: sku, quantity: quantity) }
}

protocol Stocking: Actor {
    func receive(_ count: Int, of id: PersistentIdentifier) async throws
}

@ModelActor
actor Importer {
    private(set) var imported = 0

    func importProducts(_ rows: [(sku: String, name: String)]) throws -> [PersistentIdentifier] {
        try modelContext.transaction {
            for row in rows { modelContext.insert(Product(sku: row.sku, name: row.name)) }
        }
        imported += rows.count
        let skus = rows.map(\.sku)
        return try modelContext.fetchIdentifiers(FetchDescriptor<Product>(predicate: #Predicate { skus.contains($0.sku) }))
    }
}

@ModelActor
actor Stock: Stocking {
    func receive(_ count: Int, of id: PersistentIdentifier) throws {
        guard let product = self[id, as: Product.self] else { throw StockError.unknown(id) }
        product.quantity += count
        product.movement = .counted(product.quantity, by: "stock")
        try modelContext.save()
    }

    func snapshots(where predicate: Predicate<Product>? = nil) throws -> [ProductSnapshot] {
        try modelContext.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.sku)])).map(\.snapshot)
    }

    func stream(of ids: [PersistentIdentifier]) -> AsyncThrowingStream<ProductSnapshot, any Error> {
        AsyncThrowingStream { continuation in
            for id in ids {
                if let product = modelContext.model(for: id) as? Product { continuation.yield(product.snapshot) }
            }
            continuation.finish()
        }
    }

    func setAuthor(_ author: String) { modelContext.author = author }
}

enum StockError: Error, Equatable { case unknown(PersistentIdentifier) }

/// Written by hand, as before the macro.
actor Auditor: ModelActor {
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor
    private var token: DefaultHistoryToken?
    private let ignored: String

    init(container: ModelContainer, ignoring author: String) {
        modelContainer = container
        let context = ModelContext(container)
        context.autosaveEnabled = false
        modelExecutor = DefaultSerialModelExecutor(modelContext: context)
        ignored = author
    }

    /// Returns what happened since the last call.
    func changes() throws -> (inserted: Int, updated: [String], deleted: [String]) {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        let ignored = ignored
        if let token {
            descriptor.predicate = #Predicate { transaction in
                transaction.token > token && transaction.author != ignored
            }
        } else {
            descriptor.predicate = #Predicate { $0.author != ignored }
        }
        let transactions = try modelContext.fetchHistory(descriptor)
        token = transactions.last?.token ?? token
        var (inserted, updated, deleted) = (0, [String](), [String]())
        for transaction in transactions {
            for change in transaction.changes {
                switch change {
                case .insert(_ as DefaultHistoryInsert<Product>): inserted += 1
                case .insert: break
                case .update(let update as DefaultHistoryUpdate<Product>):
                    if update.updatedAttributes.contains(where: { $0 == \.quantity }) { updated.append("quantity") }
                case .update: break
                case .delete(let deletion as DefaultHistoryDelete<Product>):
                    deleted.append(deletion.tombstone[\.sku] as? String ?? "?")
                case .delete: break
                @unknown default: break
                }
            }
        }
        return (inserted, updated, deleted)
    }

    func purge(before date: Date) throws {
        try modelContext.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.timestamp < date }))
    }
}

extension ModelContext {
    func firstOrInsert<T: PersistentModel>(_ predicate: Predicate<T>, _ make: @autoclosure () -> T) throws -> T {
        var descriptor = FetchDescriptor(predicate: predicate)
        descriptor.fetchLimit = 1
        if let found = try fetch(descriptor).first { return found }
        let new = make()
        insert(new)
        return new
    }

    func count<T: PersistentModel>(_: T.Type = T.self, where predicate: Predicate<T>? = nil) -> Int {
        (try? fetchCount(FetchDescriptor<T>(predicate: predicate))) ?? 0
    }

    var isClean: Bool { !hasChanges && insertedModelsArray.isEmpty && changedModelsArray.isEmpty && deletedModelsArray.isEmpty }
}
