/// The engine of a store without objects: a subclass of `NSPersistentStore` itself.
final class EmptyEngine: StoreEngine, Sendable {
    static let shared = EmptyEngine()

    var traits: StoreTraits { [] }

    func row(for id: NSManagedObjectID, _ layout: EntityLayout) -> Row? { nil }

    func members(of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout) -> [NSManagedObjectID] { [] }

    func fetch(_ search: FetchSearch, ahead: AnyObject?) -> StoreAnswer { StoreAnswer(.ids([])) }

    func permanentIDs(for new: [NewObject]) -> [NSManagedObjectID] { [] }

    func prepare(_ save: StoreSave) -> PreparedSave {
        PreparedSave(
            isWritten: false, commit: { SaveResult(rows: save.changes.map { _ in nil }) }, rollBack: {})
    }
}
