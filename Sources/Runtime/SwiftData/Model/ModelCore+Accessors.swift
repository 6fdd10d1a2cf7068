internal import Observation

/// What the accessors of `@Model` call. Not meant to be called by hand.
extension _ModelCore {
    /// Returns the value of a property, and reports the access to observers.
    @inlinable
    public func get<Model: PersistentModel, Value>(
        _ number: Int, of model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>
    ) -> Value {
        if ModelObservation.isEnabled { _access(model, keyPath()) }
        return _value(number)
    }

    /// Returns the value of a property, and reports the access to observers.
    @inlinable
    public func get<Model: PersistentModel, Value: _DirectValue>(
        _ number: Int, of model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>
    ) -> Value {
        if ModelObservation.isEnabled { _access(model, keyPath()) }
        let slot = _directSlot(number)
        if slot >= 0, let value = Value._read(self, slot) { return value }
        return _value(number)
    }

    /// Returns the value of a property, and reports the access to observers.
    @inlinable
    public func get<Model: PersistentModel, Value: _DirectValue>(
        _ number: Int, of model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value?>
    ) -> Value? {
        if ModelObservation.isEnabled { _access(model, keyPath()) }
        let slot = _directSlot(number)
        return slot >= 0 ? Value._read(self, slot) : _value(number)
    }

    /// Sets a property, and notifies observers.
    public func set<Model: PersistentModel, Value>(
        _ number: Int, of model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>, to value: Value
    ) {
        guard let registrar else { return setValue(number, value, of: model) }
        registrar.withMutation(of: model, keyPath: keyPath()) { setValue(number, value, of: model) }
    }

    /// Sets a property, and notifies observers.
    @inlinable
    public func set<Model: PersistentModel, Value: _DirectValue>(
        _ number: Int, of model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>, to value: Value
    ) {
        let slot = _changeableSlot(number)
        if slot >= 0 { Value._write(value, to: self, at: slot) } else { _set(number, of: model, keyPath(), to: value) }
    }

    /// Sets a property, and notifies observers.
    @inlinable
    public func set<Model: PersistentModel, Value: _DirectValue>(
        _ number: Int, of model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value?>, to value: Value?
    ) {
        let slot = _changeableSlot(number)
        if slot >= 0 { Value._write(value, to: self, at: slot) } else { _set(number, of: model, keyPath(), to: value) }
    }

    /// Sets a property in an initializer.
    public func initialize<Value>(_ number: Int, to value: Value) {
        if object == nil { keep(number, .other(value)) } else { store(number, value) }
    }

    /// Sets a property in an initializer.
    @inlinable
    public func initialize<Value: _DirectValue>(_ number: Int, to value: Value) {
        if _holdsDirectly(number) { Value._hold(value, in: self, at: number) } else { _initialize(number, to: value) }
    }

    /// Sets a property in an initializer.
    @inlinable
    public func initialize<Value: _DirectValue>(_ number: Int, to value: Value?) {
        if _holdsDirectly(number) { Value._hold(value, in: self, at: number) } else { _initialize(number, to: value) }
    }

    /// Sets a relationship in an initializer.
    @inlinable
    public func initialize<Value: PersistentModel>(_ number: Int, to value: Value?) {
        if value != nil || !_holdsNil(number) { _initialize(number, to: value) }
    }

    // MARK: Parts of accessors

    /// Returns the slot of a value that is read directly; -1 if there is none.
    public func _directSlot(_ number: Int) -> Int { directSlots.indices.contains(number) ? directSlots[number] : -1 }

    /// Returns the slot of a value that is written directly: the model's change is recorded, and nothing observes the
    /// model. -1 if there is none.
    public func _changeableSlot(_ number: Int) -> Int {
        guard let contextState, changeEpoch == contextState.pointee.epoch, !contextState.pointee.schedulesSaves,
            !hasRegistrar
        else { return -1 }
        return _directSlot(number)
    }

    /// Returns whether the value of a model that is in no context is kept without a box.
    public func _holdsDirectly(_ number: Int) -> Bool {
        object == nil && !isPart && info.accesses[number].isDirect
    }

    /// Keeps `nil` for a model that is in no context. Returns whether the model is in none.
    public func _holdsNil(_ number: Int) -> Bool {
        guard object == nil else { return false }
        keep(number, .null)
        return true
    }

    /// Returns the value of a property.
    public func _value<Value>(_ number: Int) -> Value { value(number) }

    /// Sets a property, and notifies observers.
    public func _set<Model: PersistentModel, Value>(
        _ number: Int, of model: Model, _ keyPath: KeyPath<Model, Value>, to value: Value
    ) {
        set(number, of: model, keyPath, to: value)
    }

    /// Sets a property in an initializer.
    public func _initialize<Value>(_ number: Int, to value: Value) { initialize(number, to: value) }

    /// Reports an access to observers.
    public func _access<Model: PersistentModel, Value>(_ model: Model, _ keyPath: KeyPath<Model, Value>) {
        access(model, keyPath)
    }
}
