internal import Foundation

/// A store's answer to a fetch.
///
/// A store executes as much of a fetch as it can without objects of a context, and reports the rest in `remaining`. The
/// context creates the objects and executes the rest. Valid under the coordinator's lock, during the call that created
/// it.
package struct StoreAnswer {
    /// The results.
    package enum Content {
        /// The number of results, if requested.
        case count(Int)
        /// The dictionaries of the results, if requested.
        case dictionaries([AnyObject])
        /// The IDs of objects, sorted unless that remains to be done.
        case ids([NSManagedObjectID])
        /// The rows of objects, in order.
        case rows(FetchedRows)
        /// The objects of an in-memory store, read in place, without those that the search excludes.
        case memoryObjects([MemoryObject])
    }

    /// The parts of a request that the store has not executed.
    package struct Remaining: OptionSet {
        package let rawValue: Int

        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The predicate: some results may not match.
        package static let predicate = Remaining(rawValue: 1)
        /// The sort descriptors.
        package static let order = Remaining(rawValue: 2)
        /// The offset and the limit.
        package static let range = Remaining(rawValue: 4)
        static let all: Remaining = [.predicate, .order, .range]
    }

    var content: Content
    var remaining: Remaining
    /// Objects that must stay alive until the context has processed the answer.
    var keepAlive: [AnyObject] = []

    package init(_ content: Content, remaining: Remaining = []) {
        self.content = content
        self.remaining = remaining
    }

    /// Returns the IDs of the results, regardless of what remains to be done. Empty for numbers and dictionaries.
    func ids() throws -> [NSManagedObjectID] {
        switch content {
        case .count, .dictionaries: return []
        case .ids(let ids): return ids
        case .memoryObjects(let objects): return objects.map(\.id)
        case .rows(let rows):
            var ids: [NSManagedObjectID] = []
            try rows.forEach { key, layout, _ in
                ids.append(NSManagedObjectID(key: key, layout: layout, storeIdentity: rows.storeIdentity))
            }
            return ids
        }
    }
}
