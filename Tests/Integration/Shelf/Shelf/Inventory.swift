import Foundation
import SwiftData

struct Inventory {
    let context: ModelContext

    func titles(atLeast count: Int) throws -> [String] {
        let items = FetchDescriptor<Item>(
            predicate: #Predicate { $0.count >= count }, sortBy: [SortDescriptor(\.title)])
        return try context.fetch(items).map(\.title)
    }
}
