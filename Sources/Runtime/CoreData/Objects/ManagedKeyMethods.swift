/// The members of a module's classes that Apple's runtime looks up by name.
///
/// Without Objective-C, Swift cannot look up methods by name, so modelc's build plugin generates a subclass with a
/// table of them. Do not write one by hand.
open class ManagedKeyMethods {
    /// A class, a key with an upper-case first letter, and `validate<Key>` of an object.
    public typealias Validator = (
        objectClass: NSManagedObject.Type, key: String,
        call: (NSManagedObject, AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void
    )
    /// A class, a key with an upper-case first letter, and the result of `keyPathsForValuesAffecting<Key>`.
    public typealias Dependency = (objectClass: NSManagedObject.Type, key: String, keyPaths: () -> Set<String>)

    /// The methods `validate<Key>`.
    open class var validators: [Validator] { [] }

    /// The members `keyPathsForValuesAffecting<Key>`.
    open class var dependencies: [Dependency] { [] }

    /// The classes whose `@objc(Name)` differs from their Swift name, by the former.
    open class var classNames: [String: NSManagedObject.Type] { [:] }
}
