public import Foundation

/// Resolves conflicts between two contexts that saved the same object.
///
/// ```swift
/// context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
/// ```
///
/// Subclasses may override `resolve(mergeConflicts:)` or `resolve(optimisticLockingConflicts:)`: change the objects,
/// throw to let the save fail, and call super. Policies are immutable and thread-safe.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    private let type: NSMergePolicyType

    /// The way in which conflicts are resolved.
    open var mergeType: NSMergePolicyType { type }

    /// Creates a policy.
    public init(merge ty: NSMergePolicyType) {
        type = ty
        super.init()
    }

    /// Resolves conflicts of any kind.
    ///
    /// - Throws: An `NSError` of Cocoa's domain with the code 133020 if the policy is to fail the save.
    open func resolve(mergeConflicts list: [Any]) throws {
        guard mergeType == .errorMergePolicyType, !list.isEmpty else { return }
        throw CoreDataError.error(
            .managedObjectMerge, text: "Could not merge changes.",
            userInfo: [NSPersistentStoreSaveConflictsErrorKey: list])
    }

    /// Resolves conflicts with changes that were saved elsewhere.
    ///
    /// - Throws: An `NSError` of Cocoa's domain with the code 133020 if the policy is to fail the save.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws { try resolve(mergeConflicts: list) }

    /// Resolves conflicts of uniqueness constraints.
    ///
    /// - Throws: An `NSError` of Cocoa's domain with the code 133021 if the policy is to fail the save.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        guard mergeType == .errorMergePolicyType, !list.isEmpty else { return try resolve(mergeConflicts: list) }
        throw CoreDataError.error(
            .managedObjectConstraintMerge, text: "Could not merge changes.",
            userInfo: [NSPersistentStoreSaveConflictsErrorKey: list])
    }

    /// The save fails.
    public static let error = NSMergePolicy(merge: .errorMergePolicyType)
    /// The store wins as a whole.
    public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)
    /// The context wins as a whole.
    public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
    /// For each property that both have changed, the context wins.
    public static let mergeByPropertyObjectTrump = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    /// For each property that both have changed, the store wins.
    public static let mergeByPropertyStoreTrump = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
}

/// The save fails.
public var NSErrorMergePolicy: Any { NSMergePolicy.error }
/// For each property that both have changed, the store wins.
public var NSMergeByPropertyStoreTrumpMergePolicy: Any { NSMergePolicy.mergeByPropertyStoreTrump }
/// For each property that both have changed, the context wins.
public var NSMergeByPropertyObjectTrumpMergePolicy: Any { NSMergePolicy.mergeByPropertyObjectTrump }
/// The context wins as a whole.
public var NSOverwriteMergePolicy: Any { NSMergePolicy.overwrite }
/// The store wins as a whole.
public var NSRollbackMergePolicy: Any { NSMergePolicy.rollback }

/// An object that was saved elsewhere since its context fetched it.
///
/// If another context of the same coordinator saved it, the conflict is with the coordinator's cache: `cachedSnapshot`
/// is set and `persistedSnapshot` is `nil`. If another coordinator or process saved it, the conflict is between the
/// cache and the store, and both are set. Snapshots contain attributes, and to-one relationships as
/// `NSManagedObjectID`s.
///
/// ```swift
/// do {
///     try context.save()
/// } catch let error as NSError where error.code == NSManagedObjectMergeError {
///     let conflicts = error.userInfo["conflictList"] as? [NSMergeConflict] ?? []
///     for conflict in conflicts { context.refresh(conflict.sourceObject, mergeChanges: true) }
/// }
/// ```
open class NSMergeConflict: NSObject {
    /// The object as this context has it.
    public let sourceObject: NSManagedObject
    /// The object's values when this context fetched it.
    public let objectSnapshot: [String: Any]?
    /// The values in the coordinator's cache: those that another context has saved, or, with a persisted snapshot, the
    /// outdated ones. Nil if another context has deleted the object.
    public let cachedSnapshot: [String: Any]?
    /// The values in the store, if another coordinator or process has written them. Nil for a conflict between
    /// contexts, and if the object was deleted.
    public let persistedSnapshot: [String: Any]?
    /// The version of the row that the context knows: the number of times it was written.
    public let oldVersionNumber: Int
    /// The version of the row in the store: the number of times it was written; 0 if it was deleted.
    public let newVersionNumber: Int

    let currentRow: Row?

    /// Creates a conflict that a store has found, for the error with which it rejects a save.
    ///
    /// - Parameters:
    ///   - srcObject: The object as the context has it.
    ///   - newvers: The version of the object in the store; 0 if it was deleted.
    ///   - oldvers: The version of the values that the context knows.
    ///   - cachesnap: The values in the store as the coordinator knows them; `nil` if the object was deleted.
    ///   - persnap: The values in the store itself, if they differ from those.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        sourceObject = srcObject
        currentRow = nil
        objectSnapshot = srcObject.snapshot.map { Self.values($0, srcObject.layout) }
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        oldVersionNumber = oldvers
        newVersionNumber = newvers
        super.init()
    }

    convenience init(_ conflict: SaveConflicts.Conflict) {
        self.init(
            conflict.change.object, current: conflict.current, isExternal: conflict.isExternal,
            cached: conflict.cached)
    }

    /// Creates the conflict of an object with its current row in the store, which is `nil` if it was deleted.
    ///
    /// - Parameters:
    ///   - isExternal: Whether another coordinator or process has written the row.
    ///   - cached: For an external conflict, the outdated row in the coordinator's cache.
    init(_ object: NSManagedObject, current row: Row?, isExternal: Bool = false, cached: Row? = nil) {
        sourceObject = object
        currentRow = row
        objectSnapshot = object.snapshot.map { Self.values($0, object.layout) }
        let current = row.map { Self.values($0, object.layout) }
        let outdated = (cached ?? object.snapshot).map { Self.values($0, object.layout) }
        cachedSnapshot = isExternal ? outdated : current
        persistedSnapshot = isExternal ? current : nil
        oldVersionNumber = object.snapshot?.version ?? 0
        newVersionNumber = row?.version ?? 0
        super.init()
    }

    /// Returns a row's attributes as values, and its to-one relationships as IDs.
    private static func values(_ row: Row, _ layout: EntityLayout) -> [String: Any] {
        var result: [String: Any] = [:]
        for index in layout.rowSlots {
            if case .reference(let id) = row[index] {
                result[layout.slots[index].name] = id
            } else {
                result[layout.slots[index].name] = row[index].anyValue ?? NSNull()
            }
        }
        return result
    }

    /// The object and versions, for debugging.
    open override var description: String {
        "NSMergeConflict for \(sourceObject.objectID.uriRepresentation()) with oldVersion = \(oldVersionNumber) and "
            + "newVersion = \(newVersionNumber)"
    }
}

/// Objects that violate a uniqueness constraint.
///
/// ```swift
/// do {
///     try context.save()
/// } catch let error as NSError where error.code == NSManagedObjectConstraintMergeError {
///     let conflicts = error.userInfo["conflictList"] as? [NSConstraintConflict] ?? []
///     for conflict in conflicts { print(conflict.constraint, conflict.constraintValues) }
/// }
/// ```
open class NSConstraintConflict: NSObject {
    /// The names of the attributes that must be unique together.
    public let constraint: [String]
    /// Their values.
    public let constraintValues: [String: Any]
    /// The object in the store; `nil` for a conflict within the context.
    public let databaseObject: NSManagedObject?
    /// The values of that object in the store.
    public let databaseSnapshot: [String: Any]?
    /// The objects of the context.
    public let conflictingObjects: [NSManagedObject]
    /// The saved values of the conflicting objects.
    public let conflictingSnapshots: [[String: Any]]

    /// Creates a conflict without values.
    public override init() {
        constraint = []
        constraintValues = [:]
        databaseObject = nil
        databaseSnapshot = nil
        conflictingObjects = []
        conflictingSnapshots = []
    }

    /// Creates a conflict.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot as? [String: Any]
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.compactMap { $0 as? [String: Any] }
        let first = databaseObject ?? conflictingObjects.first
        constraintValues = Dictionary(
            uniqueKeysWithValues: Set(contraint).map { ($0, first?.value(forKey: $0) ?? NSNull()) })
        super.init()
    }
}
