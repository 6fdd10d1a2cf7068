internal import Foundation
internal import RuntimeSupport

/// Looks up `validate<Key>`, `keyPathsForValuesAffecting<Key>` and class names in the tables of the program's modules.
enum KeyMethods {
    /// The members of a class and its superclasses.
    private struct Members {
        var validators: [String: (NSManagedObject, AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void] = [:]
        var dependencies: [String: () -> Set<String>] = [:]
        var objectiveCName: String?
    }

    /// The lookups so far. Guarded by its lock.
    private final class Cache: @unchecked Sendable {
        let lock = NSLock()
        var members: [ObjectIdentifier: Members] = [:]
        var names: [String: NSManagedObject.Type]?
    }

    private static let cache = Cache()
    /// The name of the class that modelc generates for a module.
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

    /// Returns the result of a class's `keyPathsForValuesAffecting<Key>`, or an empty set if there is no such member.
    static func dependencies(of objectClass: NSManagedObject.Type, forKey key: String) -> Set<String> {
        members(of: objectClass).dependencies[capitalized(key)]?() ?? []
    }

    /// Returns the name given to a class with `@objc(Name)`, if it differs from the class's own.
    static func objectiveCName(of objectClass: NSManagedObject.Type) -> String? {
        members(of: objectClass).objectiveCName
    }

    /// Returns the class that has a name given with `@objc(Name)`.
    static func objectClass(objectiveCName name: String) -> NSManagedObject.Type? {
        if let names = cache.lock.withLock({ cache.names }) { return names[name] }
        let tables = NamedClasses.all(tableName).compactMap { $0 as? ManagedKeyMethods.Type }
        let names = tables.reduce(into: [:]) { names, table in
            names.merge(table.classNames) { first, _ in first }
        }
        cache.lock.withLock { cache.names = names }
        return names[name]
    }

    private static func capitalized(_ key: String) -> String { key.prefix(1).uppercased() + key.dropFirst() }

    private static func members(of objectClass: NSManagedObject.Type) -> Members {
        let id = ObjectIdentifier(objectClass)
        if let members = cache.lock.withLock({ cache.members[id] }) { return members }
        let members = read(objectClass)
        cache.lock.withLock { cache.members[id] = members }
        return members
    }

    /// Returns the members of a class and its superclasses, read from the tables of their modules.
    private static func read(_ objectClass: NSManagedObject.Type) -> Members {
        var members = Members()
        var next: AnyClass? = objectClass
        while let current = next as? NSManagedObject.Type, current != NSManagedObject.self {
            let module = String(reflecting: current).prefix { $0 != "." }
            if let table = NSClassFromString("\(module).\(tableName)") as? ManagedKeyMethods.Type {
                // A subclass's method overrides the one of the same name.
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
