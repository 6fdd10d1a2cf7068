internal import CCoreDataSupport
internal import Foundation

/// Which classes override `validateValue(_:forKey:)`.
///
/// A class of one's own may check any property, and to ask it about each means to put every value of every saved object into an
/// object of its own: the longest part of a save, for a method that hardly any class overrides. Swift does not say whether one does, but
/// its tables of methods do: where they are is found by comparing the tables of two classes of this file.
enum ValidationOverrides {
    /// Whether a class, or one that it inherits from, checks properties by itself. True when that cannot be told.
    static func exist(in objectClass: NSManagedObject.Type) -> Bool {
        guard place > 0 else { return objectClass != NSManagedObject.self }
        return !cd_has_method(metadata(objectClass), metadata(NSManagedObject.self), place)
    }

    private static let place = cd_method_place(
        metadata(NSManagedObject.self), metadata(CheckingObject.self), metadata(PlainObject.self))

    private static func metadata(_ objectClass: NSManagedObject.Type) -> UnsafeRawPointer {
        unsafeBitCast(objectClass, to: UnsafeRawPointer.self)
    }
}

/// A class that overrides the method.
private final class CheckingObject: NSManagedObject {
    override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        misuse("there are no objects of this class")
    }
}

/// A class that overrides nothing.
private final class PlainObject: NSManagedObject {}
