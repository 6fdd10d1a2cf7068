internal import CoreData
internal import Foundation

/// Reads and writes a property of models in a context.
class PropertyAccess {
    let name: String
    let number: Int
    /// How values are stored; `nil` for a relationship.
    let kind: PropertyKind?
    /// Whether the values are those of one slot, and of a type whose accessors use the slot directly.
    let isDirect: Bool

    init(name: String, number: Int, kind: PropertyKind?) {
        self.name = name
        self.number = number
        self.kind = kind
        isDirect = if case .simple(let type)? = kind { type is any _DirectValue.Type } else { false }
    }

    /// The class at the other end, for relationships.
    var destination: (any PersistentModel.Type)? { nil }

    /// Whether the property is a to-many relationship.
    var isToMany: Bool { false }

    /// Notifies the observers of a model that the property changes.
    func announceChange(_ model: any PersistentModel, _ keyPath: AnyKeyPath, phase: ChangePhase) {
        fatalError("abstract")
    }

    /// Writes a value that was set before the model was inserted.
    func initialize(_ core: _ModelCore, from value: Any) { fatalError("abstract") }

    /// Returns the value of a model in a context; `nil` if a required property has none.
    func current(_ core: _ModelCore) -> Any? { fatalError("abstract") }

    /// Returns the value, without its optional, for one of key-value coding; `nil` if that has another type.
    func value(ofStored stored: Any) -> Any? { nil }

    /// Whether there is a value for a model whose reads are recorded.
    func hasSample(_ recorder: PropertyRecorder) -> Bool { fatalError("abstract") }

    /// Returns the value of a constant.
    func copy(_ core: _ModelCore, to location: UnsafeMutableRawPointer) { fatalError("abstract") }

    /// Returns the access for a type of values, or the reason why they cannot be stored.
    static func make(
        _ type: any Any.Type, name: String, number: Int, attribute: Schema.Attribute?
    ) -> (PropertyAccess, SchemaProblem?) {
        func untyped<V>(_: V.Type) -> PropertyAccess { UnsupportedAccess<V>(name: name, number: number, kind: nil) }
        let (wrapped, isOptional) = PropertyKind.unwrapped(type)
        if attribute?.transformerName != nil {
            func make<V>(_: V.Type) -> PropertyAccess { TransformableAccess<V>(name: name, number: number, kind: nil) }
            return (_openExistential(type, do: make), nil)
        }
        if let model = wrapped as? any PersistentModel.Type {
            func make<M: PersistentModel>(_: M.Type) -> PropertyAccess {
                isOptional
                    ? OptionalToOneAccess<M>(name: name, number: number, kind: nil)
                    : ToOneAccess<M>(name: name, number: number, kind: nil)
            }
            return (make(model), nil)
        }
        if let collection = type as? any ModelCollection.Type {
            func make<C: ModelCollection>(_: C.Type) -> PropertyAccess {
                ToManyAccess<C>(name: name, number: number, kind: nil)
            }
            return (make(collection), nil)
        }
        do {
            let kind = try attribute?.isCodable == true ? PropertyKind.encoded(wrapped) : PropertyKind.of(wrapped)
            if case .simple(let simple) = kind {
                func make<S: SimpleValue>(_: S.Type) -> PropertyAccess {
                    isOptional
                        ? OptionalAccess<S>(name: name, number: number, kind: kind)
                        : SimpleAccess<S>(name: name, number: number, kind: kind)
                }
                return (make(simple), nil)
            }
            func make<V>(_: V.Type) -> PropertyAccess { CodableAccess<V>(name: name, number: number, kind: kind) }
            var problem: SchemaProblem?
            if case .provisional(let what) = kind {
                problem = SchemaProblem(
                    message: "“\(name)” is \(what), and how Apple's SwiftData stores it is unknown", isProvisional: true
                )
            }
            return (_openExistential(type, do: make), problem)
        } catch {
            let reason = (error as? PropertyKind.Unsupported)?.reason ?? "\(error)"
            return (
                _openExistential(type, do: untyped), SchemaProblem(message: "“\(name)” cannot be stored: \(reason)")
            )
        }
    }
}

/// Access to a property with values of a type.
class TypedAccess<Value>: PropertyAccess {
    /// Returns the value of a model in a context.
    func read(_ core: _ModelCore) -> Value { fatalError("abstract") }

    /// Sets the value of a model in a context.
    func write(_ value: Value, _ core: _ModelCore) { fatalError("abstract") }

    /// Returns the value of a model that was not set before its insertion.
    func unset(_ core: _ModelCore) -> Value {
        if let type = Value.self as? any OptionalProperty.Type, let none = type.none as? Value { return none }
        core.trap("“\(name)” was read before it was set")
    }

    /// Returns the value of a model that is in no context, from the form that has no box.
    func value(of held: DetachedValue) -> Value? { nil }

    /// Returns the context of the models in a value, for relationships.
    func context(of value: Value) -> ModelContext? { nil }

    final override func announceChange(_ model: any PersistentModel, _ keyPath: AnyKeyPath, phase: ChangePhase) {
        announce(model, keyPath, phase: phase)
    }

    /// Returns any value, for a model whose reads are recorded; `nil` if none is known to be valid.
    func sample(_ recorder: PropertyRecorder) -> Value? {
        (Value.self as? any OptionalProperty.Type).flatMap { $0.none as? Value }
    }

    final override func hasSample(_ recorder: PropertyRecorder) -> Bool {
        if case .some = sample(recorder) { true } else { false }
    }

    final override func initialize(_ core: _ModelCore, from value: Any) {
        guard let value = Unboxed<Value>.value(of: value) else {
            core.trap("“\(name)” is not of the type \(Value.self)")
        }
        initialize(core, value)
    }

    /// Writes a value that was set before the model was inserted.
    func initialize(_ core: _ModelCore, _ value: Value) { write(value, core) }

    final override func current(_ core: _ModelCore) -> Any? { hasValue(core) ? read(core) as Any : nil }

    /// Whether a model in a context has a value; `true` if `nil` is one.
    func hasValue(_ core: _ModelCore) -> Bool {
        Value.self is any OptionalProperty.Type || core.managed.value(ofSlot: core.slot(number)) != nil
    }

    final override func copy(_ core: _ModelCore, to location: UnsafeMutableRawPointer) {
        location.assumingMemoryBound(to: Value.self).pointee = read(core)
    }
}

/// A property whose values cannot be stored. Its model cannot be used in a container.
final class UnsupportedAccess<Value>: TypedAccess<Value> {}

/// A required attribute in one column. Access to common types is compiled for them.
final class SimpleAccess<Value: SimpleValue>: TypedAccess<Value> {
    override func value(of held: DetachedValue) -> Value? { held.storedObject.flatMap(Value.init(storedObject:)) }

    override func value(ofStored stored: Any) -> Any? { Value(storedObject: stored) }

    @_specialize(where Value == String)
    @_specialize(where Value == Int)
    @_specialize(where Value == Int64)
    @_specialize(where Value == Double)
    @_specialize(where Value == Bool)
    @_specialize(where Value == Date)
    @_specialize(where Value == UUID)
    override func read(_ core: _ModelCore) -> Value {
        Value.read(core.managed, core.slot(number)) ?? core.missingValue(name)
    }

    @_specialize(where Value == String)
    @_specialize(where Value == Int)
    @_specialize(where Value == Int64)
    @_specialize(where Value == Double)
    @_specialize(where Value == Bool)
    @_specialize(where Value == Date)
    @_specialize(where Value == UUID)
    override func write(_ value: Value, _ core: _ModelCore) {
        Value.write(value, object: core.managed, slot: core.slot(number))
    }

    override func sample(_ recorder: PropertyRecorder) -> Value? { Value.sample(recorder.round) }
}

/// An optional attribute in one column. Access to common types is compiled for them.
final class OptionalAccess<Value: SimpleValue>: TypedAccess<Value?> {
    override func value(of held: DetachedValue) -> Value?? { held.storedObject.flatMap(Value.init(storedObject:)) }

    override func value(ofStored stored: Any) -> Any? { Value(storedObject: stored) }

    @_specialize(where Value == String)
    @_specialize(where Value == Int)
    @_specialize(where Value == Int64)
    @_specialize(where Value == Double)
    @_specialize(where Value == Bool)
    @_specialize(where Value == Date)
    @_specialize(where Value == UUID)
    override func read(_ core: _ModelCore) -> Value? { Value.read(core.managed, core.slot(number)) }

    @_specialize(where Value == String)
    @_specialize(where Value == Int)
    @_specialize(where Value == Int64)
    @_specialize(where Value == Double)
    @_specialize(where Value == Bool)
    @_specialize(where Value == Date)
    @_specialize(where Value == UUID)
    override func write(_ value: Value?, _ core: _ModelCore) {
        Value.write(value, object: core.managed, slot: core.slot(number))
    }

    override func sample(_ recorder: PropertyRecorder) -> Value?? {
        .some(recorder.round == 1 ? nil : Value.sample(recorder.round))
    }
}

/// An attribute that a value transformer converts.
final class TransformableAccess<Value>: TypedAccess<Value> {
    override func read(_ core: _ModelCore) -> Value {
        guard let stored = core.managed.value(ofSlot: core.slot(number)) else { return unset(core) }
        guard let value = stored as? Value else { core.trapMissing(name, Value.self) }
        return value
    }

    override func value(ofStored stored: Any) -> Any? {
        guard let value = stored as? Value else { return nil }
        return (value as? any OptionalProperty).map(\.wrapped) ?? value
    }

    override func write(_ value: Value, _ core: _ModelCore) {
        let object = (value as? any OptionalProperty).map(\.wrapped) ?? value
        core.managed.setValue(object, ofSlot: core.slot(number))
    }
}

/// An attribute with an array or a Codable value.
final class CodableAccess<Value>: TypedAccess<Value> {
    private let type = PropertyKind.unwrapped(Value.self).type

    override func read(_ core: _ModelCore) -> Value {
        let stored = core.managed.value(ofSlot: core.slot(number))
        do {
            guard let stored else {
                if Value.self is any OptionalProperty.Type { return unset(core) }
                if let value = withoutValues(core) { return value }
                core.trapMissing(name, Value.self)
            }
            guard let result = try decoded(stored) as? Value else { core.trapMissing(name, Value.self) }
            return result
        } catch {
            if (stored as? [String: Any])?.isEmpty == true, let value = withoutValues(core) { return value }
            // Values that were stored as null.
            if let stored, let value = try? decoded(stored, readsNullAsNaN: true) as? Value { return value }
            core.trap("the stored value of “\(name)” is not of the type \(Value.self): \(Self.text(error))")
        }
    }

    /// Returns the value of a row without values: a structure without them, or the initial value in the class's
    /// declaration, which a lightweight migration does not write into the columns of a composite attribute.
    private func withoutValues(_ core: _ModelCore) -> Value? {
        if case .structure? = kind, let value = try? decoded([String: Any]()) as? Value { return value }
        return core.info.properties[number].defaultValue as? Value
    }

    private static func text(_ error: any Error) -> String {
        switch error {
        case DecodingError.dataCorrupted(let context): context.debugDescription
        case DecodingError.keyNotFound(_, let context): context.debugDescription
        case let failure as CompositeEncoder.Failure: failure.reason
        default: "\(error)"
        }
    }

    override func value(ofStored stored: Any) -> Any? { (try? decoded(stored)) ?? nil }

    private func decoded(_ stored: Any, readsNullAsNaN: Bool = false) throws -> Any? {
        guard let kind else { return nil }
        switch kind {
        case .array:
            guard let array = type as? any ArrayValue.Type else { return nil }
            let elements = (stored as? NSArray).map { Array($0) } ?? stored as? [Any]
            return elements.flatMap { array.init(storedElements: $0) }
        case .json, .provisional:
            guard let data = stored as? Data, let type = type as? any Decodable.Type else { return nil }
            return try JSONDecoder().decode(type, from: data)
        default:
            guard let values = stored as? [String: Any], let type = type as? any Decodable.Type else { return nil }
            return try CompositeDecoder.decode(
                type, values: values, kind: kind, property: name, readsNullAsNaN: readsNullAsNaN)
        }
    }

    override func write(_ value: Value, _ core: _ModelCore) {
        do {
            core.managed.setValue(try encoded(value), ofSlot: core.slot(number))
        } catch {
            core.trap("“\(name)” cannot be encoded: \(Self.text(error))")
        }
    }

    override func sample(_ recorder: PropertyRecorder) -> Value? {
        let isOptional = Value.self is any OptionalProperty.Type
        if isOptional, recorder.round.isMultiple(of: 2) { return super.sample(recorder) }
        if let stored = kind?.sample(of: type, round: recorder.round), let value = try? decoded(stored) as? Value {
            return value
        }
        guard !isOptional, _isPOD(Value.self) else { return super.sample(recorder) }
        // Zero is the first case of an enumeration.
        return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { location in
            UnsafeMutableRawBufferPointer(location).initializeMemory(as: UInt8.self, repeating: 0)
            return location[0]
        }
    }

    private func encoded(_ value: Value) throws -> Any? {
        let wrapped = (value as? any OptionalProperty).map(\.wrapped) ?? value
        guard let wrapped, let kind else { return nil }
        return try kind.storedObject(of: wrapped, property: name)
    }
}

/// Takes values out of `Any` without a dynamic cast, which takes ten times as long.
enum Unboxed<Value> {
    /// Whether `Any` holds values of the type in itself: three words, which can be moved.
    private static var isInline: Bool {
        MemoryLayout<Value>.size <= 3 * MemoryLayout<Int>.size
            && MemoryLayout<Value>.alignment <= MemoryLayout<Int>.alignment
    }

    /// Returns the value; `nil` if it has another type.
    static func value(of boxed: Any) -> Value? {
        guard isInline, type(of: boxed) == Value.self else { return boxed as? Value }
        return withUnsafeBytes(of: boxed) { bytes in
            bytes.baseAddress?.assumingMemoryBound(to: Value.self).pointee
        }
    }
}
