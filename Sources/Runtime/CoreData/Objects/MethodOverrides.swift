internal import CCoreDataSupport
internal import Foundation
internal import RuntimeSupport

/// Determines which classes override methods that a save calls for each object or each of its properties.
///
/// Calling validation for each property boxes every value, and tracking which objects received `willSave` takes a
/// table: the slowest parts of a save, for methods that hardly any class overrides. Swift cannot tell whether a class
/// does, but its vtables can: the position of a method is found by comparing the vtables of two classes in this file.
enum MethodOverrides {
    /// Returns whether a class or a superclass overrides `validateValue(_:forKey:)`. True if unknown.
    static func checksValues(_ objectClass: NSManagedObject.Type) -> Bool { overrides(objectClass, validationPosition) }

    /// Returns whether a class or a superclass overrides `willSave()`. True if unknown.
    static func preparesSaves(_ objectClass: NSManagedObject.Type) -> Bool { overrides(objectClass, savePosition) }

    /// Returns whether a class or a superclass overrides `validateForInsert()` or `validateForUpdate()`. True if
    /// unknown.
    static func checksObjects(_ objectClass: NSManagedObject.Type) -> Bool {
        overrides(objectClass, insertionPosition) || overrides(objectClass, updatePosition)
    }

    /// Returns whether a class or a superclass overrides `validateForDelete()`. True if unknown.
    static func checksDeletions(_ objectClass: NSManagedObject.Type) -> Bool {
        overrides(objectClass, deletionPosition)
    }

    private static func overrides(_ objectClass: NSManagedObject.Type, _ position: Int) -> Bool {
        guard position > 0 else { return objectClass != NSManagedObject.self }
        return !cd_has_method(metadata(objectClass), metadata(NSManagedObject.self), position)
    }

    private static let validationPosition = position(CheckingObject.self)
    private static let savePosition = position(PreparingObject.self)
    private static let insertionPosition = position(InsertionCheckingObject.self)
    private static let updatePosition = position(UpdateCheckingObject.self)
    private static let deletionPosition = position(DeletionCheckingObject.self)

    /// Returns the vtable position of the only method that a class overrides, or 0 if it is unknown.
    private static func position(_ overriding: NSManagedObject.Type) -> Int {
        cd_method_place(metadata(NSManagedObject.self), metadata(overriding), metadata(PlainObject.self))
    }

    private static func metadata(_ objectClass: NSManagedObject.Type) -> UnsafeRawPointer {
        unsafeBitCast(objectClass, to: UnsafeRawPointer.self)
    }
}

/// A class that overrides `validateValue(_:forKey:)`.
private final class CheckingObject: NSManagedObject {
    override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        misuse("there are no objects of this class")
    }
}

/// A class that overrides `willSave()`.
private final class PreparingObject: NSManagedObject {
    override func willSave() { misuse("there are no objects of this class") }
}

/// A class that overrides `validateForInsert()`.
private final class InsertionCheckingObject: NSManagedObject {
    override func validateForInsert() throws { misuse("there are no objects of this class") }
}

/// A class that overrides `validateForUpdate()`.
private final class UpdateCheckingObject: NSManagedObject {
    override func validateForUpdate() throws { misuse("there are no objects of this class") }
}

/// A class that overrides `validateForDelete()`.
private final class DeletionCheckingObject: NSManagedObject {
    override func validateForDelete() throws { misuse("there are no objects of this class") }
}

/// A class that overrides nothing.
private final class PlainObject: NSManagedObject {}
