// swift-format-ignore-file
import Foundation
import SwiftData
import Testing

@Suite struct InventoryTests {
    private let container: ModelContainer
    private var context: ModelContext { ModelContext(container) }

    init() throws {
        container = try ModelContainer(
            for: Product.self, Supplier.self, PurchaseOrder.self, OrderLine.self,
            configurations: ModelConfiguration("inventory", isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    }

    @Test func importedProductsAreReceivedByConcurrentTasks() async throws {
        let importer = Importer(modelContainer: container)
        let stock = Stock(modelContainer: container)
        let ids = try await importer.importProducts((0..<20).map { ("s\($0)", "Name \($0)") })
        #expect(await importer.imported == 20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ids { group.addTask { try await stock.receive(3, of: id) } }
            try await group.waitForAll()
        }
        var total = 0
        for try await snapshot in await stock.stream(of: ids) { total += snapshot.quantity }
        #expect(total == 60)
        let found = try await stock.snapshots(where: #Predicate { $0.quantity == 3 && $0.sku.starts(with: "s1") })
        #expect(found.map(\.sku).count == 11 && Set(found.map(\.id)).isSubset(of: Set(ids)))
        let product = try #require(context.model(for: ids[0]) as? Product)
        #expect(product.movement == .counted(3, by: "stock") && product.quantity == 3)
        let main = await MainActor.run { container.mainContext.count(Product.self) }
        #expect(main == 20)
    }

    @Test func theIdentifierOfADeletedModelIsUnknown() async throws {
        let stock = Stock(modelContainer: container)
        let ids = try await Importer(modelContainer: container).importProducts([("a", "A")])
        let context = context
        try context.delete(model: Product.self)
        try context.save()
        await #expect(throws: StockError.unknown(ids[0])) { try await stock.receive(1, of: ids[0]) }
    }

    @Test func theHistoryListsChangesOfOtherAuthors() async throws {
        let auditor = Auditor(container: container, ignoring: "sync")
        let stock = Stock(modelContainer: container)
        await stock.setAuthor("stock")
        let importing = context
        importing.author = "import"
        let product = Product(sku: "x", name: "X")
        importing.insert(product)
        try importing.save()
        try await stock.receive(2, of: product.persistentModelID)
        var changes = try await auditor.changes()
        #expect(changes.inserted == 1 && changes.updated == ["quantity"] && changes.deleted.isEmpty)
        let sync = context
        sync.author = "sync"
        sync.insert(Product(sku: "y", name: "Y"))
        try sync.save()
        importing.delete(product)
        try importing.save()
        changes = try await auditor.changes()
        #expect(changes.inserted == 0 && changes.deleted == ["x"])
        try await auditor.purge(before: .now.addingTimeInterval(60))
        #expect(try importing.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
    }

    @Test func valuesOfAllKinds() throws {
        let context = context
        let product = Product(sku: "1", name: "Saw", category: .tools, price: 12.5)
        product.dimensions = .init(width: 1, height: 2, depth: nil, unit: .millimeters)
        product.flags = [.fragile, .cold]
        product.labels = [.init(text: "new", color: "red"), .init(text: "old")]
        product.perWarehouse = ["a": 1]
        product.movement = .moved(from: "a", to: "b")
        product.isSelected = true
        product.secret = "s"
        context.insert(product)
        try context.save()
        #expect(product.isSelected)
        let again = try #require(try ModelContext(container).fetch(FetchDescriptor<Product>()).first)
        #expect(again.dimensions == product.dimensions && again.flags == [.fragile, .cold] && again.labels == product.labels)
        #expect(again.perWarehouse == ["a": 1] && again.movement == .moved(from: "a", to: "b") && again.price.amount == 12.5)
        #expect(!again.isSelected && again.secret == "s" && again.category == .tools && again.undoable)
        let cheap = #Predicate<Product> { $0.price.amount < 20 && $0.price.currency == "EUR" }
        #expect(context.count(where: cheap) == 1)
        let tools = Product.Category.tools
        #expect(context.count(where: #Predicate<Product> { $0.category == tools }) == 1)
        #expect(context.count(where: #Predicate<Product> { $0.dimensions?.width == 1 }) == 1)
        #expect(context.count(where: #Predicate<Product> { $0.dimensions != nil }) == 1)
        #expect(context.count(where: #Predicate<Product> { $0.dimensions == nil }) == 0)
    }

    @Test func compoundsWithRelationships() throws {
        let context = context
        let (one, two) = (Supplier(name: "one"), Supplier(name: "two"))
        context.insert(one)
        context.insert(two)
        func add(_ sku: String, _ supplier: Supplier, _ code: String?) {
            let product = Product(sku: sku, name: sku, supplier: supplier)
            product.supplierCode = code
            context.insert(product)
        }
        add("a", one, "1")
        add("b", two, "1")
        add("c", one, nil)
        add("d", one, nil)
        try context.save()
        #expect(context.count(Product.self) == 4)
        add("e", one, "1")
        try context.save()
        #expect(context.count(Product.self) == 4)
        #expect(one.productNames.count == 3 && one.productNames.contains("e"))
    }

    @Test func deniedAndCascadedDeletions() throws {
        let context = context
        let product = try context.firstOrInsert(#Predicate { $0.sku == "p" }, Product(sku: "p", name: "P", price: 3))
        let order = PurchaseOrder(number: 1)
        context.insert(order)
        order.lines.append(OrderLine(count: 2, product: product))
        order.lines.append(OrderLine(count: 3, product: product))
        try context.save()
        #expect(order.total == 15 && product.lines?.count == 2)
        #expect(try context.firstOrInsert(#Predicate { $0.sku == "p" }, Product(sku: "p", name: "other")) === product)
        context.delete(product)
        #expect(throws: (any Error).self) { try context.save() }
        context.rollback()
        #expect(product.name == "P" && context.isClean)
        context.delete(order)
        try context.save()
        #expect(context.count(OrderLine.self) == 0 && product.lines?.isEmpty == true)
        context.delete(product)
        try context.save()
        #expect(context.isClean && context.count(Product.self) == 0)
    }

    @Test func changesAreUndoneAndRedone() throws {
        let context = context
        let manager = UndoManager()
        context.undoManager = manager
        let product = Product(sku: "u", name: "U")
        context.insert(product)
        try context.save()
        manager.removeAllActions()
        manager.beginUndoGrouping()
        product.quantity = 5
        product.movement = .counted(5, by: nil)
        context.processPendingChanges()
        manager.endUndoGrouping()
        #expect(manager.canUndo && !manager.canRedo)
        manager.undo()
        #expect(product.quantity == 0 && product.movement == .none)
        manager.redo()
        #expect(product.quantity == 5 && product.movement == .counted(5, by: nil))
        try context.save()
        context.undoManager = nil
        #expect(context.undoManager == nil)
    }

    @Test func notificationsOfSaves() async throws {
        let context = context
        let counts = AsyncStream.makeStream(of: Int.self)
        let observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { notification in
            let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
            counts.continuation.yield((notification.userInfo?[key] as? [PersistentIdentifier])?.count ?? -1)
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        context.insert(Supplier(name: "n"))
        try context.save()
        for await count in counts.stream {
            #expect(count == 1)
            break
        }
    }

    @Test func identifiersAreCoded() throws {
        let context = context
        let supplier = Supplier(name: "s")
        context.insert(supplier)
        try context.save()
        let data = try JSONEncoder().encode([supplier.persistentModelID])
        let ids = try JSONDecoder().decode([PersistentIdentifier].self, from: data)
        #expect(ids == [supplier.id])
        let other = self.context
        let again = try #require(other.model(for: ids[0]) as? Supplier)
        #expect(again.name == "s")
        let made = try PersistentIdentifier.identifier(for: #require(supplier.id.storeIdentifier), entityName: "Supplier", primaryKey: "p1")
        #expect(made == supplier.id && other.registeredModel(for: made) == again)
        let id = supplier.persistentModelID
        #expect(other.count(where: #Predicate<Supplier> { $0.persistentModelID == id }) == 1)
        let set: Set<PersistentIdentifier> = [id]
        #expect(other.count(where: #Predicate<Supplier> { set.contains($0.persistentModelID) }) == 1)
        #expect(other.count(where: #Predicate<Product> { $0.supplier?.persistentModelID == id }) == 0)
    }
}
