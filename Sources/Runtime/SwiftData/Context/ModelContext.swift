public import CoreData
internal import Dispatch
public import Foundation

/// Fetches, inserts and deletes models, and saves their changes.
///
/// ```swift
/// let context = ModelContext(container)
/// context.insert(Book(title: "Emma"))
/// try context.save()
/// ```
///
/// Use a context and its models in one isolation domain: `ModelContainer.mainContext` on the main actor, the context of
/// a `@ModelActor` in the actor.
public final class ModelContext: Equatable, CustomDebugStringConvertible {
    /// Posted before a save, with the context as object.
    public static let willSave = Notification.Name("NSManagedObjectContextWillSaveModels")
    /// Posted after a save, with the context as object; the keys of `userInfo` are raw values of `NotificationKey`, its
    /// values arrays of `PersistentIdentifier`.
    public static let didSave = Notification.Name("NSManagedObjectContextDidSaveModels")

    /// The keys of the `userInfo` of `didSave`.
    public enum NotificationKey: String, Sendable {
        /// The new models.
        case insertedIdentifiers
        /// The changed models.
        case updatedIdentifiers
        /// The deleted models.
        case deletedIdentifiers
        /// All models are to be fetched again.
        case invalidatedAllIdentifiers
        /// The state of the stores.
        case queryGeneration
    }

    /// The container.
    public var container: ModelContainer { strongContainer ?? weakContainer ?? ModelContainer(core) }
    let core: ContainerCore
    // The container retains its main context.
    private let strongContainer: ModelContainer?
    private weak var weakContainer: ModelContainer?
    let managed: ManagedContext
    let isMain: Bool
    private let identity = UUID()
    /// The models with unsaved changes, which are kept until they are saved.
    private var retained: [AnyObject] = []
    /// Whether a model was deleted since the last save.
    var hasDeletions = false
    private var bindings: [ObjectIdentifier: EntityBinding] = [:]
    private var lastBinding: EntityBinding?
    private var bindingsByClass: [ObjectIdentifier: EntityBinding] = [:]
    /// The identifiers that models had before their insertion.
    private(set) var formerIdentifiers = FormerIdentifiers()
    /// New models whose values are still to be written.
    private var waiting: [any PersistentModel] = []
    private var isFilling = false
    private var undoObservers: UndoObservers?
    private lazy var autosave = Autosave(self)
    /// What other contexts have saved.
    let inbox = SaveInbox()
    /// The queue of the code that uses the context, if it is known.
    var queue: DispatchQueue?

    /// Creates a context.
    ///
    /// `autosaveEnabled` is `false`; that of `ModelContainer.mainContext` is `true`.
    public convenience init(_ container: ModelContainer) { self.init(container, isMain: false) }

    convenience init(_ container: ModelContainer, isMain: Bool) {
        self.init(ManagedContext(container.core, isMain: isMain), container)
    }

    /// Creates the context of models that outlive the one they were fetched with.
    convenience init(adopting managed: ManagedContext) { self.init(managed, nil) }

    private init(_ managed: ManagedContext, _ container: ModelContainer?) {
        core = managed.core
        isMain = managed.isMain
        queue = managed.isMain ? .main : nil
        strongContainer = managed.isMain ? nil : container
        weakContainer = container
        self.managed = managed
        autosaveEnabled = managed.isMain
        managed.schedulesSaves = managed.isMain
        managed.owner = self
        managed.replacementHandler = { [weak managed] lost, kept in
            guard let lost = lost as? ModelObject, let kept = kept as? ModelObject else { return }
            managed?.owner?.upserts.record(lost, kept)
        }
        managed.saveHandler = { [weak managed] in managed?.owner?.recordSaved($0) }
        core.register(inbox)
        if isMain { core.mainContext = self }
        for store in core.bridges { store.announce(editingState, isBeginning: true) }
    }

    deinit {
        managed.epoch += 1
        for store in core.bridges { store.announce(editingState, isBeginning: false) }
    }

    // MARK: Settings

    /// Whether changes are saved a moment after they are made.
    public var autosaveEnabled: Bool {
        didSet {
            managed.schedulesSaves = autosaveEnabled && isMain
            guard autosaveEnabled, !oldValue, isMain else { return }
            if hasChanges { autosave.schedule() }
        }
    }
    /// The undo manager, which records changes.
    public var undoManager: UndoManager? {
        get { managed.undoManager }
        set {
            managed.undoManager = newValue
            undoObservers = newValue.map { UndoObservers($0, self) }
        }
    }
    /// The author that the history records for the changes.
    public var author: String? {
        get { managed.transactionAuthor }
        set { managed.transactionAuthor = newValue }
    }
    /// What identifies the context's changes.
    public var editingState: EditingState { EditingState(id: identity, author: author) }

    /// Returns whether two contexts are the same instance.
    public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }
    /// The container's schema.
    public var debugDescription: String { "ModelContext of \(core.schema.debugDescription)" }

    // MARK: Changes

    /// Whether there is anything to save.
    public var hasChanges: Bool { managed.hasChanges }

    /// The models that were inserted since the last save.
    public var insertedModelsArray: [any PersistentModel] { models(managed.insertedObjects) }
    /// The saved models that changed since the last save.
    public var changedModelsArray: [any PersistentModel] { models(managed.updatedObjects) }
    /// The saved models that the next save deletes.
    public var deletedModelsArray: [any PersistentModel] {
        managed.processPendingChanges()
        return models(managed.deletedObjects)
    }

    private func models(_ objects: Set<NSManagedObject>) -> [any PersistentModel] {
        // Making a path takes longer than comparing two.
        let paths = objects.map { (path: $0.currentID.uriRepresentation().path, object: $0) }
        return paths.sorted { $0.path < $1.path }.compactMap { anyModel(of: $0.object) }
    }

    /// Inserts a model and the destinations of its relationships. Saved by the next save.
    public func insert<T: PersistentModel>(_ model: T) {
        let object = object(of: model)
        if object.isDeleted { managed.insert(object) }
    }

    /// Deletes a model with the next save. Its relationships' delete rules are applied.
    public func delete<T: PersistentModel>(_ model: T) {
        guard let object = model.core.object, let owner = object.directContext else { return }
        guard owner === managed else {
            model.core.trap(
                "Illegal attempt to delete a model of a different model context: the model belongs to another context; pass "
                    + "its persistentModelID and use model(for:)")
        }
        willChange(model.core)
        hasDeletions = true
        managed.delete(object)
    }

    /// Applies delete rules and records changes for undo. Called by saves and fetches.
    public func processPendingChanges() {
        let affected = neighbors(of: managed.deletedList)
        announcing(affected) { managed.processPendingChanges() }
    }

    /// Discards all unsaved changes.
    public func rollback() {
        // A model whose insertion is discarded keeps its values, and can be inserted again.
        let discarded = retained.compactMap { model -> (_ModelCore, [Any?])? in
            guard let core = (model as? any PersistentModel)?.core, core.object?.isInserted == true else { return nil }
            return (core, core.currentValues)
        }
        let merged = upserts.pending.filter { $0.hasChanges }.map { ($0.core, $0.core.currentValues) }
        announcing(managed.updatedObjects.union(managed.deletedObjects)) { managed.rollback() }
        releaseChanged()
        upserts = Upserts()
        for (core, values) in discarded + merged { core.detach(keeping: values) }
    }

    /// Runs a block, and saves the changes that it makes. If the block throws, nothing is saved, and its changes remain
    /// unsaved.
    ///
    /// - Throws: What the block or `save()` throws.
    public func transaction(block: () throws -> Void) throws {
        try block()
        try save()
    }

    /// Saves all changes.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: failed validations (1550 to 1690) or a store's error. The context and
    ///   the stores are then unchanged.
    public func save() throws {
        autosave.cancel()
        NotificationCenter.default.post(name: Self.willSave, object: self)
        guard managed.hasChanges else { return }
        processPendingChanges()
        if hasDeletions {
            for object in managed.insertedList + managed.updatedList {
                (object as? ModelObject)?.core?.removeLostObjects()
            }
        }
        saved = nil
        do {
            try managed.save()
        } catch {
            // The next save or a rollback ends what the merge policy has begun.
            upserts.attachNew(in: self)
            if saved != nil { announceSave() }
            throw error
        }
        upserts.attachAll(in: self)
        releaseChanged()
        announceSave()
    }

    /// Records what a save has written. Several stores may be written separately.
    private func recordSaved(_ ids: SavedIDs) {
        guard let earlier = saved else { return saved = ids }
        saved = SavedIDs(
            inserted: earlier.inserted + ids.inserted, updated: earlier.updated + ids.updated,
            deleted: earlier.deleted + ids.deleted)
    }

    /// Notifies observers and other contexts of what was saved.
    private func announceSave() {
        let ids = saved ?? SavedIDs()
        saved = nil
        core.recordSave(
            SaveInbox.Save(inserted: ids.inserted, updated: ids.updated, deleted: ids.deleted), by: inbox)
        NotificationCenter.default.post(
            name: Self.didSave, object: self,
            userInfo: [
                NotificationKey.insertedIdentifiers.rawValue: ids.inserted.map { PersistentIdentifier($0) },
                NotificationKey.updatedIdentifiers.rawValue: ids.updated.map { PersistentIdentifier($0) },
                NotificationKey.deletedIdentifiers.rawValue: ids.deleted.map { PersistentIdentifier($0) },
            ])
    }

    /// What the last save has written; `nil` if it has written nothing.
    private var saved: SavedIDs?
    private var upserts = Upserts()

    // MARK: Models and objects

    /// Returns the class that a context uses for an entity, and where its properties are.
    func binding(of entity: NSEntityDescription) -> EntityBinding? {
        if let last = lastBinding, last.entity === entity { return last }
        let identifier = ObjectIdentifier(entity)
        if let cached = bindings[identifier] {
            lastBinding = cached
            return cached
        }
        guard let info = core.schema.classes[entity.name ?? ""] else { return nil }
        let new = EntityBinding(info, entity, in: managed)
        bindings[identifier] = new
        return new
    }

    private func binding(of info: ModelInfo) -> EntityBinding {
        if let cached = bindingsByClass[info.identifier] { return cached }
        guard let entity = core.model.entitiesByName[info.entityName],
            core.schema.classes[info.entityName] === info
        else {
            fatalError(
                "SwiftData: failed to find a currently active container for \(info.entityName): the schema's models are "
                    + core.schema.entities.map(\.name).joined(separator: ", "))
        }
        let new = EntityBinding(info, entity, in: managed)
        bindingsByClass[info.identifier] = new
        bindings[ObjectIdentifier(entity)] = new
        return new
    }

    /// Returns the object of a model, which is inserted if it is in no context.
    func object(of model: some PersistentModel) -> ModelObject {
        let core = model.core
        if let object = core.object {
            if object.directContext === managed { return object }
            if let owner = core.context {
                if owner === self { return object }
                core.trap(
                    "Illegal attempt to insert a model in to a different model context: the model belongs to another context; "
                        + "pass its persistentModelID and use model(for:)")
            }
            guard object.currentID.isTemporaryID else {
                core.trap("the model was deleted or its context was released, and cannot be inserted again")
            }
            // The insertion was undone before a save.
            core.detach(keeping: core.currentValues)
        }
        let binding = binding(of: core.info)
        let object = ModelObject(entity: binding.entity, insertInto: managed)
        core.attachNew(object, binding: binding)
        object.model = model
        if let identifier = core.unattached { formerIdentifiers.insert(identifier, of: object) }
        willChange(core)
        fill(model)
        return object
    }

    /// Writes the values of a new model. The destinations of its relationships are inserted, and wait until the values
    /// are written.
    private func fill(_ model: some PersistentModel) {
        guard !isFilling else { return waiting.append(model) }
        isFilling = true
        defer { isFilling = false }
        writeValues(of: model)
        while let next = waiting.popLast() { writeValues(of: next) }
    }

    private func writeValues(of model: some PersistentModel) {
        let core = model.core
        for property in core.info.constantProperties {
            if let value = model.constant(property.keyPath) { property.access.initialize(core, from: value) }
        }
        core.writeValues()
    }

    func model<M: PersistentModel>(of object: NSManagedObject, as type: M.Type) -> M {
        let object = unsafeDowncast(object, to: ModelObject.self)
        if let model = object.model {
            if ObjectIdentifier(Swift.type(of: model)) == ObjectIdentifier(type) {
                return unsafeDowncast(model, to: M.self)
            }
            // The request may be for a superclass, but not for the class of another schema version.
            if let model = model as? M { return model }
        } else if let binding = binding(of: object.entity), binding.info.identifier == ObjectIdentifier(type) {
            // The common case: the object's class is the one that is asked for.
            return make(type, object, binding)
        }
        guard let model = anyModel(of: object) as? M else {
            fatalError(
                "SwiftData: the class of the entity \(object.entity.name ?? "") in the container's schema is not "
                    + String(reflecting: M.self))
        }
        return model
    }

    private func make<M: PersistentModel>(_ type: M.Type, _ object: ModelObject, _ binding: EntityBinding) -> M {
        let core = _ModelCore(binding.info)
        core.attach(object, binding: binding)
        let model = M(_$core: core)
        object.model = model
        if !binding.info.constants.isEmpty { model.fillConstants() }
        return model
    }

    func anyModel(of object: NSManagedObject) -> (any PersistentModel)? {
        guard let object = object as? ModelObject, let binding = binding(of: object.entity) else { return nil }
        if let model = object.model as? any PersistentModel { return model }
        func make<T: PersistentModel>(_ type: T.Type) -> any PersistentModel { self.make(type, object, binding) }
        return make(binding.info.type)
    }

    /// Keeps a model that is about to change until the next save.
    func willChange(_ core: _ModelCore) {
        guard let object = core.object else { return }
        if core.changeEpoch != managed.epoch, let model = object.model { retained.append(model) }
        core.changeEpoch = managed.epoch
        scheduleSave()
    }

    /// Saves a moment after a change, if changes are saved automatically.
    func scheduleSave() {
        if managed.schedulesSaves { autosave.schedule() }
    }

    /// Releases the models whose changes were saved or discarded.
    private func releaseChanged() {
        retained = []
        hasDeletions = false
        managed.epoch += 1
    }
}

extension PersistentModel {
    /// Returns the value of a property that is declared with `let`.
    fileprivate func constant(_ keyPath: AnyKeyPath) -> Any? {
        // The property may be one of a superclass.
        func read<Root>(_: Root.Type) -> Any? {
            guard let model = self as? Root, let keyPath = keyPath as? PartialKeyPath<Root> else { return nil }
            return model[keyPath: keyPath]
        }
        return _openExistential(type(of: keyPath).rootType, do: read)
    }

    /// Sets the properties that are declared with `let` and an initial value to the stored values.
    fileprivate func fillConstants() {
        let core = core
        for (number, offset) in core.info.constants {
            let location = UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque()) + offset
            core.info.properties[number].access.copy(core, to: location)
        }
    }
}
