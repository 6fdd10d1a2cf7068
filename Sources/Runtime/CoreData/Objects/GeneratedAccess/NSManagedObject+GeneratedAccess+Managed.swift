internal import Foundation
internal import RuntimeSupport

/// Functions called by the accessors that modelc's build plugin adds to handwritten `@NSManaged` declarations, whose
/// types modelc would not generate. Not meant to be called by hand.
extension NSManagedObject {
    /// Returns the value of a property, cast to any type that it can be cast to.
    ///
    /// Without a value, a non-optional type returns its empty value: an empty string, collection or `Data`, as Apple's
    /// bridging does. Traps for a type without an empty value.
    public final func readManaged<Value>(_ key: StaticString) -> Value {
        if isStandIn, let object: Value = standIn(for: "\(key)") { return object }
        return ManagedValue.cast(value(forKey: "\(key)"), "\(key)", self)
    }

    /// Writes a property.
    public final func writeManaged<Value>(_ value: Value, _ key: StaticString) {
        setValue(value, forKey: "\(key)")
    }

    /// Returns an enumeration case from its raw value, as Apple's runtime does for Objective-C enumerations. Traps if
    /// the enumeration has no such case.
    public final func readManaged<Value: RawRepresentable>(_ key: StaticString) -> Value
    where Value.RawValue: BinaryInteger {
        let raw = (value(forKey: "\(key)") as? NSNumber)?.int64Value ?? 0
        guard let value = Value.RawValue(exactly: raw).flatMap(Value.init(rawValue:)) else {
            if isStandIn, let value: Value = standInCase(for: "\(key)") { return value }
            misuse(
                "NSInternalInconsistencyException",
                "\(type(of: self)).\(key) is \(raw), which is not a raw value of \(Value.self)")
        }
        return value
    }

    /// Writes an enumeration as its raw value.
    public final func writeManaged<Value: RawRepresentable>(_ value: Value, _ key: StaticString)
    where Value.RawValue: BinaryInteger {
        setValue(NSNumber(value: Int64(truncatingIfNeeded: value.rawValue)), forKey: "\(key)")
    }

    /// Returns a primitive value: for `primitiveName`, which Core Data provides for every `name`.
    public final func readPrimitive<Value>(_ key: StaticString) -> Value {
        if isStandIn, let object: Value = standIn(for: "\(key)") { return object }
        return ManagedValue.cast(primitiveValue(forKey: "\(key)"), "\(key)", self)
    }

    /// Writes a primitive value.
    public final func writePrimitive<Value>(_ value: Value, _ key: StaticString) {
        setPrimitiveValue(value, forKey: "\(key)")
    }

    /// Returns the property called `primitiveName` if the entity declares one, otherwise the primitive value of `name`.
    public final func readPrimitive<Value>(_ key: StaticString, unlessDeclared name: StaticString) -> Value {
        layout.index(of: "\(name)") == nil ? readPrimitive(key) : readManaged(name)
    }

    /// Writes the property called `primitiveName` if the entity declares one, otherwise the primitive value of `name`.
    public final func writePrimitive<Value>(_ value: Value, _ key: StaticString, unlessDeclared name: StaticString) {
        if layout.index(of: "\(name)") == nil { writePrimitive(value, key) } else { writeManaged(value, name) }
    }
}

/// Casts values to the types of properties.
private enum ManagedValue {
    static func cast<Value>(_ value: Any?, _ key: String, _ object: NSManagedObject) -> Value {
        if let value = value as? Value { return value }
        // Swift does not cast a number inside an `Any?` to `Int?` and similar types.
        if let number = value as? NSNumber, let value = number as? Value { return value }
        if object.isStandIn, let value = NeutralValue.make(Value.self) { return value }
        if value == nil {
            if let empty = (Value.self as? any EmptyWithoutValue.Type)?.init() as? Value { return empty }
            misuse(
                "NSInternalInconsistencyException",
                "\(type(of: object)).\(key) has no value, and its type \(Value.self) has none that stands for that")
        }
        misuse(
            "NSInternalInconsistencyException",
            "the value of \(type(of: object)).\(key) is a \(value.map { "\(type(of: $0))" } ?? "nil") and no \(Value.self)"
        )
    }
}
