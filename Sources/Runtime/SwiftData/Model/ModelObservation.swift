internal import CoreData
internal import Foundation
internal import Observation

/// Whether the properties of models can be observed.
///
/// Every access of a property is reported to Observation, which takes time even if nothing observes the model. A server
/// that observes no models turns it off once, before it creates any:
///
/// ```swift
/// ModelObservation.isEnabled = false
/// ```
public enum ModelObservation {
    /// Whether accesses and changes of models are reported to Observation. The default is `true`.
    ///
    /// Set it before models are created, on one thread.
    nonisolated(unsafe) public static var isEnabled = true
}

/// The observers of a model, which are kept with its values. Has the methods of `ObservationRegistrar`.
public struct _ModelObservationRegistrar: Sendable {
    /// Creates a registrar. Called by the code of `@Model`.
    public init() {}

    /// Reports an access to observers.
    public func access<Subject: PersistentModel, Member>(_ subject: Subject, keyPath: KeyPath<Subject, Member>) {
        subject.core.access(subject, keyPath)
    }

    /// Notifies observers that a property is about to change.
    public func willSet<Subject: PersistentModel, Member>(_ subject: Subject, keyPath: KeyPath<Subject, Member>) {
        subject.core.registrar?.willSet(subject, keyPath: keyPath)
    }

    /// Notifies observers that a property has changed.
    public func didSet<Subject: PersistentModel, Member>(_ subject: Subject, keyPath: KeyPath<Subject, Member>) {
        subject.core.registrar?.didSet(subject, keyPath: keyPath)
    }

    /// Changes a property, and notifies observers.
    public func withMutation<Subject: PersistentModel, Member, Result>(
        of subject: Subject, keyPath: KeyPath<Subject, Member>, _ mutation: () throws -> Result
    ) rethrows -> Result {
        guard let registrar = subject.core.registrar else { return try mutation() }
        return try registrar.withMutation(of: subject, keyPath: keyPath, mutation)
    }
}

/// The two calls around a change.
enum ChangePhase {
    case willSet, didSet
}

extension TypedAccess {
    /// Notifies the observers of a property that it changes without its accessor.
    final func announce(_ model: any PersistentModel, _ keyPath: AnyKeyPath, phase: ChangePhase) {
        guard let registrar = model.core.registrar else { return }
        // The accessors of a superclass's property use a key path of the superclass.
        func announce<Root: PersistentModel>(_: Root.Type) {
            guard let model = model as? Root, let keyPath = keyPath as? KeyPath<Root, Value> else { return }
            switch phase {
            case .willSet: registrar.willSet(model, keyPath: keyPath)
            case .didSet: registrar.didSet(model, keyPath: keyPath)
            }
        }
        if let root = Swift.type(of: keyPath).rootType as? any PersistentModel.Type { announce(root) }
    }
}

extension _ModelCore {
    /// Changes a relationship, and notifies the observers of the models at the other end, whose inverse changes.
    final func announcingInverses<Result>(
        of number: Int, _ objects: () -> [NSManagedObject], _ change: () -> Result
    ) -> Result {
        guard ModelObservation.isEnabled, let inverse = inverse(number) else { return change() }
        let models = Self.observed(objects())
        for model in models { model.announce(inverse, .willSet) }
        defer { for model in models { model.announce(inverse, .didSet) } }
        return change()
    }

    static func observed(_ objects: some Sequence<NSManagedObject>) -> [any PersistentModel] {
        objects.compactMap { object in
            guard let model = (object as? ModelObject)?.model as? any PersistentModel, model.core.registrar != nil
            else { return nil }
            return model
        }
    }
}

extension PersistentModel {
    /// Notifies the observers of a property that it changes.
    func announce(_ number: Int, _ phase: ChangePhase) {
        let property = core.info.properties[number]
        property.access.announceChange(self, property.keyPath, phase: phase)
    }

    /// Notifies the observers of all properties that they change.
    func announceAll(_ phase: ChangePhase) {
        for number in core.info.properties.indices { announce(number, phase) }
    }
}

extension ModelContext {
    /// Performs changes that do not go through accessors, and notifies the observers of all properties of the objects.
    func announcing<Result>(_ objects: some Sequence<NSManagedObject>, _ change: () throws -> Result) rethrows -> Result
    {
        guard ModelObservation.isEnabled else { return try change() }
        let models = _ModelCore.observed(objects)
        for model in models { model.announceAll(.willSet) }
        defer { for model in models { model.announceAll(.didSet) } }
        return try change()
    }

    /// The objects at the other ends of the relationships of objects whose deletion is still pending.
    func neighbors(of objects: some Sequence<NSManagedObject>) -> Set<NSManagedObject> {
        guard ModelObservation.isEnabled else { return [] }
        var found: Set<NSManagedObject> = []
        for object in objects {
            guard let core = (object as? ModelObject)?.core else { continue }
            for property in core.info.properties where core.inverse(property.number) != nil {
                let slot = core.slot(property.number)
                if core.info.accesses[property.number].isToMany {
                    if object.hasMembers(ofSlot: slot) { found.formUnion(object.members(ofSlot: slot)) }
                } else if let other = object.object(ofSlot: slot) {
                    found.insert(other)
                }
            }
        }
        return found
    }
}

/// Notifies the observers of a context's models of undo and redo, whose changes are saved automatically like others.
final class UndoObservers {
    private var tokens: [any NSObjectProtocol] = []

    init(_ manager: UndoManager, _ context: ModelContext) {
        let phases: [(Notification.Name, ChangePhase)] = [
            (.NSUndoManagerWillUndoChange, .willSet), (.NSUndoManagerWillRedoChange, .willSet),
            (.NSUndoManagerDidUndoChange, .didSet), (.NSUndoManagerDidRedoChange, .didSet),
        ]
        // The notifications are posted by the thread that uses the context.
        nonisolated(unsafe) weak let context = context
        for (name, phase) in phases {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { _ in
                    guard let context else { return }
                    // No accessor records the change.
                    if phase == .didSet { context.scheduleSave() }
                    guard ModelObservation.isEnabled else { return }
                    for model in _ModelCore.observed(context.managed.registeredObjects) { model.announceAll(phase) }
                })
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}
