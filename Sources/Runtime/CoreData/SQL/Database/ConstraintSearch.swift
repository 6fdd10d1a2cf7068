/// The parts of a search for values that must be unique that databases do differently.
package protocol ConstraintSearch {
    associatedtype Store: DatabaseStore

    /// Values as they are passed to the database.
    associatedtype Values

    var store: Store { get }

    /// Returns the values of a constraint in a row, or `nil` if one is missing: databases consider missing values
    /// distinct, as Apple's framework does.
    func values(_ constraint: UniqueProperties, row: Row, entity: Store.Entity) throws -> Values?

    /// Returns the parts of values that the database compares.
    func identity(_ values: Values) -> [AnyHashable]

    /// Returns the stored rows with each of several combinations of values.
    func storedRows(
        _ constraint: UniqueProperties, values: [Values], entity: Store.Entity
    ) throws -> [[(key: Int64, entity: Store.Entity)]]
}

/// A combination of values that must be unique, in the constraint's order.
private struct Combination: Hashable {
    var owner: String
    var names: [String]
    var values: [AnyHashable]
}

/// The combinations of values of one constraint that the objects of an entity would have.
private struct SearchedValues<Entity, Values> {
    let constraint: UniqueProperties
    let entity: Entity
    var values: [Values] = []
    /// The positions of the combinations among all of a save.
    var positions: [Int] = []
}

extension ConstraintSearch {
    /// Returns the conflicts of a save: the combinations of values that several of its objects would have, or one of
    /// them and a stored object that the save does not touch. Empty if the values only conflict temporarily while they
    /// are written.
    package func conflicts(of changes: [ObjectChange]) throws -> [ConstraintConflicts.Conflict] {
        var found: [ConstraintConflicts.Conflict] = []
        var positions: [Combination: Int] = [:]
        var searches: [SearchedValues<Store.Entity, Values>] = []
        var searchIndexes: [String: Int] = [:]
        for change in changes where change.kind != .delete && change.changesRow {
            guard let entity = store.entity(change.layout) else { continue }
            for constraint in UniqueProperties.all(of: entity.layout, entity.mapping) {
                guard let values = try values(constraint, row: change.row, entity: entity) else { continue }
                let combination = Combination(
                    owner: constraint.owner, names: constraint.names, values: identity(values))
                if let position = positions[combination] {
                    found[position].changes.append(change)
                    continue
                }
                positions[combination] = found.count
                let name = ([change.layout.name, constraint.owner] + constraint.names).joined(separator: " ")
                let index = searchIndexes[name] ?? searches.count
                if index == searches.count {
                    searchIndexes[name] = index
                    searches.append(SearchedValues(constraint: constraint, entity: entity))
                }
                searches[index].values.append(values)
                searches[index].positions.append(found.count)
                found.append(.init(constraint: constraint.names, changes: [change], stored: nil))
            }
        }
        let touched = touched(by: changes)
        for search in searches {
            let rows = try storedRows(search.constraint, values: search.values, entity: search.entity)
            for (position, rows) in zip(search.positions, rows) {
                found[position].stored = rows.first { row in
                    !touched.contains(RowIdentity(root: search.entity.mapping.rootNumber, key: row.key))
                }.map { store.id($0.key, $0.entity) }
            }
        }
        return found.filter { $0.changes.count > 1 || $0.stored != nil }
    }

    /// Returns the rows that a save writes or removes, whose stored values are ignored. A change of only to-many
    /// relationships does not touch an object's row.
    private func touched(by changes: [ObjectChange]) -> Set<RowIdentity> {
        var touched: Set<RowIdentity> = []
        for change in changes where change.kind == .delete || change.changesRow {
            guard case .number(let key) = change.id.reference, let entity = store.entity(change.layout) else {
                continue
            }
            touched.insert(RowIdentity(root: entity.mapping.rootNumber, key: key))
        }
        return touched
    }
}

/// What a batch insertion does with an object whose values must be unique and belong to other rows.
package enum UniquenessDecision: Equatable {
    /// The request fails.
    case fail
    /// The other rows are kept, and the object is skipped.
    case skip
    /// The only other row gets the object's values at some slots: the attributes that the request sets, or all of them.
    case merge(slots: [Int])

    /// Decides by a merge policy.
    ///
    /// - Parameters:
    ///   - policy: The policy of the context.
    ///   - object: The new object.
    ///   - entity: Its entity.
    ///   - rivals: Returns the numbers of the entities of the rows that have one of the values.
    package init(
        _ policy: NSMergePolicyType, of object: BatchChange.NewObject, _ entity: some MappedEntity,
        rivals: () throws -> [Int]
    ) rethrows {
        switch policy {
        case .errorMergePolicyType: self = .fail
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: self = .skip
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            // Several objects cannot be merged, nor can an object change its entity.
            guard try rivals() == [entity.mapping.number] else {
                self = .fail
                return
            }
            let all = entity.layout.attributeSlots.filter { !entity.layout.slots[$0].isTransient }
            let slots = policy == .overwriteMergePolicyType ? all : object.given ?? all
            self = .merge(slots: slots.filter { !entity.derivedSlots.contains($0) }.sorted())
        }
    }
}
