public import Foundation

/// The base class of all model classes.
///
/// ```swift
/// let book = Book(context: context)
/// book.title = "Emma"
/// book.setValue(5, forKey: "rating")
/// try context.save()
/// ```
///
/// An object belongs to a context; use it on the context's queue only. An object without its values in memory is a fault, which
/// loads them from the store on first access. Where Apple's framework raises an exception, this one traps with a message that
/// names the entity, the key and the reason.
///
/// Subclasses may override the hooks and accessors below as on Apple's platforms, but neither `==` nor `hash`.
nonisolated open class NSManagedObject: NSObject, NSFetchRequestResult {
    // Subclasses of an explicitly nonisolated class are nonisolated, too, in modules whose default isolation is MainActor. The
    // Sendable classes of the module are not marked: Swift 6.3 would reject lazy properties of their subclasses.

    /// What changes about the object, in its own memory. Used through `state` only.
    ///
    /// The first stored property: `ObjectState.offset` says where it is.
    private final var storage: ObjectState
    /// Keeps the entity and its model alive.
    final let layout: EntityLayout

    // MARK: Making objects

    /// Creates an object of an entity and inserts it into a context.
    ///
    /// `NSManagedObject(entity:insertInto:)` makes an object of the entity's class, as it does on Apple's platforms.
    ///
    /// - Parameters:
    ///   - entity: an entity of the context's model. An abstract one traps.
    ///   - context: nil for an object that is in no context yet.
    public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        let layout: EntityLayout
        if let context {
            layout = context.layout(for: entity)
        } else {
            layout = EntityLayout.offered(for: entity)?.takeUnretainedValue() ?? entity.objectLayout()
        }
        guard !layout.isAbstract else {
            misuse(
                "NSInvalidArgumentException", "the entity “\(layout.name)” is abstract and cannot be instantiated")
        }
        self.layout = layout
        storage = ObjectState(
            slots: nil, fingerprint: layout.fingerprint, parentFingerprint: layout.parentFingerprint)
        if layout.isForRecording { storage.startRecording() }
        super.init()
        assert(withUnsafeMutablePointer(to: &storage) { $0 } == state, "the state is not the first stored property")
        if type(of: self) == NSManagedObject.self { ManagedObjectClasses.giveClass(of: layout, to: self) }
        // Counting a reference to a context takes long: there are weak ones.
        if let context { Unmanaged.passUnretained(context)._withUnsafeGuaranteedRef { $0.insertNew(self) } }
    }

    /// Creates an object of the class's entity and inserts it into a context.
    ///
    /// The entity is the one of the context's model with this class. None, or several, trap.
    ///
    /// `required`, so that generic code can write `T(context: context)` for a `T: NSManagedObject`.
    public required convenience init(context moc: NSManagedObjectContext) {
        self.init(entity: moc.entity(ofClass: Self.self), insertInto: moc)
    }

    /// Creates an object without an entity, which has no properties and cannot be inserted into a context.
    ///
    /// As on Apple's platforms the object is of use only where a reference to any object is needed, and creating it is reported on the
    /// standard error stream. Reading or setting a property of it traps.
    public convenience override init() {
        Log.error("Failed to call designated initializer on NSManagedObject class '\(Self.self)'")
        let entity = MissingEntity()
        entity.name = "\(Self.self)"
        self.init(entity: entity, insertInto: nil)
    }

    deinit {
        if let registry = state.pointee.registry {
            registry._withUnsafeGuaranteedRef { $0.forget(Unmanaged.passUnretained(self)) }
            registry.release()
        }
        endUse()
        clearSlots()
        state.pointee.pending?.release()
    }

    /// Returns the entity with this class, from the models that coordinators use.
    ///
    /// Only subclasses have an entity. For `NSManagedObject` itself the result is an entity without a name, and the misuse
    /// is reported on the standard error stream. Traps if no model has an entity with the subclass.
    open class func entity() -> NSEntityDescription { ManagedObjectClasses.entity(of: self) }

    /// Returns a request for all objects of the class's entity.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        if self != NSManagedObject.self { request.entity = entity() }
        return request
    }

    /// Whether `hasChanges` of the context also counts objects whose unsaved changes are of transient properties alone. True.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    // MARK: Identity and state

    /// The context; nil for an object that is in none, was deleted and saved, or whose context is gone.
    open var managedObjectContext: NSManagedObjectContext? { ownContext }

    /// The entity.
    open var entity: NSEntityDescription { layout.entity }

    /// The identity; temporary until the object is saved for the first time.
    open var objectID: NSManagedObjectID { ownID }

    /// Whether the object is new and not saved yet.
    open var isInserted: Bool { isMarkedInserted }

    /// Whether the object was saved before and has changes that are not saved.
    open var isUpdated: Bool {
        let flags = state.pointee.flags
        return flags.contains(.updated) && flags.isDisjoint(with: [.inserted, .deleted])
    }

    /// Whether the object will be removed from its store with the next save.
    open var isDeleted: Bool { isMarkedDeleted }

    /// Whether the object is new, changed or deleted since it was fetched or saved.
    open var hasChanges: Bool {
        !state.pointee.flags.isDisjoint(with: [.inserted, .updated, .deleted])
    }

    /// Whether a save would change the store: the values differ from those saved last.
    open var hasPersistentChangedValues: Bool { !changedSlots().isEmpty }

    /// Whether the values are not in memory. False for an object that was never in a context.
    open var isFault: Bool { lacksValues && state.pointee.registry != nil }

    /// The state of the object's values: 0 if they are in memory, another number for a fault.
    open var faultingState: Int { isFault ? 1 : 0 }

    /// Returns whether the objects of a relationship are not in memory. False for attributes.
    open func hasFault(forRelationshipNamed key: String) -> Bool {
        guard let index = layout.index(of: key) else { return false }
        guard let slots = loadedSlots else { return true }
        switch (layout.slots[index].kind, slots[index]) {
        case (.toMany, .null): return !objectID.isTemporaryID
        case (.toOne, .reference(let id)): return managedObjectContext?.registeredObject(for: id)?.isFault ?? true
        case (.toOne, .managed(let object)): return object.isFault
        default: return false
        }
    }

    /// Returns the IDs at the other end of a relationship, without their values being loaded.
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        let index = slotIndex(of: key)
        switch layout.slots[index].kind {
        case .toOne: return toOneID(at: index).map { [$0] } ?? []
        case .toMany: return toMany(at: index).members.map(\.objectID)
        default: return []
        }
    }

    // MARK: Key-value coding

    /// Returns the value of a property. An unknown key ends in `value(forUndefinedKey:)`.
    open func value(forKey key: String) -> Any? {
        guard let index = layout.index(of: key) else { return valueOfOther(key) }
        return anyValue(at: index)
    }

    /// Sets a property. A relationship's other side follows. A value of a wrong class traps, an unknown key
    /// ends in `setValue(_:forUndefinedKey:)`.
    open func setValue(_ value: Any?, forKey key: String) {
        guard let index = layout.index(of: key) else {
            return isRecording ? () : setValue(value, forUndefinedKey: key)
        }
        setAnyValue(value, at: index)
    }

    /// Returns the value for a key that the entity does not have: traps unless overridden.
    open func value(forUndefinedKey key: String) -> Any? {
        misuse(
            "NSUnknownKeyException",
            "[\(debugName) valueForUndefinedKey:]: the entity \(layout.name) is not key value coding-compliant for the key "
                + "“\(key)”")
    }

    /// Sets the value for a key that the entity does not have: traps unless overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        misuse(
            "NSUnknownKeyException",
            "[\(debugName) setValue:forUndefinedKey:]: the entity \(layout.name) is not key value coding-compliant for the "
                + "key “\(key)”")
    }

    /// Returns the value at the end of a key path. To-many relationships give the values of all objects, and know the
    /// operators `@count`, `@sum`, `@avg`, `@min`, `@max`, `@distinctUnionOfObjects` and `@unionOfObjects`.
    open func value(forKeyPath keyPath: String) -> Any? { KeyPathValues.value(of: self, keyPath) }

    /// Sets the property at the end of a key path; through a to-many relationship, of each of its objects.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyPathValues.set(value, of: self, keyPath)
    }

    /// Returns the values of some keys; `NSNull` for none.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }

    /// Sets the values of some keys; `NSNull` means none.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// Returns the objects of a to-many relationship as a set whose changes are changes of the relationship.
    open func mutableSetValue(forKey key: String) -> NSMutableSet {
        if isRecording { return KeyRecorder.noteCollection(key, of: self, NSMutableSet()) }
        return RelationshipMutableSet(self, slotIndex(of: key, kind: .toMany(isOrdered: false)))
    }

    /// Returns the objects of an ordered to-many relationship as an ordered set whose changes are changes of the
    /// relationship.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        if isRecording { return KeyRecorder.noteCollection(key, of: self, NSMutableOrderedSet()) }
        return RelationshipMutableOrderedSet.make(self, slotIndex(of: key, kind: .toMany(isOrdered: true)))
    }

    /// Returns the objects of the to-many relationship at the end of a key path, as a set whose changes are changes of
    /// the relationship. Traps if a relationship on the way has no object.
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (owner, key) = KeyPathValues.owner(of: keyPath, self)
        return owner.mutableSetValue(forKey: key)
    }

    /// Returns the objects of the ordered to-many relationship at the end of a key path, as an ordered set whose
    /// changes are changes of the relationship. Traps if a relationship on the way has no object.
    open func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (owner, key) = KeyPathValues.owner(of: keyPath, self)
        return owner.mutableOrderedSetValue(forKey: key)
    }

    /// Returns the value as it is stored in the object: no hooks, no change tracking. For overridden accessors.
    ///
    /// A to-many relationship is an `NSMutableSet` or `NSMutableOrderedSet`; its changes count from `willChangeValue(forKey:)` to
    /// `didChangeValue(forKey:)`.
    open func primitiveValue(forKey key: String) -> Any? {
        isRecording ? KeyRecorder.note(key, of: self) : primitiveValue(at: slotIndex(of: key))
    }

    /// Sets the value as it is stored in the object: the other side of a relationship does not follow, and nothing is noted
    /// as changed. For overridden accessors, between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        guard !isRecording else { return }
        setPrimitive(value, at: slotIndex(of: key))
    }

    // MARK: Accessors' hooks

    /// Loads the values of a fault before a property is read; nil for all. For overridden accessors.
    open func willAccessValue(forKey key: String?) { realize() }

    /// Ends an access. Does nothing.
    open func didAccessValue(forKey key: String?) {}

    /// Says that a property is going to change. For overridden accessors.
    open func willChangeValue(forKey key: String) { beginManualChange(of: key, nil) }

    /// Says that a property has changed. The other side of a relationship follows.
    open func didChangeValue(forKey key: String) { endManualChange(of: key) }

    /// Says that objects are going to be added to or removed from a to-many relationship. For overridden accessors, which then
    /// change the `NSMutableSet` that `primitiveValue(forKey:)` gives.
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        beginManualChange(of: inKey, difference(inKey, inMutationKind, inObjects))
    }

    /// Says that objects were added to or removed from a to-many relationship. The other side follows.
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        endManualChange(of: inKey)
    }

    /// Says that an ordered to-many relationship is going to change at some places. For overridden accessors, which then change
    /// the `NSMutableOrderedSet` that `primitiveValue(forKey:)` gives.
    open func willChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        beginManualChange(of: key, nil)
    }

    /// Says that an ordered to-many relationship has changed at some places. The other side follows.
    open func didChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        endManualChange(of: key)
    }

    // MARK: Observing

    /// Lets an observer hear of the changes of a key path, until it is removed or the object is gone.
    ///
    /// - Parameters:
    ///   - observer: a managed object, a context, or an object that conforms to `KeyValueObserver`; others trap. Not retained.
    ///   - keyPath: properties of the entity.
    ///   - options: what the observer is told.
    ///   - context: given to the observer with each change.
    open func addObserver(
        _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {
        add(observer, keyPath, options, context)
    }

    /// Ends the observation of a key path by an observer. Traps if the observer was not added.
    open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) {
        remove(observer, keyPath) { _ in true }
    }

    /// Ends the observation of a key path by an observer that was added with a context. Traps if the observer was not added.
    open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?) {
        remove(observer, keyPath) { $0.context == context }
    }

    /// Called when a key path has changed that the object observes. Traps unless overridden, as Apple's does.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        misuse(
            "[\(debugName) observeValueForKeyPath:ofObject:change:context:]: the message was received but not handled. Key path: "
                + "\(keyPath ?? "")")
    }

    /// Returns the key paths that the value of a key depends on. Observers of the key are notified when one of them
    /// changes. Empty by default.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        KeyMethods.dependencies(of: self, forKey: key)
    }

    // MARK: Changes

    /// Returns the properties whose values differ from those fetched or saved last, with their new values.
    open func changedValues() -> [String: Any] { values(at: changedSlots()) }

    /// Returns the properties that changed since changes were processed last, with the values they had before.
    open func changedValuesForCurrentEvent() -> [String: Any] {
        managedObjectContext?.oldValuesOfEvent(self) ?? [:]
    }

    /// Returns the values fetched or saved last; nil keys for all persistent properties. A new object has none.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { savedValues(keys) }

    // MARK: Life cycle

    /// Called once, when the object was inserted for the first time. Overrides call super, and may set values.
    open func awakeFromInsert() {}

    /// Called when the values came from a store. Overrides call super; changes made there are no unsaved changes.
    open func awakeFromFetch() {}

    /// Called when values came back by undo, redo, rollback, refresh or a merge policy.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called before the object is saved. Values may be changed; the hook is called again until nothing changes.
    open func willSave() {}

    /// Called after the object was saved.
    open func didSave() {}

    /// Called when the object is deleted, before delete rules are applied.
    open func prepareForDeletion() {}

    /// Called before the values are dropped from memory.
    open func willTurnIntoFault() {}

    /// Called after the values were dropped from memory.
    open func didTurnIntoFault() {}

    // MARK: Validation

    /// Checks a value for a property before it is set, and may replace it.
    ///
    /// After the conditions of the model, calls `validate<Key>` if the class has such a method and its target uses modelc's build
    /// plugin, which registers it: `func validateTitle(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws`.
    ///
    /// - Throws: an `NSError` of Cocoa's domain with a validation code.
    open func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        try Validation.check(value.pointee, at: slotIndex(of: key), of: self)
        try KeyMethods.validator(of: type(of: self), forKey: key)?(self, value)
    }

    /// Checks the object before it is deleted: no relationship with the rule Deny holds an object.
    open func validateForDelete() throws { try Validation.checkDeletion(of: self) }

    /// Checks all properties of a new object before it is saved.
    open func validateForInsert() throws { try Validation.checkAll(of: self) }

    /// Checks all properties of a changed object before it is saved.
    open func validateForUpdate() throws { try Validation.checkAll(of: self) }

    // MARK: Comparing

    /// Returns whether the other is the same object.
    public final override func isEqual(_ object: Any?) -> Bool {
        if let other = ExactClass.object(object, like: self) { return other.toOpaque() == identifier }
        return (object as AnyObject?) === self
    }

    private final var identifier: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Of the object's address.
    public final override var hash: Int { Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 4 }

    /// The entity, ID and values, for debugging. Does not load a fault.
    open override var description: String {
        "<\(type(of: self)): \(debugName)> (entity: \(layout.name); id: \(objectID.uriRepresentation()); data: "
            + (isFault ? "<fault>)" : "\(describedValues))")
    }
}

/// The entity of objects that were created without one.
final class MissingEntity: NSEntityDescription, @unchecked Sendable {}

/// The reason why an object's values were restored. Raw values equal Apple's.
///
/// ```swift
/// class Note: NSManagedObject {
///     override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
///         super.awake(fromSnapshotEvents: flags)
///         if flags.contains(.rollback) { print("rolled back") }
///     }
/// }
/// ```
public struct NSSnapshotEventType: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates a type of its bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// An insertion was undone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
    /// A deletion was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
    /// A change was undone.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
    /// The object was refreshed.
    public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
    /// A merge policy decided.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}
