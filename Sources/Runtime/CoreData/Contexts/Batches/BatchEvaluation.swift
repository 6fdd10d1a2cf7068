internal import Foundation
internal import RuntimeSupport

extension BatchEvaluation {
    /// Creates the evaluation of a batch request with objects of a context that sees the current state of a store.
    ///
    /// - Parameters:
    ///   - layout: The layout of the request's entity.
    ///   - store: The store, for searches and errors.
    ///   - makeContext: Returns a new context.
    init(_ layout: EntityLayout, in store: AnyObject, _ makeContext: @escaping () -> NSManagedObjectContext) {
        func withObjects<Result>(_ body: (NSManagedObjectContext) throws -> Result) throws -> Result {
            let context = makeContext()
            return try context.performAndWait { try body(context) }
        }
        matching = { settings in
            try withObjects { try $0.results(of: settings).compactMap { $0 as? NSManagedObjectID } }
        }
        values = { assignments, ids in
            let expressions = assignments.compactMap { assignment in
                if case .expression(let expression) = assignment.value { (assignment.slot, expression) } else { nil }
            }
            guard !expressions.isEmpty else { return Array(repeating: [:], count: ids.count) }
            return try withObjects { context in
                try ids.map { id in
                    let object = context.object(with: id)
                    var values: [Int: SlotValue] = [:]
                    for (slot, expression) in expressions {
                        let value = expression.expressionValue(with: object, context: nil)
                        values[slot] = try Self.slotValue(value, for: slot, of: layout, store: store)
                    }
                    return values
                }
            }
        }
        forEachDerived = { slots, ids, body in
            try withObjects { context in
                for (number, id) in ids.enumerated() {
                    try body(number, DerivedValues.computed(slots, of: context.object(with: id), id.layout))
                }
            }
        }
    }

    /// Converts the value of a batch update's expression to a property's type.
    private static func slotValue(
        _ value: Any?, for slot: Int, of layout: EntityLayout, store: AnyObject
    ) throws -> SlotValue {
        guard let value = Unwrapping.value(value) else { return .null }
        switch layout.slots[slot].kind {
        case .attribute(let type):
            if let converted = ValueConversion.slotValue(value, type) { return converted }
        case .toOne:
            if let object = value as? NSManagedObject { return .reference(object.objectID) }
        case .toMany, .fetched: break
        }
        throw CoreDataError.error(
            .persistentStoreSave,
            text: "“\(layout.name).\(layout.slots[slot].name)” cannot hold a \(Swift.type(of: value)), which an "
                + "expression of the batch update gives", userInfo: [NSAffectedStoresErrorKey: [store]])
    }
}
