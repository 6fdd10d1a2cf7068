/// What the code of a model class needs to create the storage of a model. Used by the code of `@Model`.
public struct _ModelClass: @unchecked Sendable {
    /// The information, which lives as long as the process.
    fileprivate unowned(unsafe) let info: ModelInfo

    /// Looks up a class. Called by the code of `@Model`, once for each class.
    ///
    /// - Parameter type: The class.
    public init<Model: PersistentModel>(_ type: Model.Type) { info = ModelInfo.of(type) }
}

/// The storage of a model, which creates its values when the first one is set: a fetched model adopts others. Used by
/// the code of `@Model`, and by code that is written like it, as `BackingData`.
public struct _ModelStorage<Model: PersistentModel> {
    @usableFromInline var core: _ModelCore?
    private let type: _ModelClass

    /// Creates storage. Called by the code of `@Model`.
    public init(_ type: _ModelClass) { self.type = type }

    /// The values; `nil` for a model none of whose properties was set.
    @inlinable public var _existing: _ModelCore? { core }

    /// Returns the values.
    public mutating func _make() -> _ModelCore {
        if let core { return core }
        let new = _ModelCore(type.info)
        core = new
        return new
    }

    /// Adopts values.
    public mutating func _adopt(_ core: _ModelCore) { self.core = core }

    /// Adopts the values of backing data.
    public mutating func _adopt(_ backingData: any BackingData<Model>) { core = backingData._core }

    /// Returns the values as backing data.
    public mutating func _backingData() -> any BackingData<Model> { DefaultBackingData(_make()) }

    /// Sets a property in an initializer.
    public mutating func setValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
        let core = _make()
        core._initialize(core.info.property(keyPath).number, to: newValue)
    }
}
