internal import CoreData

/// A collection of models: an array, or an optional of one.
protocol ModelCollection {
    static var modelType: any PersistentModel.Type { get }
    /// The value of a relationship that was never set.
    static var unset: Self { get }
    /// Returns a value for a model whose reads are recorded.
    static func sample(_ recorder: PropertyRecorder) -> Self
    /// Creates a collection of models.
    static func make(_ objects: [NSManagedObject], in context: ModelContext) -> Self
    /// Returns the objects of the models from a position on, which are inserted if needed.
    func objects(in context: ModelContext, from start: Int) -> [NSManagedObject]?
    /// Returns whether the collection begins with the models of objects.
    func starts(with objects: [NSManagedObject]) -> Bool
    var models: [any PersistentModel] { get }
}

extension Array: ModelCollection where Element: PersistentModel {
    static var modelType: any PersistentModel.Type { Element.self }
    static var unset: [Element] { [] }
    // A computed property may filter, sort or shorten the models.
    static func sample(_ recorder: PropertyRecorder) -> [Element] {
        (0..<[0, 1, 2, 12][recorder.round]).compactMap { _ in recorder.destination(Element.self) }
    }
    static func make(_ objects: [NSManagedObject], in context: ModelContext) -> [Element] {
        objects.map { context.model(of: $0, as: Element.self) }
    }
    func objects(in context: ModelContext, from start: Int) -> [NSManagedObject]? {
        self[start...].map { context.object(of: $0) }
    }
    func starts(with objects: [NSManagedObject]) -> Bool {
        count >= objects.count && objects.indices.allSatisfy { self[$0].core.object === objects[$0] }
    }
    var models: [any PersistentModel] { self }
}

extension Optional: ModelCollection where Wrapped: ModelCollection {
    static var modelType: any PersistentModel.Type { Wrapped.modelType }
    static var unset: Wrapped? { nil }
    static func sample(_ recorder: PropertyRecorder) -> Wrapped? {
        recorder.round == 0 ? nil : Wrapped.sample(recorder)
    }
    static func make(_ objects: [NSManagedObject], in context: ModelContext) -> Wrapped? {
        Wrapped.make(objects, in: context)
    }
    func objects(in context: ModelContext, from start: Int) -> [NSManagedObject]? {
        flatMap { $0.objects(in: context, from: start) }
    }
    func starts(with objects: [NSManagedObject]) -> Bool { map { $0.starts(with: objects) } ?? false }
    var models: [any PersistentModel] { map(\.models) ?? [] }
}

/// A required to-one relationship.
final class ToOneAccess<Model: PersistentModel>: TypedAccess<Model> {
    override var destination: (any PersistentModel.Type)? { Model.self }

    override func read(_ core: _ModelCore) -> Model {
        guard let object = core.managed.object(ofSlot: core.slot(number)) else { core.trapMissing(name, Model.self) }
        return core.requiredContext.model(of: object, as: Model.self)
    }

    override func sample(_ recorder: PropertyRecorder) -> Model? { recorder.model(Model.self) }

    override func context(of value: Model) -> ModelContext? { value.core.context }

    override func write(_ value: Model, _ core: _ModelCore) { core.setDestination(value, number) }
}

final class OptionalToOneAccess<Model: PersistentModel>: TypedAccess<Model?> {
    override var destination: (any PersistentModel.Type)? { Model.self }

    override func read(_ core: _ModelCore) -> Model? {
        guard let object = core.managed.object(ofSlot: core.slot(number)), let context = core.context,
            !core.hasLost(object, number)
        else { return nil }
        return context.model(of: object, as: Model.self)
    }

    override func sample(_ recorder: PropertyRecorder) -> Model?? { .some(recorder.destination(Model.self)) }

    // The other end may have been set already.
    override func initialize(_ core: _ModelCore, _ value: Model?) {
        if value != nil { write(value, core) }
    }

    override func context(of value: Model?) -> ModelContext? { value?.core.context }

    override func write(_ value: Model?, _ core: _ModelCore) { core.setDestination(value, number) }
}

final class ToManyAccess<Models: ModelCollection>: TypedAccess<Models> {
    override var destination: (any PersistentModel.Type)? { Models.modelType }

    override func read(_ core: _ModelCore) -> Models {
        guard let context = core.context else { return Models.unset }
        let slot = core.slot(number)
        var objects = core.managed.members(ofSlot: slot)
        if core.inverse(number) == nil { objects.removeAll { core.hasLost($0, number) } }
        // A relationship of a new model that was never set is nil if it can be.
        if objects.isEmpty, core.isUnset(number) { return Models.unset }
        return Models.make(objects, in: context)
    }

    override var isToMany: Bool { true }

    override func context(of value: Models) -> ModelContext? { value.models.lazy.compactMap(\.core.context).first }

    override func write(_ value: Models, _ core: _ModelCore) {
        guard !appends(value, core) else { return }
        let objects = value.objects(in: core.requiredContext, from: 0)
        core.recordSet(number, objects.map { !$0.isEmpty })
        core.setMembers(objects ?? [], number)
    }

    /// Adds the new models if the value has those of the relationship and others after them. A loop that appends models
    /// then does not look up, check and compare all of them each time.
    private func appends(_ value: Models, _ core: _ModelCore) -> Bool {
        let slot = core.slot(number)
        let members = core.managed.members(ofSlot: slot)
        guard value.starts(with: members),
            let new = value.objects(in: core.requiredContext, from: members.count)
        else { return false }
        // The insertion of new models may have changed the relationship by its inverse.
        let current = core.managed.members(ofSlot: slot)
        guard current.starts(with: members, by: ===), new.starts(with: current[members.count...], by: ===) else {
            return false
        }
        core.recordSet(number, !members.isEmpty || !new.isEmpty)
        core.addMembers(new, number)
        return true
    }

    override func sample(_ recorder: PropertyRecorder) -> Models? { Models.sample(recorder) }

    // The other ends may have been set already.
    override func initialize(_ core: _ModelCore, _ value: Models) {
        let objects = value.objects(in: core.requiredContext, from: 0)
        core.recordSet(number, objects.map { !$0.isEmpty })
        guard let objects, !objects.isEmpty else { return }
        let slot = core.slot(number)
        let identifiers = Set(objects.map(ObjectIdentifier.init))
        let others = core.managed.members(ofSlot: slot).filter { !identifiers.contains(ObjectIdentifier($0)) }
        core.setMembers(objects + others, number)
    }

    override func hasValue(_ core: _ModelCore) -> Bool { true }

    override func unset(_ core: _ModelCore) -> Models { Models.unset }
}

extension _ModelCore {
    /// Whether an object to which a relationship without an inverse leads was deleted: no inverse removes it.
    fileprivate final func hasLost(_ object: NSManagedObject, _ number: Int) -> Bool {
        inverse(number) == nil && (object.isDeleted || object.directContext == nil)
    }

    /// Removes deleted objects from the relationships without an inverse, with which the model would fail to validate.
    final func removeLostObjects() {
        for property in info.properties where property.access.destination != nil && inverse(property.number) == nil {
            let (object, slot) = (managed, slot(property.number))
            if property.access.isToMany {
                guard object.hasMembers(ofSlot: slot) else { continue }
                let members = object.members(ofSlot: slot)
                let left = members.filter { !hasLost($0, property.number) }
                if left.count < members.count { object.setMembers(left, ofSlot: slot) }
            } else if let other = object.object(ofSlot: slot), hasLost(other, property.number) {
                object.setObject(nil, ofSlot: slot)
            }
        }
    }

    /// Sets a to-one relationship.
    fileprivate final func setDestination<Model: PersistentModel>(_ value: Model?, _ number: Int) {
        let slot = slot(number)
        let object = value.map { requiredContext.object(of: $0) }
        let others = { [self.managed.object(ofSlot: slot), object].compactMap { $0 } }
        announcingInverses(of: number, others) { managed.setObject(object, ofSlot: slot) }
    }

    /// Sets a to-many relationship.
    fileprivate final func setMembers(_ objects: [NSManagedObject], _ number: Int) {
        let slot = slot(number)
        let others = { Self.difference(self.managed.members(ofSlot: slot), objects) }
        announcingInverses(of: number, others) { managed.setMembers(objects, ofSlot: slot) }
    }

    /// Adds objects to a to-many relationship, at its end.
    fileprivate final func addMembers(_ objects: [NSManagedObject], _ number: Int) {
        let slot = slot(number)
        announcingInverses(of: number, { objects }) { managed.addMembers(objects, ofSlot: slot) }
    }

    /// Returns the objects that are in one of two lists, which mostly agree.
    private static func difference(_ old: [NSManagedObject], _ new: [NSManagedObject]) -> [NSManagedObject] {
        let start = zip(old, new).prefix { $0 === $1 }.count
        let (old, new) = (old.dropFirst(start), new.dropFirst(start))
        if old.isEmpty || new.isEmpty { return Array(old) + Array(new) }
        return Array(Set(old).symmetricDifference(new))
    }
}
