internal import CoreData
internal import Foundation

/// The object that holds the values of a model in a context.
final class ModelObject: NSManagedObject {
    /// The model, whose backing data retains this object.
    weak var model: AnyObject?
}

/// The values of a model: by property number until the model is inserted, then in a managed object.
class ModelCore {
    let info: ModelInfo
    /// The values of a model that is in no context.
    private var values: [Any?] = []
    /// The object of a model that is or was in a context.
    private(set) var object: ModelObject?
    private var binding: EntityBinding?
    /// The context of the object, which exists as long as the model.
    private var managedContext: ManagedContext?
    /// The identifier of a model that is in no context.
    var unattached: PersistentIdentifier?
    /// The to-many relationships that were set since the model was created; nil for a fetched model.
    private var setRelationships: Set<Int>?
    private var hashToken: Int?
    /// Notes which properties are read.
    final var recorder: PropertyRecorder?

    init(_ info: ModelInfo) { self.info = info }

    // MARK: Values

    final func get<V>(_ keyPath: AnyKeyPath) -> V {
        let property = info.property(keyPath)
        let access = unsafeDowncast(property.access, to: TypedAccess<V>.self)
        if object != nil { return access.read(self) }
        if let recorder {
            recorder.record(property)
            return access.sample(recorder)
        }
        guard property.number < values.count, let boxed = values[property.number] else { return access.unset(self) }
        guard let value = boxed as? V else { trap("“\(property.name)” is not of the type \(V.self)") }
        return value
    }

    final func set<V>(_ keyPath: AnyKeyPath, _ value: V) {
        let property = info.property(keyPath)
        guard let object else {
            if values.isEmpty { values = Array(repeating: nil, count: info.properties.count) }
            values[property.number] = .some(value as Any)
            return
        }
        // After the deletion was saved or the context was released, nothing stores the value.
        guard let context else { return }
        let access = unsafeDowncast(property.access, to: TypedAccess<V>.self)
        context.willChange(object)
        access.write(value, self)
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
                    + "the deletion was saved or the context was released; read it before")
        }
        if object?.isDeleted == true
            || object?.currentContext?.shouldDeleteInaccessibleFaults == true && object?.isFault == true
        {
            trap(
                "This model instance was invalidated because its backing data could no longer be found in the store: "
                    + "“\(name)” is read")
        }
        trap("the required property “\(name)” has no value of the type \(type); make it optional, or set it")
    }
}

/// The entity of a class in a container: where its properties are in managed objects.
final class EntityBinding {
    let info: ModelInfo
    let entity: NSEntityDescription
    /// The slot of each property, by property number.
    let slots: [Int]

    init(_ info: ModelInfo, _ entity: NSEntityDescription) {
        self.info = info
        self.entity = entity
        // The object is in no context, and only tells the layout.
        let sample = ModelObject(entity: entity, insertInto: nil)
        slots = info.properties.map { sample.slotNumber(of: $0.name) ?? -1 }
    }
}
