/// The members of a module's classes that Apple's runtime finds by their names.
///
/// Swift without Objective-C cannot look methods up, so that modelc's build plugin writes a subclass with a table of them. Not
/// meant to be written by hand.
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

    /// The classes whose `@objc(Name)` is another name than theirs.
    open class var classNames: [String: NSManagedObject.Type] { [:] }
}
