import CoreData
import Foundation
import Stock

// Adds a delivery to the stock every second, ten times: updates existing items and inserts missing ones.

let container = Stock.open(author: "importer")
let context = container.newBackgroundContext()
context.transactionAuthor = "importer"

/// Adds a delivery to the stock.
func receive(_ delivery: Int, in context: NSManagedObjectContext) throws {
    let names = ["apples", "bread", "cheese", "dates", "eggs"]
    // Other programs may have changed the items since the last delivery.
    context.refreshAllObjects()
    let items = Dictionary(
        uniqueKeysWithValues: try context.fetch(Stock.request).map {
            ($0.value(forKey: "name") as? String ?? "", $0)
        })
    for name in names.shuffled().prefix(2) {
        let item = items[name] ?? NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValue(name, forKey: "name")
        item.setValue((item.value(forKey: "count") as? Int ?? 0) + delivery, forKey: "count")
    }
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.save()
}

for delivery in 1...10 {
    do {
        try context.performAndWait { try receive(delivery, in: context) }
    } catch {
        Stock.stop("cannot save delivery \(delivery)", error)
    }
    Stock.say("delivery \(delivery)")
    Thread.sleep(forTimeInterval: 1)
}
