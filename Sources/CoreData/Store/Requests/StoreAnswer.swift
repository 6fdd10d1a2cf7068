internal import Foundation

/// A store's answer to a fetch.
///
/// A store does as much of a fetch as it can without objects of a context, and names the rest in `remaining`. The context
/// makes the objects, and does the rest with them. Valid under the coordinator's lock, for the one call that it was made in.
struct StoreAnswer {
    /// What was found.
    enum Content {
        /// The number of results, for a request that asks for it.
        case count(Int)
        /// The dictionaries of the results, for a request that asks for them.
        case dictionaries([AnyObject])
        /// The IDs of objects, in order unless that remains to be done.
        case ids([NSManagedObjectID])
        /// The rows of objects, in order.
        case rows(FetchedRows)
        /// The objects of a store in memory, read where they are, without those that the search excludes.
        case records([MemoryObject])
    }

    /// The parts of a request that the store has not executed.
    struct Remaining: OptionSet {
        let rawValue: Int

        /// The predicate: there are objects among the results that do not match.
        static let predicate = Remaining(rawValue: 1)
        /// The sort descriptors.
        static let order = Remaining(rawValue: 2)
        /// The offset and the limit.
        static let range = Remaining(rawValue: 4)
        static let all: Remaining = [.predicate, .order, .range]
    }

    var content: Content
    var remaining: Remaining
    /// Objects that must live until the context has looked up what it was told of.
    var keepAlive: [AnyObject] = []

    init(_ content: Content, remaining: Remaining = []) {
        self.content = content
        self.remaining = remaining
    }

    /// Returns the IDs of what was found, whatever remains to be done. Nothing for numbers and dictionaries.
    func ids() throws -> [NSManagedObjectID] {
        switch content {
        case .count, .dictionaries: return []
        case .ids(let ids): return ids
        case .records(let records): return records.map(\.id)
        case .rows(let rows):
            var ids: [NSManagedObjectID] = []
            try rows.forEach { key, layout, _ in ids.append(NSManagedObjectID(key, layout, rows.place)) }
            return ids
        }
    }
}

/// The rows that a store reads while the context makes objects of them, so that no list of rows is ever made.
struct FetchedRows {
    /// What the keys belong to.
    let place: StorePlace
    private let read: ((Int64, EntityLayout, consuming Row) -> Void) throws -> Void

    /// Creates rows of a function that calls another with the key, layout and values of each row. It is called at most once.
    init(_ place: StorePlace, _ read: @escaping ((Int64, EntityLayout, consuming Row) -> Void) throws -> Void) {
        self.place = place
        self.read = read
    }

    /// Calls a function with the key, layout and values of each row. May be called once.
    func forEach(_ body: (Int64, EntityLayout, consuming Row) -> Void) throws { try read(body) }
}
