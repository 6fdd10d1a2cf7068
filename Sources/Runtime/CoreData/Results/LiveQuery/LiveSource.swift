internal import Foundation
internal import Observation
internal import RuntimeSupport

/// The shared implementation of live queries: a request, a context, and the results.
///
/// Confined to the context's queue.
final class LiveSource<Result: NSManagedObject>: Observable {
    private let registrar = ObservationRegistrar()
    private let request: NSFetchRequest<Result>
    private var swiftOrder: [SortDescriptor<Result>] = []
    private var keyPath: PartialKeyPath<Result>?
    private var core: ResultsCore?
    /// Follows the results, which would otherwise keep this object and themselves and their context in memory.
    private let relay = Relay()
    private(set) var context: NSManagedObjectContext?
    private var typed: [Result]?
    private var failure: (any Error)?

    init(_ request: NSFetchRequest<Result>, sectionKeyPath: PartialKeyPath<Result>?) {
        self.request = (request.copy() as? NSFetchRequest<Result>) ?? request
        keyPath = sectionKeyPath
        relay.source = self
    }

    // MARK: Fetching

    func begin(in context: NSManagedObjectContext) throws {
        self.context = context
        try registrar.withMutation(of: self, keyPath: \.objects) { try fetch() }
    }

    /// Begins the query where an error cannot be thrown; it is logged and stored in the property.
    func tryToBegin(in context: NSManagedObjectContext?) {
        guard let context else { return }
        do { try begin(in: context) } catch { Log.error("a live query cannot be fetched: \(error)") }
    }

    private func fetch() throws {
        guard let context else { return }
        if request.entity == nil, request.entityName == nil { request.entity = context.entity(ofClass: Result.self) }
        let settings = completeRequest().settings
        let name = keyPath.map { PropertyKeyPath.requiredString(of: $0) }
        typed = nil
        failure = nil
        if core == nil || core?.context !== context {
            core?.remove(relay)
            let new = ResultsCore(settings, context)
            new.add(relay)
            core = new
        }
        do {
            try core?.performFetch(settings, sectionNameKeyPath: name)
        } catch {
            core?.clear()
            failure = error
            throw error
        }
    }

    /// Returns the request with its order. A query without one is ordered by ID: a fetch may return results in any
    /// order, but reporting positions requires a fixed one.
    private func completeRequest() -> NSFetchRequest<Result> {
        guard let complete = request.copy() as? NSFetchRequest<Result> else { return request }
        if !swiftOrder.isEmpty { complete.sortDescriptors = swiftOrder.map { NSSortDescriptor($0) } }
        if complete.sortDescriptors?.isEmpty ?? true {
            complete.sortDescriptors = [
                NSSortDescriptor(key: "objectID", ascending: true) { one, other in
                    guard let one = one as? NSManagedObjectID, let other = other as? NSManagedObjectID else {
                        return .orderedSame
                    }
                    if one.creationOrder == other.creationOrder { return .orderedSame }
                    return one.creationOrder < other.creationOrder ? .orderedAscending : .orderedDescending
                }
            ]
        }
        return complete
    }

    /// Changes the request, and fetches again if the query has begun.
    private func change<Member>(_ member: KeyPath<LiveSource, Member>, _ body: () -> Void) {
        registrar.withMutation(of: self, keyPath: member) {
            body()
            guard context != nil else { return }
            registrar.withMutation(of: self, keyPath: \.objects) {
                do { try fetch() } catch { Log.error("a live query cannot be fetched: \(error)") }
            }
        }
    }

    // MARK: Request

    var predicate: NSPredicate? {
        get {
            registrar.access(self, keyPath: \.predicate)
            return request.predicate
        }
        set { change(\.predicate) { request.predicate = newValue } }
    }

    var sortDescriptors: [NSSortDescriptor] {
        get {
            registrar.access(self, keyPath: \.sortDescriptors)
            return swiftOrder.isEmpty ? request.sortDescriptors ?? [] : swiftOrder.map { NSSortDescriptor($0) }
        }
        set {
            change(\.sortDescriptors) {
                swiftOrder = []
                request.sortDescriptors = newValue
            }
        }
    }

    var order: [SortDescriptor<Result>] {
        get {
            registrar.access(self, keyPath: \.sortDescriptors)
            return swiftOrder
        }
        set {
            change(\.sortDescriptors) {
                swiftOrder = newValue
                request.sortDescriptors = nil
            }
        }
    }

    var sectionKeyPath: PartialKeyPath<Result>? {
        get { keyPath }
        set { change(\.objects) { keyPath = newValue } }
    }

    // MARK: Results

    /// The objects; none before the query has begun.
    var objects: [Result] {
        registrar.access(self, keyPath: \.objects)
        if let typed { return typed }
        let objects = (core?.contents?.objects ?? []).compactMap { $0 as? Result }
        typed = objects
        return objects
    }

    /// The index ranges of the sections' objects.
    var sections: [Range<Int>] {
        registrar.access(self, keyPath: \.objects)
        return core?.contents?.sections.map(\.range) ?? []
    }

    var error: (any Error)? {
        registrar.access(self, keyPath: \.objects)
        return failure
    }

    var snapshots: FetchedResultsSnapshots { FetchedResultsSnapshots(subscription(now: true)) }

    var changes: FetchedResultsChanges { FetchedResultsChanges(subscription(now: false)) }

    private func subscription(now: Bool) -> ResultsSubscription {
        core.map { ResultsMailbox.open($0, now: now) } ?? ResultsSubscription()
    }

    // MARK: Following

    private final class Relay: ResultsCoreObserver {
        weak var source: LiveSource?

        func resultsChanged(_ core: ResultsCore, _ difference: ResultsDifference<NSManagedObject>?) {
            // The caller that requested a new fetch reports it.
            guard let source, difference != nil else { return }
            source.registrar.withMutation(of: source, keyPath: \.objects) { source.typed = nil }
        }

        func resultsEnd() {}
    }
}
