internal import Foundation

/// A fetch request resolved against the model, as a context passes it to a store.
///
/// The predicate and the sort descriptors are compiled on first use, which stores that translate them do not need.
/// Confined to the thread that created it.
package final class FetchSearch {
    /// The request's settings.
    package let settings: FetchSettings
    /// The layout of the request's entity.
    package let layout: EntityLayout
    /// The layouts of the entity and, if the request includes them, its subentities.
    let layouts: [EntityLayout]

    /// The compiled predicate; `nil` if all objects match. Traps on a key path that the model does not have.
    private(set) lazy var filter: SlotFilter? = evaluator.map { SlotFilter($0, layout) }
    /// The resolved sort descriptors. Traps on a key that the model does not have, and on one that passes a to-many
    /// relationship.
    private(set) lazy var sortKeys = (settings.sortDescriptors ?? []).map { SortKey($0, layout) }
    private lazy var evaluator = settings.predicate.flatMap { predicate in
        predicate.constantAnswer == true ? nil : PredicateEvaluator(predicate)
    }

    /// Creates the search for a request of an entity.
    init(settings: FetchSettings, layout: EntityLayout, layouts: [EntityLayout]) {
        self.settings = settings
        self.layout = layout
        self.layouts = layouts
    }

    /// Whether stored values suffice to find and sort the objects, without objects of a context.
    private(set) lazy var readsStoredValues: Bool = {
        // All keys are checked, so that unknown ones are found in any case.
        var isStored = sortKeys.allSatisfy(\.readsStoredValues)
        guard let evaluator else { return isStored }
        for keys in evaluator.reads.paths where !FetchKeyPath(keys, layout).isStored { isStored = false }
        return isStored && !evaluator.reads.callsCode
    }()

    /// Returns the objects that match the predicate. Traps on a key path that the model does not have.
    func matching<Object: SlotBacked>(_ objects: [Object]) -> [Object] {
        // This checks the key paths.
        _ = readsStoredValues
        guard let filter else { return objects }
        return objects.filter { filter.matches($0) }
    }

    /// The clauses of the request that remain for the context if a store executes none of them.
    var clauses: StoreAnswer.Remaining {
        var clauses: StoreAnswer.Remaining = []
        if settings.predicate != nil { clauses.insert(.predicate) }
        if settings.sortDescriptors?.isEmpty == false { clauses.insert(.order) }
        if settings.fetchOffset > 0 || settings.fetchLimit > 0 { clauses.insert(.range) }
        return clauses
    }
}
