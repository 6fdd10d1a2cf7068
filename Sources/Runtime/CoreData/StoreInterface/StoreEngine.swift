internal import Foundation

/// A store as the coordinator sees it: values in, values out.
///
/// `NSPersistentStore` is only Apple's interface: location, options, metadata, identity. What it does for contexts is
/// its engine (`NSPersistentStore.engine`). An engine knows IDs, layouts and rows. The objects of a context are handles
/// to it, which it passes on, except for `NSAtomicStore` and `NSIncrementalStore`: their public interface takes
/// objects.
///
/// Called under the coordinator's lock, one call at a time, unless marked “any thread”. What a store does not do has a
/// default.
package protocol StoreEngine: AnyObject {
    /// The store's fixed capabilities. Any thread.
    var traits: StoreTraits { get }

    // MARK: Life

    /// Prepares reading and writing, when the store is added and its metadata match the model. Stores that keep all
    /// objects in memory read them here. Does nothing by default.
    func loadContents() throws

    /// Returns whether a store with the same URL is the same store. True by default; `false` for one of several that
    /// share a URL.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the other store.
    ///   - options: The options of the other store.
    func isSame(withConfiguration configuration: String?, options: [AnyHashable: Any]) -> Bool

    // MARK: Reading

    /// Runs a block whose reads see everything that was saved. They always do by default, but for rows in the cache.
    func readingNewest<Result>(_ body: () throws -> Result) rethrows -> Result

    /// Returns the row of an object, or `nil` if the store has none.
    func row(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row?

    /// Returns the rows of many objects; `nil` for those that do not exist. One by one by default.
    func rows(for ids: [NSManagedObjectID]) throws -> [Row?]

    /// Returns the objects of a to-many relationship, in order.
    func members(of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout) throws -> [NSManagedObjectID]

    /// Calls a function with the members of a to-many relationship of many objects: the owner's index among the IDs,
    /// and the key, layout and row of the member. Only called if the store has the trait `loadsRowsInBatches`.
    func forEachMember(
        of ids: [NSManagedObjectID], at index: Int, _ layout: EntityLayout,
        _ body: (_ owner: Int, Int64, EntityLayout, consuming Row) -> Void
    ) throws

    /// Drops cached rows if another program may have changed the store, unless that was checked recently. Does nothing
    /// by default, in stores that other programs cannot write or that cache no rows.
    ///
    /// - Parameter age: The time, in seconds, for which an earlier check is valid; zero to check now.
    func dropStaleRows(olderThan age: TimeInterval) throws

    /// Begins a search in a remote store before the coordinator's lock is taken, so that several threads can wait for
    /// the server at the same time. Any thread.
    ///
    /// - Returns: An object to pass to `fetch(_:ahead:)` under the lock, or `nil`, by default, if nothing was fetched
    ///   ahead.
    func fetchAhead(_ search: FetchSearch) -> AnyObject?

    /// Executes a fetch as far as the store can, and reports what remains for the context to do.
    ///
    /// A store that translates requests returns rows, IDs, dictionaries or a number; any other store returns all
    /// objects of the layouts as candidates. Only contexts create managed objects.
    ///
    /// - Parameter ahead: What `fetchAhead(_:)` has returned.
    func fetch(_ search: FetchSearch, ahead: AnyObject?) throws -> StoreAnswer

    /// Returns the last key that the store may have given to an object of an entity; `nil`, by default, if it does not
    /// count them.
    func lastKey(_ layout: EntityLayout) throws -> Int64?

    // MARK: Writing

    /// Returns permanent IDs for new objects, in their order.
    func permanentIDs(for new: [NewObject]) throws -> [NSManagedObjectID]

    /// Begins a save of all changes, or none, and of the metadata.
    ///
    /// A save has two phases, so that several stores are saved or none: everything is written and checked by this
    /// method, and made permanent by `PreparedSave.commit`. Stores that cannot take back what they have written only
    /// write then. The save's locked objects have already been compared with the store's rows, but another context or
    /// program may have written since.
    ///
    /// - Throws: `SaveConflicts`, `ReferenceConflicts`, `ConstraintConflicts`, or an `NSError` of Cocoa's domain.
    ///   Nothing has changed then.
    func prepare(_ save: StoreSave) throws -> PreparedSave

    /// Returns whether changes were saved by a save that ended with `UnknownSaveOutcome`; `nil` if it cannot be
    /// determined. By default, the current rows tell.
    ///
    /// - Parameter transaction: The number of the transaction in the store, if it has one.
    /// - Throws: An error if the store cannot be asked, or may still save the changes.
    func outcome(ofUncertain changes: [ObjectChange], transaction: Int64?) throws -> Bool?

    /// Executes a batch request. Only called if the store has the trait `executesBatches`.
    ///
    /// No object of a context changes. The store enforces the unique constraints of new objects, by the batch's merge
    /// policy.
    ///
    /// - Parameter evaluation: What the caller does for the store.
    func execute(_ batch: BatchChange, with evaluation: BatchEvaluation) throws -> BatchOutcome

    // MARK: Objects in use

    /// Called on any thread when a context begins to use an object, if the store has the trait `tracksObjects`.
    func beginUse(of id: NSManagedObjectID)

    /// Called on any thread when a context no longer uses an object, if the store has the trait `tracksObjects`.
    func endUse(of id: NSManagedObjectID)

    // MARK: Generations

    /// Returns an object that preserves the current state while it is alive, or `nil`, by default, if the store cannot.
    func pinGeneration() throws -> AnyObject?

    /// Runs a block that reads the state preserved by an object that `pinGeneration()` has returned.
    func reading<Result>(_ generation: AnyObject, _ body: () throws -> Result) rethrows -> Result

    // MARK: History

    /// Whether the store keeps a history. False by default; the other members are not used then.
    var keepsHistory: Bool { get }

    /// Returns the number of the last transaction, or 0 before the first.
    func lastTransaction() throws -> Int64

    /// The number of the last transaction written by this store, if it is known without querying a server.
    var lastOwnTransaction: Int64? { get }

    /// Returns the transactions after a position, ordered by number.
    ///
    /// - Throws: An error with the code 134301 if some of them have been deleted.
    func history(after position: HistoryPosition, includesChanges: Bool) throws -> [HistoryRecord]

    /// Removes the transactions before a position, and returns their number.
    func deleteHistory(before position: HistoryPosition) throws -> Int

    // MARK: Migration

    /// Executes one step of the work that a lightweight migration has deferred.
    ///
    /// - Returns: Whether there was a step to execute. `false` by default.
    func finishMigrationStep() throws -> Bool
}

/// The defaults of optional requirements.
extension StoreEngine {
    package func loadContents() throws {}

    package func isSame(withConfiguration configuration: String?, options: [AnyHashable: Any]) -> Bool { true }

    package func readingNewest<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }

    package func rows(for ids: [NSManagedObjectID]) throws -> [Row?] { try ids.map { try row(for: $0, $0.layout) } }

    package func forEachMember(
        of ids: [NSManagedObjectID], at index: Int, _ layout: EntityLayout,
        _ body: (_ owner: Int, Int64, EntityLayout, consuming Row) -> Void
    ) throws {}

    package func dropStaleRows(olderThan age: TimeInterval) throws {}

    package func lastKey(_ layout: EntityLayout) throws -> Int64? { nil }

    package func fetchAhead(_ search: FetchSearch) -> AnyObject? { nil }

    package func outcome(ofUncertain changes: [ObjectChange], transaction: Int64?) throws -> Bool? {
        try outcomeInRows(of: changes)
    }

    /// Returns what the store's current rows say about an uncertain save of changes.
    package func outcomeInRows(of changes: [ObjectChange]) throws -> Bool? {
        try dropStaleRows(olderThan: 0)
        return UnknownSaveOutcome.outcome(of: changes, try rows(for: changes.map(\.id)))
    }

    package func execute(_ batch: BatchChange, with evaluation: BatchEvaluation) throws -> BatchOutcome {
        BatchOutcome()
    }

    package func beginUse(of id: NSManagedObjectID) {}

    package func endUse(of id: NSManagedObjectID) {}

    package func pinGeneration() throws -> AnyObject? { nil }

    package func reading<Result>(_ generation: AnyObject, _ body: () throws -> Result) rethrows -> Result { try body() }

    package var keepsHistory: Bool { false }

    package func lastTransaction() throws -> Int64 { 0 }

    package var lastOwnTransaction: Int64? { nil }

    package func history(after position: HistoryPosition, includesChanges: Bool) throws -> [HistoryRecord] { [] }

    package func deleteHistory(before position: HistoryPosition) throws -> Int { 0 }

    package func finishMigrationStep() throws -> Bool { false }
}
