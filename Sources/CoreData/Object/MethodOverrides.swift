internal import CCoreDataSupport
internal import Foundation

/// Which classes override methods that a save calls for each object, or each property of it.
///
/// Calling validation for each property boxes every value, and remembering which objects
/// received `willSave` takes a table: the longest parts of a save, for methods that hardly any class overrides. Swift does
/// not say whether one does, but its tables of methods do: where they are is found by comparing the tables of two classes of this
/// file.
enum MethodOverrides {
    /// Returns whether a class, or one that it inherits from, overrides `validateValue(_:forKey:)`. True when that
    /// cannot be told.
    static func checksValues(_ objectClass: NSManagedObject.Type) -> Bool { overrides(objectClass, validationPlace) }

    /// Returns whether a class, or one that it inherits from, overrides `willSave()`. True when that cannot be told.
    static func preparesSaves(_ objectClass: NSManagedObject.Type) -> Bool { overrides(objectClass, savePlace) }

    /// Returns whether a class, or one that it inherits from, overrides `validateForInsert()` or `validateForUpdate()`.
    /// True when that cannot be told.
    static func checksObjects(_ objectClass: NSManagedObject.Type) -> Bool {
        overrides(objectClass, insertionPlace) || overrides(objectClass, updatePlace)
    }

    private static func overrides(_ objectClass: NSManagedObject.Type, _ place: Int) -> Bool {
        guard place > 0 else { return objectClass != NSManagedObject.self }
        return !cd_has_method(metadata(objectClass), metadata(NSManagedObject.self), place)
    }

    private static let validationPlace = place(CheckingObject.self)
    private static let savePlace = place(PreparingObject.self)
    private static let insertionPlace = place(InsertionCheckingObject.self)
    private static let updatePlace = place(UpdateCheckingObject.self)

    /// Returns where the tables have the one method that a class overrides; 0 when they do not tell.
    private static func place(_ overriding: NSManagedObject.Type) -> Int {
        cd_method_place(metadata(NSManagedObject.self), metadata(overriding), metadata(PlainObject.self))
    }

    private static func metadata(_ objectClass: NSManagedObject.Type) -> UnsafeRawPointer {
        unsafeBitCast(objectClass, to: UnsafeRawPointer.self)
    }
}

/// A class that overrides the check of values.
private final class CheckingObject: NSManagedObject {
    override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        misuse("there are no objects of this class")
    }
}

/// A class that overrides the hook before a save.
private final class PreparingObject: NSManagedObject {
    override func willSave() { misuse("there are no objects of this class") }
}

/// A class that overrides the check of new objects.
private final class InsertionCheckingObject: NSManagedObject {
    override func validateForInsert() throws { misuse("there are no objects of this class") }
}

/// A class that overrides the check of changed objects.
private final class UpdateCheckingObject: NSManagedObject {
    override func validateForUpdate() throws { misuse("there are no objects of this class") }
}

/// A class that overrides nothing.
private final class PlainObject: NSManagedObject {}
