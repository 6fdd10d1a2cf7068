public import Foundation

/// The migration of the objects of one entity mapping. Subclasses override the steps that need code.
///
/// A migration creates one policy for each entity mapping and calls, in three passes over all mappings:
///
/// 1. `begin(_:with:)`, `createDestinationInstances(forSource:in:manager:)` for each source object,
///    `endInstanceCreation(forMapping:manager:)`;
/// 2. `createRelationships(forDestination:in:manager:)` for each destination object,
///    `endRelationshipCreation(forMapping:manager:)`;
/// 3. `performCustomValidation(forMapping:manager:)`, `end(_:manager:)`.
///
/// All objects are plain `NSManagedObject`s, regardless of the classes in the models.
///
/// ```swift
/// final class SplitName: NSEntityMigrationPolicy {
///     override func createDestinationInstances(
///         forSource person: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
///     ) throws {
///         try super.createDestinationInstances(forSource: person, in: mapping, manager: manager)
///         let copies = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [person])
///         let parts = (person.value(forKey: "name") as? String ?? "").split(separator: " ")
///         copies.first?.setValue(parts.first.map(String.init), forKey: "firstName")
///     }
/// }
/// ```
open class NSEntityMigrationPolicy: NSObject, MigrationCallable {
    /// The manager that uses the policy, which collects the errors of called methods.
    final weak var callingManager: NSMigrationManager?

    /// Creates a policy.
    public override init() {
        super.init()
    }

    /// Creates a policy of a class that is only known at run time.
    ///
    /// Migrations call it in place of `init()`, which is not `required`, so that subclasses override that one as on
    /// Apple's platforms. Subclasses inherit this initializer and do not call it.
    public required convenience init(_creating: Void) {
        self.init()
    }

    /// Called before the objects of an entity mapping are created.
    ///
    /// - Throws: An error, which cancels the migration.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Creates the destination objects of a source object, sets their attributes and associates them with it.
    ///
    /// The default creates one object, evaluates the expressions of the attribute mappings, and calls
    /// `manager.associate(sourceInstance:withDestinationInstance:for:)`.
    ///
    /// - Throws: An error, which cancels the migration.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try manager.createInstance(for: sInstance, in: mapping)
    }

    /// Called when all objects of an entity mapping have been created.
    ///
    /// - Throws: An error, which cancels the migration.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets the relationships of a destination object.
    ///
    /// The default evaluates the expressions of the relationship mappings.
    ///
    /// - Throws: An error, which cancels the migration.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try manager.createRelationships(of: dInstance, in: mapping)
    }

    /// Called when the relationships of all objects of an entity mapping have been set.
    ///
    /// - Throws: An error, which cancels the migration.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Validates the destination objects beyond the rules of the model, which are checked anyway.
    ///
    /// - Throws: An error, which cancels the migration.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called at the end of an entity mapping.
    ///
    /// - Throws: An error, which cancels the migration.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Calls the method that an expression names: `FUNCTION($entityPolicy, "selector:", …)`.
    ///
    /// Without Objective-C a method cannot be found by its selector. modelc's build plugin registers the `@objc`
    /// methods of policies; override this method where the plugin does not run.
    ///
    /// ```swift
    /// final class BookPolicy: NSEntityMigrationPolicy {
    ///     override func call(selector: String, arguments: [Any?]) throws -> Any? {
    ///         switch selector {
    ///         case "uppercase:": (arguments.first as? String)?.uppercased()
    ///         default: try super.call(selector: selector, arguments: arguments)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - selector: The name of the method, with a colon for each argument.
    ///   - arguments: The values of the arguments.
    /// - Returns: The result of the method.
    /// - Throws: What the method throws; an error of Cocoa's domain with the code 134170 for an unknown selector.
    open func call(selector: String, arguments: [Any?]) throws -> Any? {
        guard let method = MigrationPolicies.method(selector, of: type(of: self)) else {
            throw MigrationErrors.error(
                .entityMigrationPolicy, reason: "the class “\(type(of: self))” has no registered method “\(selector)”",
                help: "Mark the method @objc in a target that uses modelc's build plugin, or override "
                    + "call(selector:arguments:) in the class")
        }
        return try method(self, arguments)
    }

    final func callMigrationMethod(_ selector: String, arguments: [Any?]) -> Any? {
        do {
            return try call(selector: selector, arguments: arguments)
        } catch {
            callingManager?.record(error)
            return nil
        }
    }
}
