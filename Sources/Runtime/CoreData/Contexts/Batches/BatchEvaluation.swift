internal import Foundation
internal import RuntimeSupport

extension NSPersistentStore {
    /// Runs a block with a context that sees the current state of the store, for the parts of batch requests that need
    /// objects.
    func withObjects<Result>(_ body: (NSManagedObjectContext) throws -> Result) throws -> Result {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return try context.performAndWait { try body(context) }
    }

    /// Converts the value of a batch update's expression to a property's type.
    ///
    /// - Throws: an error of Cocoa's domain with the code 134030 if the property cannot have the value.
    func slotValue(_ value: Any?, ofExpressionFor slot: Int, of layout: EntityLayout) throws -> SlotValue {
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
                + "expression of the batch update gives", userInfo: [NSAffectedStoresErrorKey: [self]])
    }
}
