internal import Foundation
internal import RuntimeSupport

/// Finds migration policies and their methods by name.
enum MigrationPolicies {
    /// The name of the class that modelc generates for a module.
    private static let tableName = "_MigrationPolicyMethods"

    /// Returns the policy class with a name, which is `Class`, `Module.Class` or from `@objc(Name)`; `nil` if there is
    /// none.
    ///
    /// A class of another module is used if the named module has none: an app's tests use different modules than the
    /// app.
    static func policyClass(named name: String) -> NSEntityMigrationPolicy.Type? {
        if name == "NSEntityMigrationPolicy" { return NSEntityMigrationPolicy.self }
        let plain = name.split(separator: ".").last.map(String.init) ?? name
        let found = NamedClasses.all(plain).compactMap { $0 as? NSEntityMigrationPolicy.Type }
        if let exact = found.first(where: { String(reflecting: $0) == name }) { return exact }
        let nearest = found.min {
            String(reflecting: $0).split(separator: ".").count < String(reflecting: $1).split(separator: ".").count
        }
        return nearest ?? tables().lazy.compactMap { $0.classNames[plain] }.first
    }

    /// Returns the method of a policy class or of one of its superclasses, or `nil` if none is registered.
    static func method(
        _ selector: String, of policyClass: NSEntityMigrationPolicy.Type
    ) -> ((NSEntityMigrationPolicy, [Any?]) throws -> Any?)? {
        let methods = tables().flatMap(\.methods).filter { $0.selector == selector }
        var next: AnyClass? = policyClass
        while let current = next as? NSEntityMigrationPolicy.Type {
            if let method = methods.first(where: { $0.policyClass == current }) { return method.call }
            next = _getSuperclass(current)
        }
        return nil
    }

    private static func tables() -> [MigrationPolicyMethods.Type] {
        NamedClasses.all(tableName).compactMap { $0 as? MigrationPolicyMethods.Type }
    }
}
