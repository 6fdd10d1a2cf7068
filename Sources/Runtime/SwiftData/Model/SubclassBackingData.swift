internal import Foundation

/// The values that the initializer of a subclass sets before that of its superclass runs. Used by the code of `@Model`.
public final class _SubclassBackingData<Model: PersistentModel> {
    /// The values.
    let _core = _ModelCore(ModelInfo.of(Model.self), isPart: true)
    private var isJoined = false

    /// Creates the values. Called by the code of `@Model`.
    public init() {}

    /// Returns the values.
    public func _make() -> _ModelCore { _core }

    /// The number of properties that superclasses declare.
    public static var base: Int { ModelInfo.of(Model.self).inheritedCount }

    /// Adds the values to those of the superclass.
    ///
    /// - Returns: The values of the superclass.
    public func joining<Root: PersistentModel>(_ backing: any BackingData<Root>) -> any BackingData<Root> {
        if !isJoined {
            isJoined = true
            backing._core.adopt(_core, base: Self.base)
        }
        return backing
    }

    /// Sets a property.
    public func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
        let core = _core
        core._initialize(core.info.property(key).number - Self.base, to: newValue)
    }
}
