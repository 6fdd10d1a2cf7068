public import Foundation
internal import RuntimeSupport

/// The base class of all model classes.
///
/// ```swift
/// let book = Book(context: context)
/// book.title = "Emma"
/// book.setValue(5, forKey: "rating")
/// try context.save()
/// ```
///
/// An object belongs to a context; use it on the context's queue only. An object without its values in memory is a
/// fault, which loads them from the store on first access. Where Apple's framework raises an exception, this one traps
/// with a message that names the entity, the key and the reason.
///
/// Subclasses may override the hooks and accessors below as on Apple's platforms, but neither `==` nor `hash`.
nonisolated open class NSManagedObject: NSObject, NSFetchRequestResult {
    // Subclasses of an explicitly nonisolated class are nonisolated, too, in modules whose default isolation is
    // MainActor. The Sendable classes of the module are not marked: Swift 6.3 would reject lazy properties of their
    // subclasses.

    /// The object's mutable state, in its own memory. Used only through `state`.
    ///
    /// Must be the first stored property: `ObjectState.offset` relies on it.
    private final var storage: ObjectState
    /// Keeps the entity and its model alive.
    final let layout: EntityLayout

    // MARK: Creating objects

    /// Creates an object of an entity and inserts it into a context.
    ///
    /// `NSManagedObject(entity:insertInto:)` creates an object of the entity's class, as on Apple's platforms.
    ///
    /// - Parameters:
    ///   - entity: An entity of the context's model. Traps if it is abstract.
    ///   - context: `nil` for an object that is in no context yet.
    public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if let context {
            layout = context.layout(for: entity)
        } else {
            layout = EntityLayout.offered(for: entity)?.takeUnretainedValue() ?? entity.objectLayout()
        }
        guard !layout.isAbstract else {
            misuse(
                "NSInvalidArgumentException", "the entity “\(layout.name)” is abstract and cannot be instantiated")
        }
        storage = ObjectState(
            slots: nil, fingerprint: layout.fingerprint, parentFingerprint: layout.parentFingerprint)
        if layout.isForRecording { storage.startRecording() }
        super.init()
        assert(withUnsafeMutablePointer(to: &storage) { $0 } == state, "the state is not the first stored property")
        if type(of: self) == NSManagedObject.self { ManagedObjectClasses.giveClass(of: layout, to: self) }
        // Retaining a context is slow because there are weak references to it.
        if let context { Unmanaged.passUnretained(context)._withUnsafeGuaranteedRef { $0.insertNew(self) } }
    }

    /// Creates an object of the class's entity and inserts it into a context.
    ///
    /// The entity is the one of the context's model with this class. Traps if there is none or more than one.
    ///
    /// `required`, so that generic code can write `T(context: context)` for a `T: NSManagedObject`.
    public required convenience init(context moc: NSManagedObjectContext) {
        self.init(entity: moc.entity(ofClass: Self.self), insertInto: moc)
    }

    /// Creates an object without an entity, which has no properties and cannot be inserted into a context.
    ///
    /// As on Apple's platforms, the object is useful only where a reference to any object is needed, and its creation
    /// is reported on the standard error stream. Reading or setting one of its properties traps.
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
        releaseSlots()
        state.pointee.pending?.release()
    }

    /// Returns the entity with this class, from the models that coordinators use.
    ///
    /// Only subclasses have an entity. For `NSManagedObject` itself, the result is an entity without a name, and the
    /// misuse is reported on the standard error stream. Traps if no model has an entity with the subclass.
    open class func entity() -> NSEntityDescription { ManagedObjectClasses.entity(of: self) }

    /// Returns a fetch request for all objects of the class's entity.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        if self != NSManagedObject.self { request.entity = entity() }
        return request
    }

    /// Whether the context's `hasChanges` also counts objects whose only unsaved changes are of transient properties.
    /// The default is `true`.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    // MARK: Identity and state

    /// The object's context; `nil` if it is in none, its deletion was saved, or its context was released.
    open var managedObjectContext: NSManagedObjectContext? { directContext }

    /// The entity.
    open var entity: NSEntityDescription { layout.entity }

    /// The object's ID. Temporary until the object is saved for the first time.
    open var objectID: NSManagedObjectID { directID }

    /// Whether the object is new and not saved yet.
    open var isInserted: Bool { isMarkedInserted }

    /// Whether the object was saved before and has unsaved changes.
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

    /// Whether a save would change the store: persistent values differ from those last fetched or saved.
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
        case (.toOne, .managed(let reference)): return reference.object.isFault
        default: return false
        }
    }

    /// Returns the IDs at the other end of a relationship, without loading the objects' values.
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        let index = slotIndex(of: key)
        switch layout.slots[index].kind {
        case .toOne: return toOneID(at: index).map { [$0] } ?? []
        case .toMany: return toMany(at: index).members.map(\.objectID)
        default: return []
        }
    }

    // MARK: Key-value coding

    /// Returns the value of a property: what its accessor returns if the class has one with `@objc` (modelc's build
    /// plugin registers those), otherwise the stored value. For an unknown key, calls `value(forUndefinedKey:)`.
    open func value(forKey key: String) -> Any? {
        guard let index = layout.index(of: key) else { return valueForUndefinedProperty(key) }
        if ExposedProperties.isAccessor(key), !isRecording, let value = ExposedProperties.value(of: self, forKey: key) {
            return value
        }
        return anyValue(at: index)
    }

    /// Sets a property, by its accessor if the class has one with `@objc`. A relationship's other side follows. Traps
    /// on a value of the wrong class. For an unknown key, calls `setValue(_:forUndefinedKey:)`.
    open func setValue(_ value: Any?, forKey key: String) {
        guard let index = layout.index(of: key) else {
            return isRecording ? () : setValue(value, forUndefinedKey: key)
        }
        if ExposedProperties.isAccessor(key), !isRecording, ExposedProperties.set(value, of: self, forKey: key) {
            return
        }
        setAnyValue(value, at: index)
    }

    /// Returns the value for a key that the entity does not have. Traps unless overridden.
    open func value(forUndefinedKey key: String) -> Any? {
        misuse(
            "NSUnknownKeyException",
            "[\(debugName) valueForUndefinedKey:]: the entity \(layout.name) is not key value coding-compliant for the key "
                + "“\(key)”")
    }

    /// Sets the value for a key that the entity does not have. Traps unless overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        misuse(
            "NSUnknownKeyException",
            "[\(debugName) setValue:forUndefinedKey:]: the entity \(layout.name) is not key value coding-compliant for the "
                + "key “\(key)”")
    }

    /// Handles `nil` for a key whose property cannot be `nil`. Traps unless overridden.
    ///
    /// Exists for subclasses that override it: `setValue(_:forKey:)` stores `nil` in every attribute, also in one whose
    /// accessor is a number, and does not call this method.
    open func setNilValueForKey(_ key: String) {
        misuse(
            "NSInvalidArgumentException",
            "[\(debugName) setNilValueForKey]: could not set nil as the value for the key \(key).")
    }

    /// Returns the value at the end of a key path.
    ///
    /// A to-many relationship yields a set of the values of all its objects, an ordered one an ordered set; `nil` is
    /// omitted. An array, such as that of a fetched property, yields an array with `NSNull` for `nil`. The operators
    /// are `@count`, `@sum`, `@avg`, `@min`, `@max`, `@unionOfObjects` and `@distinctUnionOfObjects`, and for
    /// collections of collections `@unionOfArrays`, `@distinctUnionOfArrays`, `@unionOfSets` and
    /// `@distinctUnionOfSets`. A union operator traps if a value is `nil`.
    open func value(forKeyPath keyPath: String) -> Any? { KeyPathValues.value(of: self, keyPath) }

    /// Sets the property at the end of a key path; through a to-many relationship, of each of its objects.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyPathValues.set(value, of: self, keyPath)
    }

    /// Returns the values of keys, with `NSNull` for `nil`.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }

    /// Sets the values of keys. `NSNull` stands for `nil`.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// Returns a mutable set that reads and changes a to-many relationship.
    open func mutableSetValue(forKey key: String) -> NSMutableSet {
        if isRecording { return KeyRecorder.recordCollection(key, of: self, NSMutableSet()) }
        return RelationshipMutableSet(self, slotIndex(of: key, kind: .toMany(isOrdered: false)))
    }

    /// Returns a mutable ordered set that reads and changes an ordered to-many relationship.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        if isRecording { return KeyRecorder.recordCollection(key, of: self, NSMutableOrderedSet()) }
        return RelationshipMutableOrderedSet.make(self, slotIndex(of: key, kind: .toMany(isOrdered: true)))
    }

    /// Returns a mutable set that reads and changes the to-many relationship at the end of a key path. Traps if a
    /// relationship on the path has no object.
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (owner, key) = KeyPathValues.owner(of: keyPath, self)
        return owner.mutableSetValue(forKey: key)
    }

    /// Returns a mutable ordered set that reads and changes the ordered to-many relationship at the end of a key path.
    /// Traps if a relationship on the path has no object.
    open func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (owner, key) = KeyPathValues.owner(of: keyPath, self)
        return owner.mutableOrderedSetValue(forKey: key)
    }

    /// Returns a property's primitive value, without hooks or change tracking. For custom accessors.
    ///
    /// The value of a to-many relationship is an `NSMutableSet` or `NSMutableOrderedSet`. Changes to it take effect
    /// between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`.
    open func primitiveValue(forKey key: String) -> Any? {
        isRecording ? KeyRecorder.record(key, of: self) : primitiveValue(at: slotIndex(of: key))
    }

    /// Sets a property's primitive value, without updating the inverse of a relationship or recording a change. For
    /// custom accessors, between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        guard !isRecording else { return }
        setPrimitive(value, at: slotIndex(of: key))
    }

    // MARK: Accessor hooks

    /// Loads the values of a fault before a property is read; `nil` for any property. For custom accessors.
    open func willAccessValue(forKey key: String?) { realize() }

    /// Ends an access. Does nothing.
    open func didAccessValue(forKey key: String?) {}

    /// Announces that a property is about to change. For custom accessors.
    open func willChangeValue(forKey key: String) { beginManualChange(of: key, nil) }

    /// Announces that a property has changed. Updates the inverse of a relationship.
    open func didChangeValue(forKey key: String) { endManualChange(of: key) }

    /// Announces that objects are about to be added to or removed from a to-many relationship. For custom accessors,
    /// which then change the `NSMutableSet` that `primitiveValue(forKey:)` returns.
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        beginManualChange(of: inKey, difference(inKey, kind: inMutationKind, objects: inObjects))
    }

    /// Announces that objects were added to or removed from a to-many relationship. Updates the inverse.
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        endManualChange(of: inKey)
    }

    /// Announces that an ordered to-many relationship is about to change at some indexes. For custom accessors, which
    /// then change the `NSMutableOrderedSet` that `primitiveValue(forKey:)` returns.
    open func willChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        beginManualChange(of: key, nil)
    }

    /// Announces that an ordered to-many relationship has changed at some indexes. Updates the inverse.
    open func didChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        endManualChange(of: key)
    }

    // MARK: Observing

    /// Notifies an observer of changes of a key path, until it is removed or the object is deallocated.
    ///
    /// - Parameters:
    ///   - observer: A managed object, a context, or an object that conforms to `KeyValueObserver`; others trap. Not
    ///     retained.
    ///   - keyPath: A path of properties, starting at the entity's.
    ///   - options: The contents of the change dictionary.
    ///   - context: A pointer that is passed to the observer with each change.
    open func addObserver(
        _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {
        add(observer, keyPath: keyPath, options: options, context: context)
    }

    /// Ends the observation of a key path by an observer. Traps if the observer was not added.
    open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) {
        remove(observer, keyPath) { _ in true }
    }

    /// Ends the observation of a key path by an observer that was added with a context. Traps if the observer was not
    /// added.
    open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?) {
        remove(observer, keyPath) { $0.context == context }
    }

    /// Called when the value at an observed key path has changed. Traps unless overridden, as on Apple's platforms.
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

    /// Returns the properties whose values differ from those last fetched or saved, with their new values.
    open func changedValues() -> [String: Any] { values(at: changedSlots()) }

    /// Returns the properties that changed since changes were last processed, with their previous values.
    open func changedValuesForCurrentEvent() -> [String: Any] {
        managedObjectContext?.oldValuesOfEvent(self) ?? [:]
    }

    /// Returns the last fetched or saved values; `nil` keys stand for all persistent properties. A new object has none.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { savedValues(keys) }

    // MARK: Life cycle

    /// Called once, when the object is first inserted into a context. Overrides call super, and may set values.
    open func awakeFromInsert() {}

    /// Called after the values were loaded from a store. Overrides call super; changes they make do not count as
    /// unsaved.
    open func awakeFromFetch() {}

    /// Called after values were restored by undo, redo, rollback, refresh or a merge policy.
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
    /// After checking the model's conditions, calls `validate<Key>` if the class has such a method and its target uses
    /// modelc's build plugin, which registers it: `func validateTitle(_ value:
    /// AutoreleasingUnsafeMutablePointer<AnyObject?>) throws`.
    ///
    /// - Throws: An `NSError` of Cocoa's domain with a validation code.
    open func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        try Validation.check(value.pointee, at: slotIndex(of: key), of: self)
        try KeyMethods.validator(of: type(of: self), forKey: key)?(self, value)
    }

    /// Checks that the object may be deleted: no relationship with the delete rule Deny contains an object.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: `NSValidationRelationshipDeniedDeleteError` (1600), or
    ///   `NSValidationMultipleErrorsError` (1560) if several relationships deny it.
    open func validateForDelete() throws { try Validation.checkDeletion(of: self) }

    /// Checks all properties of a new object before it is saved.
    ///
    /// - Throws: What `validateValue(_:forKey:)` throws, or `NSValidationMultipleErrorsError` (1560) with the errors of
    ///   several properties under `NSDetailedErrorsKey`.
    open func validateForInsert() throws { try Validation.checkAll(of: self) }

    /// Checks all properties of a changed object before it is saved.
    ///
    /// - Throws: What `validateValue(_:forKey:)` throws, or `NSValidationMultipleErrorsError` (1560) with the errors of
    ///   several properties under `NSDetailedErrorsKey`.
    open func validateForUpdate() throws { try Validation.checkAll(of: self) }

    // MARK: Comparing

    /// Returns whether the other object is the same instance.
    public final override func isEqual(_ object: Any?) -> Bool {
        if let other = ExactClass.object(object, like: self) { return other.toOpaque() == identifier }
        return (object as AnyObject?) === self
    }

    private final var identifier: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The hash of the object's address.
    public final override var hash: Int { Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 4 }

    /// The entity, ID and values, for debugging. Does not load a fault.
    open override var description: String {
        "<\(type(of: self)): \(debugName)> (entity: \(layout.name); id: \(objectID.uriRepresentation()); data: "
            + (isFault ? "<fault>)" : "\(describedValues))")
    }
}
