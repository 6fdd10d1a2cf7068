/// The methods of a module's migration policies that value expressions of mapping models call by selector.
///
/// Without Objective-C, Swift cannot look up methods by name, so modelc's build plugin generates a subclass with a
/// table of them. Do not write one by hand: override `NSEntityMigrationPolicy.call(selector:arguments:)` instead.
///
/// ```swift
/// final class Policy: NSEntityMigrationPolicy {
///     override func call(selector: String, arguments: [Any?]) throws -> Any? {
///         selector == "uppercase:" ? (arguments.first as? String)?.uppercased() : nil
///     }
/// }
/// ```
open class MigrationPolicyMethods {
    /// A class, a selector, and a closure that calls the method with arguments, where `nil` stands for a missing value.
    public typealias Method = (
        policyClass: NSEntityMigrationPolicy.Type, selector: String,
        call: (NSEntityMigrationPolicy, [Any?]) throws -> Any?
    )

    /// The methods with an `@objc` attribute.
    open class var methods: [Method] { [] }

    /// The classes whose `@objc(Name)` differs from their Swift name, by the former.
    open class var classNames: [String: NSEntityMigrationPolicy.Type] { [:] }

    /// Returns an argument as the type of a method's parameter.
    ///
    /// - Throws: An error of Cocoa's domain with the code 134170 for a value of another type.
    public static func argument<Value>(_ arguments: [Any?], _ index: Int, as type: Value.Type = Value.self) throws
        -> Value
    {
        let value = arguments.indices.contains(index) ? arguments[index] : nil
        if let value = value as? Value { return value }
        // An optional parameter takes nil.
        if value == nil, let none = Optional<Any>.none as? Value { return none }
        throw MigrationErrors.error(
            .entityMigrationPolicy,
            reason:
                "argument \(index + 1) is \(value.map { "of the type \(Swift.type(of: $0))" } ?? "nil"), and the method takes "
                + "\(type)",
            help: "Correct the FUNCTION expression of the mapping model, or make the parameter optional")
    }
}
