internal import Foundation

/// The storage of a model's properties.
public protocol BackingData<Model> {
    /// The class.
    associatedtype Model: PersistentModel

    /// Creates the storage of a new model.
    init(for modelType: Model.Type)
    /// The model's identifier; `nil` for a model that was never inserted.
    var persistentModelID: PersistentIdentifier? { get set }
    /// Details of the storage.
    var metadata: Any { get }
    /// The values. Only this module's backing data has them.
    var _core: _ModelCore { get }

    /// Returns the value of an attribute.
    func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable
    /// Returns the value of a to-one relationship.
    func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: PersistentModel
    /// Returns the value of a to-one relationship.
    func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel
    /// Returns the value of a to-many relationship.
    func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement
    /// Returns the value of a to-many relationship.
    func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, Value: Decodable, OtherModel == Value.PersistentElement
    /// Returns the value of a transformable attribute.
    func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

    /// Sets an attribute.
    func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable
    /// Sets a to-one relationship.
    func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel
    /// Sets a to-one relationship.
    func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel
    /// Sets a to-many relationship.
    func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement
    /// Sets a to-many relationship.
    func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, Value: Encodable, OtherModel == Value.PersistentElement
    /// Sets a transformable attribute.
    func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

/// A collection of models that a to-many relationship holds: an array, or an optional of one.
public protocol RelationshipCollection {
    /// The class of the models.
    associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
    /// The class of the models.
    public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection where Wrapped: RelationshipCollection {
    /// The class of the models.
    public typealias PersistentElement = Wrapped.PersistentElement
}

/// The storage of models in a `ModelContext`.
struct DefaultBackingData<Model: PersistentModel>: BackingData {
    let _core: _ModelCore

    init(for modelType: Model.Type) { self.init(_ModelCore(ModelInfo.of(modelType))) }

    init(_ core: _ModelCore) { _core = core }

    var persistentModelID: PersistentIdentifier? {
        get { _core.identifier }
        nonmutating set { if let newValue { _core.unattached = newValue } }
    }

    var metadata: Any { _core.info.entityName }

    private func get<V>(_ key: AnyKeyPath) -> V { _core.get(key) }
    private func initialize<V>(_ key: AnyKeyPath, to value: V) {
        _core._initialize(_core.info.property(key).number, to: value)
    }

    func getValue<V: Decodable>(forKey key: KeyPath<Model, V>) -> V { get(key) }
    func getValue<V: PersistentModel>(forKey key: KeyPath<Model, V>) -> V { get(key) }
    func getValue<V: PersistentModel>(forKey key: KeyPath<Model, V?>) -> V? { get(key) }
    func getValue<V: RelationshipCollection, O>(forKey key: KeyPath<Model, V>) -> V where O == V.PersistentElement {
        get(key)
    }
    func getValue<V: RelationshipCollection & Decodable, O>(forKey key: KeyPath<Model, V>) -> V
    where O == V.PersistentElement { get(key) }
    func getTransformableValue<V>(forKey key: KeyPath<Model, V>) -> V { get(key) }

    func setValue<V: Encodable>(forKey key: KeyPath<Model, V>, to newValue: V) {
        initialize(key, to: newValue)
    }
    func setValue<V: PersistentModel>(forKey key: KeyPath<Model, V>, to newValue: V) {
        initialize(key, to: newValue)
    }
    func setValue<V: PersistentModel>(forKey key: KeyPath<Model, V?>, to newValue: V?) {
        initialize(key, to: newValue)
    }
    func setValue<V: RelationshipCollection, O>(forKey key: KeyPath<Model, V>, to newValue: V)
    where O == V.PersistentElement { initialize(key, to: newValue) }
    func setValue<V: RelationshipCollection & Encodable, O>(forKey key: KeyPath<Model, V>, to newValue: V)
    where O == V.PersistentElement { initialize(key, to: newValue) }
    func setTransformableValue<V>(forKey key: KeyPath<Model, V>, to newValue: V) {
        initialize(key, to: newValue)
    }
}
