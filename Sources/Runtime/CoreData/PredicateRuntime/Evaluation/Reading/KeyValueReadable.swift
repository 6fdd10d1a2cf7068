package import Foundation

/// An object whose properties predicates and expressions can read by name, without an Objective-C runtime.
///
/// Managed objects conform. For other classes, stored properties are read by reflection, which is slower and does not
/// find computed properties.
///
/// ```swift
/// final class Point: KeyValueReadable {
///     var x = 0.0
///     func value(forKey key: String) -> Any? {
///         guard key == "x" else { fatalError("unknown key \(key)") }
///         return x
///     }
/// }
/// ```
public protocol KeyValueReadable: AnyObject {
    /// Returns the value of a property, which may be `nil`.
    ///
    /// An unknown key is misuse: trap with the key and the type, as `valueForUndefinedKey:` raises
    /// `NSUnknownKeyException` on Apple's platforms.
    func value(forKey key: String) -> Any?
}

/// An object that reads key paths itself, because its subclasses may override how.
package protocol KeyPathReadable: KeyValueReadable {
    /// Returns the value at the end of a key path, which may be `nil`.
    func value(forKeyPath keyPath: String) -> Any?

    /// Returns the value by which stores sort: the stored one, rather than that of a handwritten accessor.
    func sortValue(forKeyPath keyPath: String) -> Any?
}

/// An object whose properties are numbered, so that reading one needs neither its name nor a box.
///
/// A slot number is valid for all objects with the same table. An evaluation looks it up once and keeps it until it
/// meets an object with another table.
package protocol SlotReadable: KeyValueReadable {
    /// The table that the slot numbers belong to: the same object for all instances of a layout.
    var slotTable: AnyObject { get }

    /// The identity of `slotTable`, which is read for every object and so avoids reference counting.
    var slotTableID: ObjectIdentifier { get }

    /// Returns the nonnegative slot number of a property, or `nil` for a key without one, whose value is then read with
    /// `value(forKey:)`.
    func slot(forKey key: String) -> Int?

    /// Returns the value of the property with a number.
    func slotValue(_ slot: Int) -> PredicateValue

    /// The object's identity in a store, such as its object ID; `nil` if there is none. Operators consider the object
    /// equal to its identity, and to objects with an equal one: a store can only compare identifiers.
    var predicateIdentity: NSObject? { get }
}

extension SlotReadable {
    /// Nil by default.
    package var predicateIdentity: NSObject? { nil }
}
