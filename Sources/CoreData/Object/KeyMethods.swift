internal import Foundation

/// Finds `validate<Key>`, `keyPathsForValuesAffecting<Key>` and names of classes in the tables of the program's modules.
enum KeyMethods {
    /// What a class and its superclasses have.
    private struct Members {
        var validators: [String: (NSManagedObject, AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void] = [:]
        var dependencies: [String: () -> Set<String>] = [:]
        var objectiveCName: String?
    }

    /// Guarded by its lock.
    private final class Known: @unchecked Sendable {
        let lock = NSLock()
        var members: [ObjectIdentifier: Members] = [:]
        var names: [String: NSManagedObject.Type]?
    }

    private static let known = Known()
    /// The name of the class that modelc writes for a module.
    private static let tableName = "_ManagedKeyMethods"

    /// Returns whether a class has a method `validate<Key>`.
    static func hasValidators(_ objectClass: NSManagedObject.Type) -> Bool {
        !members(of: objectClass).validators.isEmpty
    }

    /// Returns the method `validate<Key>` of a class.
    static func validator(
        of objectClass: NSManagedObject.Type, forKey key: String
    ) -> ((NSManagedObject, AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void)? {
        let validators = members(of: objectClass).validators
        return validators.isEmpty ? nil : validators[capitalized(key)]
    }

    /// Returns what `keyPathsForValuesAffecting<Key>` of a class gives; empty when there is no such member.
    static func dependencies(of objectClass: NSManagedObject.Type, forKey key: String) -> Set<String> {
        members(of: objectClass).dependencies[capitalized(key)]?() ?? []
    }

    /// Returns the name that a class has by `@objc(Name)`, when that is not its own.
    static func objectiveCName(of objectClass: NSManagedObject.Type) -> String? {
        members(of: objectClass).objectiveCName
    }

    /// Returns the class that has a name by `@objc(Name)`.
    static func objectClass(objectiveCName name: String) -> NSManagedObject.Type? {
        if let names = known.lock.withLock({ known.names }) { return names[name] }
        let tables = ManagedObjectClasses.types(named: tableName).compactMap { $0 as? ManagedKeyMethods.Type }
        let names = tables.reduce(into: [:]) { names, table in
            names.merge(table.classNames) { first, _ in first }
        }
        known.lock.withLock { known.names = names }
        return names[name]
    }

    private static func capitalized(_ key: String) -> String { key.prefix(1).uppercased() + key.dropFirst() }

    private static func members(of objectClass: NSManagedObject.Type) -> Members {
        let id = ObjectIdentifier(objectClass)
        if let members = known.lock.withLock({ known.members[id] }) { return members }
        let members = read(objectClass)
        known.lock.withLock { known.members[id] = members }
        return members
    }

    /// Reads the tables of the modules that a class and its superclasses are declared in.
    private static func read(_ objectClass: NSManagedObject.Type) -> Members {
        var members = Members()
        var next: AnyClass? = objectClass
        while let current = next as? NSManagedObject.Type, current != NSManagedObject.self {
            let module = String(reflecting: current).prefix { $0 != "." }
            if let table = NSClassFromString("\(module).\(tableName)") as? ManagedKeyMethods.Type {
                // A method of a subclass overrides that of the same name, so that any of the two calls it.
                for validator in table.validators where validator.objectClass == current {
                    members.validators[validator.key] = members.validators[validator.key] ?? validator.call
                }
                for dependency in table.dependencies where dependency.objectClass == current {
                    members.dependencies[dependency.key] = members.dependencies[dependency.key] ?? dependency.keyPaths
                }
                if current == objectClass {
                    members.objectiveCName = table.classNames.first { $0.value == current }?.key
                }
            }
            next = _getSuperclass(current)
        }
        return members
    }
}
