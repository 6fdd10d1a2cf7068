package import Foundation

/// An object whose properties predicates and expressions can read by name, without an Objective-C runtime.
///
/// Managed objects conform. For other classes stored properties are found by reflection, which is slower and does not find
/// computed properties.
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
    /// Returns the value of a property; nil if it has none.
    ///
    /// An unknown key is misuse: trap with the key and the type, as `valueForUndefinedKey:` raises
    /// `NSUnknownKeyException` on Apple's platforms.
    func value(forKey key: String) -> Any?
}

/// An object whose properties have numbers, so that reading one needs neither its name nor a box.
///
/// A number holds for all objects with the same table. An evaluation asks for it once and keeps it until an object with
/// another table comes.
package protocol SlotReadable: KeyValueReadable {
    /// What the numbers belong to: the same object for all instances of a layout.
    var slotTable: AnyObject { get }

    /// The identity of `slotTable`, which is read for every object and so should not count references.
    var slotTableID: ObjectIdentifier { get }

    /// Returns the number of a property, not negative; nil for a key that has none, which is then asked for by
    /// `value(forKey:)`.
    func slot(forKey key: String) -> Int?

    /// Returns the value of the property with a number.
    func slotValue(_ slot: Int) -> PredicateValue

    /// What stands for the object in a store, such as its object ID; nil if nothing does. To operators the two are equal,
    /// and so are two objects with equal ones: a store compares identifiers, and gets no others to compare.
    var predicateIdentity: NSObject? { get }
}

extension SlotReadable {
    /// Nothing stands for the object unless it says so.
    package var predicateIdentity: NSObject? { nil }
}
