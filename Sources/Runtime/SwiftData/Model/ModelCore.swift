internal import CoreData
internal import Foundation
internal import Observation

/// The object that holds the values of a model in a context.
final class ModelObject: NSManagedObject {
    /// The model, whose backing data retains this object.
    weak var model: AnyObject?

    /// The model's values, if the model is in memory.
    var core: _ModelCore? { (model as? any PersistentModel)?.core }
}

/// The values of a model: by property number until the model is inserted, then in a managed object.
///
/// Used by the code of `@Model`, not meant to be called by hand.
public class _ModelCore {
    private(set) final var info: ModelInfo
    /// The values of a model that is in no context.
    private final var values: [Any?] = []
    /// The object of a model that is or was in a context.
    private(set) final var object: ModelObject?
    private final var binding: EntityBinding?
    /// The context of the object, which exists as long as the model.
    private(set) final var managedContext: ManagedContext?
    /// The identifier of a model that is in no context.
    final var unattached: PersistentIdentifier?
    /// The to-many relationships that were set since the model was created; nil for a fetched model.
    private final var setRelationships: Set<Int>?
    private final var hashToken: Int?
    /// Notes which properties are read.
    final var recorder: PropertyRecorder?
    /// The observers of the properties; nil until one is read while observation is enabled.
    final var registrar: ObservationRegistrar?
    /// The epoch of the context in which the model's change was recorded.
    final var changeEpoch = 0

    init(_ info: ModelInfo) { self.info = info }

    // MARK: Accessors

    /// Returns the value of a property, and tells observers of the access.
    public final func get<Model: PersistentModel, Value>(
        _ number: Int, of model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>
    ) -> Value {
        if ModelObservation.isEnabled { access(model, keyPath()) }
        return value(number)
    }

    /// Sets a property, and tells observers.
    public final func set<Model: PersistentModel, Value>(
        _ number: Int, of model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>, to value: Value
    ) {
        guard let registrar else { return setValue(number, value, of: model) }
        registrar.withMutation(of: model, keyPath: keyPath()) { setValue(number, value, of: model) }
    }

    /// Sets a property in an initializer.
    public final func initialize<Value>(_ number: Int, to value: Value) {
        if object == nil { keep(number, value) } else { store(number, value) }
    }

    /// Tells observers of an access.
    final func access<Model: PersistentModel, Value>(_ model: Model, _ keyPath: KeyPath<Model, Value>) {
        guard ModelObservation.isEnabled, recorder == nil else { return }
        if let registrar { return registrar.access(model, keyPath: keyPath) }
        let new = ObservationRegistrar()
        registrar = new
        new.access(model, keyPath: keyPath)
    }

    // MARK: Values

    final func value<V>(_ number: Int) -> V {
        let access = unsafeDowncast(info.accesses[number], to: TypedAccess<V>.self)
        if object != nil { return access.read(self) }
        if let recorder {
            recorder.record(info.properties[number])
            return access.sample(recorder)
        }
        guard number < values.count, let boxed = values[number] else { return access.unset(self) }
        guard let value = Unboxed<V>.value(of: boxed) else { trap("“\(access.name)” is not of the type \(V.self)") }
        return value
    }

    /// Sets a property. A model that is in no context is inserted into that of a model that it now refers to.
    final func setValue<V>(_ number: Int, _ value: V, of model: some PersistentModel) {
        guard object == nil else { return store(number, value) }
        keep(number, value)
        let access = info.accesses[number]
        if access.destination != nil, let context = unsafeDowncast(access, to: TypedAccess<V>.self).context(of: value) {
            context.insert(model)
        }
    }

    private final func keep<V>(_ number: Int, _ value: V) { keep(number, boxed: value as Any) }

    private final func keep(_ number: Int, boxed value: Any) {
        let count = max(info.accesses.count, number + 1)
        if values.isEmpty {
            values = [Any?](repeating: nil, count: count)
        } else if number >= values.count {
            values += repeatElement(nil, count: count - values.count)
        }
        values[number] = .some(value)
    }

    private final func store<V>(_ number: Int, _ value: V) {
        // After the deletion was saved or the context was released, nothing stores the value.
        guard let managedContext, object?.currentContext === managedContext else { return }
        if changeEpoch != managedContext.epoch || managedContext.schedulesSaves {
            managedContext.modelContext.willChange(self)
        }
        unsafeDowncast(info.accesses[number], to: TypedAccess<V>.self).write(value, self)
    }

    final func get<V>(_ keyPath: AnyKeyPath) -> V { value(info.property(keyPath).number) }

    /// Returns the value of a property that is declared with `let`. Called by the code of `@Model`.
    public final func constant<Value>(_ keyPath: AnyKeyPath) -> Value { get(keyPath) }

    /// Adopts the values that the initializer of a subclass has set, and the subclass.
    final func adopt(_ subclass: _ModelCore, base: Int) {
        if subclass.info.inherits(from: info) { info = subclass.info }
        for (number, value) in subclass.values.enumerated() {
            // A fetched model has its values already.
            if let value, object == nil { keep(base + number, boxed: value) }
        }
        subclass.values = []
    }

    // MARK: The object

    final var managed: ModelObject {
        guard let object else { trap("the model is in no context") }
        return object
    }

    final func slot(_ number: Int) -> Int {
        guard let binding else { trap("the model is in no context") }
        return binding.slots[number]
    }

    /// The number of the property at the other end of a relationship, in the class there.
    final func inverse(_ number: Int) -> Int? { binding?.inverses[number] }

    /// The context; nil if the model is in none.
    final var context: ModelContext? {
        guard let managedContext, object?.currentContext === managedContext else { return nil }
        return managedContext.modelContext
    }

    final var requiredContext: ModelContext {
        guard let context else {
            trap(
                "This model instance was destroyed by calling ModelContext.reset and is no longer usable: its container or "
                    + "context was released, or its deletion was saved")
        }
        return context
    }

    /// Adopts an object that already has values.
    final func attach(_ object: ModelObject, binding: EntityBinding, context: ManagedContext) {
        self.object = object
        managedContext = context
        self.binding = binding
        values = []
        changeEpoch = 0
    }

    /// Adopts a new object.
    ///
    /// - Returns: the values that were set before, by property number.
    final func attachNew(_ object: ModelObject, binding: EntityBinding, context: ManagedContext) -> [Any?] {
        let taken = values
        attach(object, binding: binding, context: context)
        setRelationships = []
        return taken
    }

    /// Forgets an object whose insertion was discarded.
    final func detach(keeping values: [Any?]) {
        object = nil
        binding = nil
        managedContext = nil
        self.values = values
    }

    /// Whether a to-many relationship of a new model was never set.
    final func isUnset(_ number: Int) -> Bool {
        guard let setRelationships, let object, object.currentID.isTemporaryID else { return false }
        return !setRelationships.contains(number)
    }

    final func recordSet(_ number: Int, isNil: Bool) {
        if isNil { setRelationships?.remove(number) } else { setRelationships?.insert(number) }
    }

    // MARK: Identity

    final var identifier: PersistentIdentifier? {
        object.map { PersistentIdentifier($0.currentID) } ?? unattached
    }

    /// The identifier; a model that is in no context is given one.
    final var requiredIdentifier: PersistentIdentifier {
        if let identifier { return identifier }
        let new = PersistentIdentifier(unattached: info.entityName)
        unattached = new
        return new
    }

    /// A hash that stays the same when a save makes the identifier permanent.
    final var stableHash: Int {
        if let hashToken { return hashToken }
        let token = requiredIdentifier.hashValue
        hashToken = token
        return token
    }

    // MARK: Errors

    /// Ends the program with a message that names the model.
    final func trap(_ reason: String) -> Never {
        let identifier = object.map { " (\($0.currentID.uriRepresentation()))" } ?? ""
        fatalError("SwiftData: \(info.entityName)\(identifier): \(reason)")
    }

    /// Ends the program because a required property has no value.
    final func trapMissing(_ name: String, _ type: any Any.Type) -> Never {
        if object?.currentContext == nil {
            trap(
                "This backing data was detached from a context without resolving attribute faults: “\(name)” is read after "
                    + "the deletion was saved or the context was released; read it before, and check modelContext")
        }
        if object?.isDeleted == true
            || object?.currentContext?.shouldDeleteInaccessibleFaults == true && object?.isFault == true
        {
            trap(
                "This model instance was invalidated because its backing data could no longer be found in the store: "
                    + "“\(name)” is read; check isDeleted before, or fetch the model again")
        }
        trap("the required property “\(name)” has no value of the type \(type); make it optional, or set it")
    }
}

/// The entity of a class in a container: where its properties are in managed objects.
final class EntityBinding {
    let info: ModelInfo
    let entity: NSEntityDescription
    /// The slot of each property, by property number.
    let slots: ContiguousArray<Int>
    /// The number of the property at the other end of each relationship, by property number.
    let inverses: [Int?]

    init(_ info: ModelInfo, _ entity: NSEntityDescription) {
        self.info = info
        self.entity = entity
        // The object is in no context, and only tells the layout.
        let sample = ModelObject(entity: entity, insertInto: nil)
        slots = ContiguousArray(info.properties.map { sample.slotNumber(of: $0.name) ?? -1 })
        let relationships = entity.relationshipsByName
        inverses = info.properties.map { property in
            guard let destination = property.access.destination,
                let inverse = relationships[property.name]?.inverseRelationship?.name
            else { return nil }
            return ModelInfo.of(destination).numbersByName[inverse]
        }
    }
}
