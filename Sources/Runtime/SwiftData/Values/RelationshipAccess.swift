internal import CoreData

/// A collection of models: an array, or an optional of one.
protocol ModelCollection {
    static var modelType: any PersistentModel.Type { get }
    /// The value of a relationship that was never set.
    static var unset: Self { get }
    /// Creates a collection of models.
    static func make(_ objects: [NSManagedObject], in context: ModelContext) -> Self
    /// Returns the objects of the models, which are inserted if needed.
    func objects(in context: ModelContext) -> [NSManagedObject]?
    var models: [any PersistentModel] { get }
}

extension Array: ModelCollection where Element: PersistentModel {
    static var modelType: any PersistentModel.Type { Element.self }
    static var unset: [Element] { [] }
    static func make(_ objects: [NSManagedObject], in context: ModelContext) -> [Element] {
        objects.map { context.model(of: $0, as: Element.self) }
    }
    func objects(in context: ModelContext) -> [NSManagedObject]? { map { context.object(of: $0) } }
    var models: [any PersistentModel] { self }
}

extension Optional: ModelCollection where Wrapped: ModelCollection {
    static var modelType: any PersistentModel.Type { Wrapped.modelType }
    static var unset: Wrapped? { nil }
    static func make(_ objects: [NSManagedObject], in context: ModelContext) -> Wrapped? {
        Wrapped.make(objects, in: context)
    }
    func objects(in context: ModelContext) -> [NSManagedObject]? { flatMap { $0.objects(in: context) } }
    var models: [any PersistentModel] { map(\.models) ?? [] }
}

/// A required to-one relationship.
final class ToOneAccess<Model: PersistentModel>: TypedAccess<Model> {
    override var destination: (any PersistentModel.Type)? { Model.self }

    override func read(_ core: ModelCore) -> Model {
        guard let object = core.managed.object(ofSlot: core.slot(number)) else { core.trapMissing(name, Model.self) }
        return core.requiredContext.model(of: object, as: Model.self)
    }

    override func sample(_ recorder: PropertyRecorder) -> Model { recorder.model(Model.self) }

    override func write(_ value: Model, _ core: ModelCore) {
        core.managed.setObject(core.requiredContext.object(of: value), ofSlot: core.slot(number))
    }
}

/// An optional to-one relationship.
final class OptionalToOneAccess<Model: PersistentModel>: TypedAccess<Model?> {
    override var destination: (any PersistentModel.Type)? { Model.self }

    override func read(_ core: ModelCore) -> Model? {
        guard let object = core.managed.object(ofSlot: core.slot(number)), let context = core.context else {
            return nil
        }
        return context.model(of: object, as: Model.self)
    }

    override func sample(_ recorder: PropertyRecorder) -> Model? { recorder.model(Model.self) }

    // The other end may have been set already.
    override func initialize(_ core: ModelCore, _ value: Model?) {
        if value != nil { write(value, core) }
    }

    override func write(_ value: Model?, _ core: ModelCore) {
        core.managed.setObject(value.map { core.requiredContext.object(of: $0) }, ofSlot: core.slot(number))
    }
}

/// A to-many relationship.
final class ToManyAccess<Models: ModelCollection>: TypedAccess<Models> {
    override var destination: (any PersistentModel.Type)? { Models.modelType }

    override func read(_ core: ModelCore) -> Models {
        guard let context = core.context else { return Models.unset }
        let slot = core.slot(number)
        let objects = core.managed.members(ofSlot: slot)
        // A relationship of a new model that was never set is nil if it can be.
        if objects.isEmpty, core.isUnset(number) { return Models.unset }
        return Models.make(objects, in: context)
    }

    override func write(_ value: Models, _ core: ModelCore) {
        let objects = value.objects(in: core.requiredContext)
        core.recordSet(number, isNil: objects == nil)
        core.managed.setMembers(objects ?? [], ofSlot: core.slot(number))
    }

    override func sample(_ recorder: PropertyRecorder) -> Models { Models.unset }

    // The other ends may have been set already.
    override func initialize(_ core: ModelCore, _ value: Models) {
        let objects = value.objects(in: core.requiredContext)
        core.recordSet(number, isNil: objects == nil)
        guard let objects, !objects.isEmpty else { return }
        let slot = core.slot(number)
        let known = Set(objects.map(ObjectIdentifier.init))
        let others = core.managed.members(ofSlot: slot).filter { !known.contains(ObjectIdentifier($0)) }
        core.managed.setMembers(objects + others, ofSlot: slot)
    }

    override func hasValue(_ core: ModelCore) -> Bool { true }

    override func unset(_ core: ModelCore) -> Models { Models.unset }
}
