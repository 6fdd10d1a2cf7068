/// What the code of a model class needs to create the storage of a model. Used by the code of `@Model`.
public struct _ModelClass: @unchecked Sendable {
    /// The information, which exists as long as the process.
    fileprivate unowned(unsafe) let info: ModelInfo

    /// Looks up a class. Called by the code of `@Model`, once for each class.
    public init<Model: PersistentModel>(_ type: Model.Type) { info = ModelInfo.of(type) }
}

/// The storage of a model, which creates its values when the first one is set: a fetched model adopts others. Used by the code of
/// `@Model`, and by code that is written like it, as `BackingData`.
public struct _ModelStorage<Model: PersistentModel> {
    private var known: _ModelCore?
    private let type: _ModelClass

    /// Creates storage. Called by the code of `@Model`.
    public init(_ type: _ModelClass) { self.type = type }

    /// The values; nil for a model none of whose properties was set.
    public var _existing: _ModelCore? { known }

    /// Returns the values.
    public mutating func _make() -> _ModelCore {
        if let known { return known }
        let new = DefaultBackingData<Model>(type.info)
        known = new
        return new
    }

    /// Adopts the values of backing data.
    public mutating func _adopt(_ backingData: any BackingData<Model>) { known = backingData._core }

    /// Returns the values as backing data.
    public mutating func _backingData() -> any BackingData<Model> {
        // That of a subclass has another generic argument, and the same layout and behavior.
        Unmanaged<DefaultBackingData<Model>>.fromOpaque(Unmanaged.passUnretained(_make()).toOpaque())
            .takeUnretainedValue()
    }

    /// Sets a property in an initializer.
    public mutating func setValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
        let core = _make()
        core.initialize(core.info.property(keyPath).number, to: newValue)
    }
}
