import CoreData
import Foundation
import Stock

// Prints the stock whenever another program changes it, until interrupted. It does not poll the server for changes.

/// Prints the items of a context.
func show(_ context: NSManagedObjectContext) {
    let items: [NSManagedObject]
    do { items = try context.fetch(Stock.request) } catch { Stock.stop("cannot read the stock", error) }
    let line = items.map { "\($0.value(forKey: "name") as? String ?? "") \($0.value(forKey: "count") as? Int ?? 0)" }
    Stock.say(line.isEmpty ? "nothing in stock" : line.joined(separator: ", "))
}

let container = Stock.open(author: "list")
let context = container.newBackgroundContext()
context.automaticallyMergesChangesFromParent = true
let observer = NotificationCenter.default.addObserver(
    forName: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: context, queue: nil
) { _ in show(context) }
context.performAndWait { show(context) }
RunLoop.main.run()
