internal import Foundation
public import Observation

/// A class whose instances a `ModelContext` stores. `@Model` adds the conformance.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
    /// The base class.
    associatedtype Root: PersistentModel = Self

    /// Creates a model with the values of backing data.
    init(backingData: any BackingData<Self>)
    /// Creates a model with values. Used by the code of `@Model`.
    init(_$core: _ModelCore)
    /// The values. Used by the code of `@Model`.
    var _$modelCore: _ModelCore { get }
    /// The values.
    var persistentBackingData: any BackingData<Self> { get set }
    /// The stored properties.
    static var schemaMetadata: [Schema.PropertyMetadata] { get }
    /// The key paths of the stored properties with the class itself as root, also in a subclass: superclasses' first,
    /// in declared order. Used by the code of `@Model`.
    static var _inheritableKeyPaths: [AnyKeyPath] { get }
}

extension PersistentModel {
    var core: _ModelCore { _$modelCore }

    /// The values. Final classes have a property that returns them without backing data.
    public var _$modelCore: _ModelCore { persistentBackingData._core }

    /// The identifier. It changes when the model is saved for the first time.
    public var persistentModelID: PersistentIdentifier { core.requiredIdentifier }
    /// The identifier. It changes when the model is saved for the first time.
    public var id: PersistentIdentifier { persistentModelID }
    /// The context; `nil` before the model is inserted and after its deletion is saved.
    public var modelContext: ModelContext? { core.context }
    /// Whether the model has unsaved changes.
    public var hasChanges: Bool { core.object?.hasChanges ?? false }
    /// Whether the next save deletes the model.
    public var isDeleted: Bool { core.object?.isDeleted ?? false }

    /// Returns whether two models are the same instance or have the same identifier.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs === rhs || lhs.persistentModelID == rhs.persistentModelID
    }

    /// Hashes the identifier that the model had when it was first hashed.
    public func hash(into hasher: inout Hasher) { hasher.combine(core.stableHash) }

    /// Creates a model with values. Final classes have an initializer that takes them without backing data.
    public init(_$core core: _ModelCore) { self.init(backingData: DefaultBackingData<Self>(core)) }

    /// None: a final class has no subclasses.
    public static var _inheritableKeyPaths: [AnyKeyPath] { [] }

    /// Creates the storage of a new model. Called by the code of `@Model`.
    public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
        DefaultBackingData<P>(for: P.self)
    }

    // MARK: Values

    /// Returns the value of an attribute.
    public func getValue<Value: Decodable>(forKey keyPath: KeyPath<Self, Value>) -> Value { core.get(keyPath) }
    /// Returns the value of a to-one relationship.
    public func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value>) -> Value { core.get(keyPath) }
    /// Returns the value of a to-one relationship.
    public func getValue<Value: PersistentModel & Decodable>(forKey keyPath: KeyPath<Self, Value>) -> Value {
        core.get(keyPath)
    }
    /// Returns the value of a to-one relationship.
    public func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value?>) -> Value? {
        core.get(keyPath)
    }
    /// Returns the value of a to-one relationship.
    public func getValue<Value: PersistentModel & Decodable>(forKey keyPath: KeyPath<Self, Value?>) -> Value? {
        core.get(keyPath)
    }
    /// Returns the value of a to-many relationship.
    public func getValue<Value: RelationshipCollection, OtherModel>(forKey keyPath: KeyPath<Self, Value>) -> Value
    where OtherModel == Value.PersistentElement { core.get(keyPath) }
    /// Returns the value of a to-many relationship.
    public func getValue<Value: RelationshipCollection & Decodable, OtherModel>(
        forKey keyPath: KeyPath<Self, Value>
    ) -> Value where OtherModel == Value.PersistentElement { core.get(keyPath) }
    /// Returns the value of a transformable attribute.
    public func getTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value { core.get(keyPath) }
    /// Returns the value of a transformable attribute.
    @_disfavoredOverload
    public func getValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value { core.get(keyPath) }

    private func set<Value>(_ keyPath: KeyPath<Self, Value>, _ newValue: Value) {
        let core = core
        core.setValue(core.info.property(keyPath).number, newValue, of: self)
    }

    /// Sets an attribute.
    public func setValue<Value: Encodable>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        set(keyPath, newValue)
    }
    /// Sets a to-one relationship.
    public func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        set(keyPath, newValue)
    }
    /// Sets a to-one relationship.
    public func setValue<Value: PersistentModel & Encodable>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        set(keyPath, newValue)
    }
    /// Sets a to-one relationship.
    public func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Self, Value?>, to newValue: Value?) {
        set(keyPath, newValue)
    }
    /// Sets a to-one relationship.
    public func setValue<Value: PersistentModel & Encodable>(
        forKey keyPath: KeyPath<Self, Value?>, to newValue: Value?
    ) {
        set(keyPath, newValue)
    }
    /// Sets a to-many relationship.
    public func setValue<Value: RelationshipCollection, OtherModel>(
        forKey keyPath: KeyPath<Self, Value>, to newValue: Value
    ) where OtherModel == Value.PersistentElement {
        set(keyPath, newValue)
    }
    /// Sets a to-many relationship.
    public func setValue<Value: RelationshipCollection & Encodable, OtherModel>(
        forKey keyPath: KeyPath<Self, Value>, to newValue: Value
    ) where OtherModel == Value.PersistentElement {
        set(keyPath, newValue)
    }
    /// Sets a transformable attribute.
    public func setTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        set(keyPath, newValue)
    }
    /// Sets a transformable attribute.
    @_disfavoredOverload
    public func setValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        set(keyPath, newValue)
    }
}

extension BackingData {
    /// Traps: a model needs the backing data that `createBackingData()` returns.
    public var _core: _ModelCore {
        fatalError("SwiftData: custom backing data is not supported: \(type(of: self)); use createBackingData()")
    }
    /// Sets a transformable attribute. Called by the code of `@Model`.
    @_disfavoredOverload
    public func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
        setTransformableValue(forKey: key, to: newValue)
    }
    /// Returns the value of a transformable attribute. Called by the code of `@Model`.
    @_disfavoredOverload
    public func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { getTransformableValue(forKey: key) }
}
