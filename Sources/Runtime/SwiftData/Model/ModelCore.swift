internal import CoreData
internal import Foundation
internal import Observation

/// The values of a model: by property number until the model is inserted, then in a managed object.
///
/// Used by the code of `@Model`, not meant to be called by hand. The model is used in one isolation domain, so its
/// variables are accessed without the run-time checks for exclusive access, which would take longer than most of the
/// accesses.
public final class _ModelCore {
    /// The class, which lives as long as the process.
    @exclusivity(unchecked) private(set) unowned(unsafe) var info: ModelInfo
    /// The values of a model that is in no context.
    @exclusivity(unchecked) private var values = UnsafeMutableBufferPointer<DetachedValue>(start: nil, count: 0)
    /// The object of a model that is or was in a context.
    @exclusivity(unchecked) private(set) var object: ModelObject?
    /// The entity of the object.
    @exclusivity(unchecked) private var binding: EntityBinding?
    /// The slots of the values in the object that are read and written directly; `binding` owns them. Empty without
    /// object.
    @exclusivity(unchecked) private(set) var directSlots = UnsafeBufferPointer<Int>(start: nil, count: 0)
    /// The fingerprint of the object's slots.
    @exclusivity(unchecked) private(set) var fingerprint: UInt64 = 0
    /// The to-many relationships that were set since the model was created, and whether they were given members; `nil`
    /// for a fetched model.
    @exclusivity(unchecked) private var setRelationships: [Int: Bool]?
    /// The observers of the properties; `nil` until one is read while observation is enabled.
    @exclusivity(unchecked) var registrar: ObservationRegistrar? { didSet { hasRegistrar = registrar != nil } }
    @exclusivity(unchecked) private(set) var hasRegistrar = false
    /// The state of the context, which the binding retains.
    @exclusivity(unchecked) private(set) var contextState: UnsafePointer<ContextState>?
    /// The epoch of the context in which the model's change was recorded.
    @exclusivity(unchecked) var changeEpoch = 0
    /// Whether the values are those of a subclass that are still to join those of its superclass: the numbers do not
    /// count inherited properties.
    let isPart: Bool
    /// State that few models need, allocated on first use.
    @exclusivity(unchecked) private var extras: Extras?

    private final class Extras {
        var unattached: PersistentIdentifier?
        var hashToken: Int?
        var recorder: PropertyRecorder?
    }

    init(_ info: ModelInfo, isPart: Bool = false) {
        self.info = info
        self.isPart = isPart
    }

    deinit {
        values.deinitialize()
        values.deallocate()
    }

    private var requiredExtras: Extras {
        if let extras { return extras }
        let new = Extras()
        extras = new
        return new
    }

    /// The identifier of a model that is in no context.
    var unattached: PersistentIdentifier? {
        get { extras?.unattached }
        set { requiredExtras.unattached = newValue }
    }

    /// The recorder of property reads, or `nil`.
    var recorder: PropertyRecorder? {
        get { extras?.recorder }
        set { requiredExtras.recorder = newValue }
    }

    /// The context of the object, which lives as long as the model.
    var managedContext: ManagedContext? { binding?.context }

    /// Reports an access to observers.
    func access<Model: PersistentModel, Value>(_ model: Model, _ keyPath: KeyPath<Model, Value>) {
        guard ModelObservation.isEnabled, recorder == nil else { return }
        if let registrar { return registrar.access(model, keyPath: keyPath) }
        let new = ObservationRegistrar()
        registrar = new
        new.access(model, keyPath: keyPath)
    }

    // MARK: Values

    func value<V>(_ number: Int) -> V {
        let access = unsafeDowncast(info.accesses[number], to: TypedAccess<V>.self)
        if object != nil { return access.read(self) }
        if let recorder { return recorder.value(of: info.properties[number], access) }
        guard number < values.count else { return access.unset(self) }
        let value: V?
        switch values[number] {
        case .unset, .null: return access.unset(self)
        case .other(let boxed): value = Unboxed<V>.value(of: boxed)
        case let held: value = access.value(of: held)
        }
        guard let value else { trap("“\(access.name)” is not of the type \(V.self)") }
        return value
    }

    /// Sets a property. A model that is in no context is inserted into that of a model that it now refers to.
    func setValue<V>(_ number: Int, _ value: V, of model: some PersistentModel) {
        guard object == nil else { return store(number, value) }
        keep(number, .other(value))
        let access = info.accesses[number]
        if access.destination != nil, let context = unsafeDowncast(access, to: TypedAccess<V>.self).context(of: value) {
            context.insert(model)
        }
    }

    /// Keeps a value until the model is inserted.
    func keep(_ number: Int, _ value: DetachedValue) {
        if number >= values.count {
            let old = values
            values = .allocate(capacity: max(info.accesses.count, number + 1))
            let end = values.moveInitialize(fromContentsOf: old)
            values[end...].initialize(repeating: .unset)
            old.deallocate()
        }
        values[number] = value
    }

    func store<V>(_ number: Int, _ value: V) {
        // After the deletion was saved or the context was released, nothing stores the value.
        guard let managedContext, object?.directContext === managedContext else { return }
        if changeEpoch != managedContext.epoch || managedContext.schedulesSaves {
            managedContext.modelContext.willChange(self)
        }
        unsafeDowncast(info.accesses[number], to: TypedAccess<V>.self).write(value, self)
    }

    func get<V>(_ keyPath: AnyKeyPath) -> V { value(info.property(keyPath).number) }

    /// Returns the value of a property that is declared with `let`. Called by the code of `@Model`.
    public func constant<Value>(_ keyPath: AnyKeyPath) -> Value { get(keyPath) }

    /// Adopts the values that the initializer of a subclass has set, and the subclass.
    func adopt(_ subclass: _ModelCore, base: Int) {
        if subclass.info.inherits(from: info) { info = subclass.info }
        // A fetched model has its values already.
        guard object == nil else { return }
        for (number, value) in subclass.values.enumerated() {
            if case .unset = value { continue }
            keep(base + number, value)
        }
    }

    // MARK: The object

    var managed: ModelObject {
        guard let object else { trap("the model is in no context") }
        return object
    }

    func slot(_ number: Int) -> Int {
        guard let binding else { trap("the model is in no context") }
        return binding.slots[number]
    }

    /// The number of the property at the other end of a relationship, in the class there.
    func inverse(_ number: Int) -> Int? { binding?.inverses[number] }

    /// The context; `nil` if the model is in none.
    var context: ModelContext? {
        guard let managedContext, object?.directContext === managedContext else { return nil }
        return managedContext.modelContext
    }

    var requiredContext: ModelContext {
        guard let context else {
            trap(
                "This model instance was destroyed by calling ModelContext.reset and is no longer usable: its container or "
                    + "context was released, or its deletion was saved")
        }
        return context
    }

    /// Adopts an object that already has values.
    func attach(_ object: ModelObject, binding: EntityBinding) {
        self.object = object
        self.binding = binding
        directSlots = UnsafeBufferPointer(binding.directSlots)
        fingerprint = binding.fingerprint
        contextState = UnsafePointer(binding.context.state)
        changeEpoch = 0
    }

    /// Adopts a new object, to which `writeValues()` writes the values.
    func attachNew(_ object: ModelObject, binding: EntityBinding) {
        attach(object, binding: binding)
        setRelationships = [:]
    }

    /// The values to keep when the insertion of the object is discarded, by property number. Members that have joined a
    /// to-many relationship by its inverse do so again, and would retain the model. An object without context has no
    /// relationships.
    var currentValues: [Any?] {
        let hasContext = context != nil
        return info.properties.map { property in
            if !hasContext, property.access.destination != nil { return nil }
            let isImplied = property.access.isToMany && inverse(property.number) != nil
            if isImplied, setRelationships?[property.number] != true { return nil }
            return property.access.current(self)
        }
    }

    /// Forgets an object whose insertion was discarded.
    func detach(keeping values: [Any?]) {
        if object?.core === self { object?.model = nil }
        object = nil
        binding = nil
        directSlots = UnsafeBufferPointer(start: nil, count: 0)
        contextState = nil
        for (number, value) in values.enumerated() {
            if let value { keep(number, .other(value)) }
        }
    }

    /// Writes the values that were set before the model was inserted.
    func writeValues() {
        guard let first = values.baseAddress else { return }
        let count = values.count
        values = UnsafeMutableBufferPointer(start: nil, count: 0)
        defer { first.deallocate() }
        for number in 0..<count {
            let slot = _directSlot(number)
            switch (first + number).move() {
            case .unset: continue
            case .other(let value): info.accesses[number].initialize(self, from: value)
            // A to-one relationship of a new model is nil already, or its other end was set.
            case .null where slot < 0: continue
            case .null: clear(slot)
            case .string(let value): managed.writeSlot(value, slot, fingerprint, "")
            case .integer(let value): managed.writeSlot(value, slot, fingerprint, "")
            case .double(let value): managed.writeSlot(value, slot, fingerprint, "")
            case .boolean(let value): managed.writeSlot(value, slot, fingerprint, "")
            case .date(let value): managed.writeSlot(value, slot, fingerprint, "")
            case .uuid(let value): managed.writeSlot(value, slot, fingerprint, "")
            }
        }
    }

    /// Whether a to-many relationship of a new model was never set.
    func isUnset(_ number: Int) -> Bool {
        guard let setRelationships, let object, object.currentID.isTemporaryID else { return false }
        return setRelationships[number] == nil
    }

    /// Records that a to-many relationship was set, and whether it has members; `nil` if it was set to `nil`.
    func recordSet(_ number: Int, _ hasMembers: Bool?) { setRelationships?[number] = hasMembers }

    // MARK: Identity

    var identifier: PersistentIdentifier? {
        object.map { PersistentIdentifier($0.currentID) } ?? unattached
    }

    /// The identifier; a model that is in no context is given one.
    var requiredIdentifier: PersistentIdentifier {
        if let identifier { return identifier }
        let new = PersistentIdentifier(unattached: info.entityName)
        unattached = new
        return new
    }

    /// A hash that stays the same when a save makes the identifier permanent.
    var stableHash: Int {
        if let token = extras?.hashToken { return token }
        let token = requiredIdentifier.hashValue
        requiredExtras.hashToken = token
        return token
    }

    // MARK: Errors

    /// Ends the program with a message that names the model.
    func trap(_ reason: String) -> Never {
        let identifier = object.map { " (\($0.currentID.uriRepresentation()))" } ?? ""
        fatalError("SwiftData: \(info.entityName)\(identifier): \(reason)")
    }

    /// Returns the value of a required property of an object whose column is null: SQLite stores NaN as null. Other
    /// values cannot be missing.
    func missingValue<Value: SimpleValue>(_ name: String) -> Value {
        guard let value = Value.notANumber, let object, object.directContext != nil, !object.isDeleted, !object.isFault
        else { trapMissing(name, Value.self) }
        return value
    }

    /// Ends the program because a required property has no value.
    func trapMissing(_ name: String, _ type: any Any.Type) -> Never {
        if object?.directContext == nil {
            trap(
                "This backing data was detached from a context without resolving attribute faults: “\(name)” is read after "
                    + "the deletion was saved or the context was released; read it before, and check modelContext")
        }
        if object?.isDeleted == true
            || object?.directContext?.shouldDeleteInaccessibleFaults == true && object?.isFault == true
        {
            trap(
                "This model instance was invalidated because its backing data could no longer be found in the store: "
                    + "“\(name)” is read; check isDeleted before, or fetch the model again")
        }
        trap("the required property “\(name)” has no value of the type \(type); make it optional, or set it")
    }
}
