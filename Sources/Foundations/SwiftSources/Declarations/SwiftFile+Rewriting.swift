/// The parts of a source file that do not compile without Objective-C.
extension SwiftFile {
    /// A use of `#keyPath`.
    package struct KeyPathExpression: Hashable, Sendable {
        /// The byte range from the pound sign to the closing parenthesis.
        package var range: Range<Int>
        /// The names in it, without backquotes.
        package var path: [String]
        /// Whether the text consists of names separated by dots.
        package var isPlain: Bool
    }

    /// A use of `#selector`.
    package struct SelectorExpression: Hashable, Sendable {
        /// The byte range from the pound sign to the closing parenthesis.
        package var range: Range<Int>
        /// `getter` or `setter`, if the selector is that of a property.
        package var accessor: String?
        /// The names of the method and of the types that enclose it.
        package var path: [String]
        /// The argument labels, `_` for none; `nil` if they are not written.
        package var labels: [String]?
        /// Whether the expression contains nothing else.
        package var isPlain: Bool
    }

    /// A cast between fetch requests.
    package struct FetchRequestCast: Hashable, Sendable {
        /// The byte range from `as` to the end of the type.
        package var range: Range<Int>
        /// Whether the cast is `as?`.
        package var isConditional: Bool
        /// The byte range of the type.
        package var typeRange: Range<Int>
    }

    /// An expression of Foundation that Linux has under another name.
    package struct RenamedExpression: Hashable, Sendable {
        /// The byte range that is replaced.
        package var range: Range<Int>
        /// The replacement.
        package var text: String
    }

    /// The body of a type or an extension.
    package struct Body: Hashable, Sendable {
        /// The type.
        package var context: Context
        /// The byte range between the braces; to the end of the file if the closing one is missing.
        package var range: Range<Int>
    }

    /// A protocol requirement with the modifier `optional`.
    package struct OptionalRequirement: Hashable, Sendable {
        /// The byte range of the modifier.
        package var range: Range<Int>
        /// The name of a method, without backquotes; `nil` for a property.
        package var method: String?
        /// The byte range from `func` to the end of a method's declaration.
        package var declaration: Range<Int>
        /// Whether a method returns nothing.
        package var isVoid: Bool
        /// The enclosing protocol.
        package var context: Context
    }

    /// A call of a member with a question mark after the name.
    package struct OptionalCall: Hashable, Sendable {
        /// The name of the member.
        package var name: String
        /// The byte range of the question mark.
        package var questionMark: Range<Int>
    }

    /// An import declaration.
    package struct ImportSite: Hashable, Sendable {
        /// The name of the module.
        package var module: String
        /// The byte range of the module's name.
        package var moduleRange: Range<Int>
        /// The byte range of `.NSManagedObject` in `import CoreData.NSManagedObject`; empty for other imports.
        package var submoduleRange: Range<Int>
        /// Whether a single declaration is imported, as in `import class UIKit.UIColor`.
        package var isScoped: Bool
        /// Whether the condition of an `#if` around it could not be decided.
        package var isUncertain: Bool
        /// The byte offset of the declaration, with its attributes and access level.
        package var start: Int
    }

    /// A member with the modifier `override`.
    package struct Override: Sendable {
        /// The kinds of members.
        package enum Kind: Sendable {
            /// A method.
            case function
            case property
            /// Anything else: a subscript, or a member that could not be read.
            case other
        }

        /// The kind of member.
        package var kind: Kind
        /// The name, without backquotes.
        package var name: String
        /// The byte range of the name.
        package var nameRange: Range<Int>
        /// The byte range of the modifier.
        package var modifierRange: Range<Int>
        /// The byte range of attributes, modifiers and keyword, up to the name.
        package var introducer: Range<Int>
        /// The byte range between the name and the body: parameters and result, or the type.
        package var signature: Range<Int>
        /// The parameters of a method.
        package var parameters: [ManagedFunction.Parameter] = []
        /// Whether a method has generic parameters, default values or variadic parameters.
        package var isUnusual = false
        /// The effect keywords of a method, such as `throws` and `async`.
        package var effects: Set<String> = []
        /// Whether a property has a setter.
        package var hasSetter = false
        /// The enclosing type.
        package var context: Context
        /// The access level, or `nil` if none is written.
        package var access: String?
    }

    /// A synchronous method without parameters that XCTest would call by its name.
    package struct TestMethod: Hashable, Sendable {
        package var name: String
        /// The byte range of the name.
        package var nameRange: Range<Int>
        /// The byte offset of `func`.
        package var keyword: Int
        /// The byte range of its attribute of a global actor.
        package var isolation: Range<Int>?
        /// The actor in that attribute.
        package var globalActor: String?
        /// Whether it overrides another method.
        package var isOverride: Bool
        package var canThrow: Bool
        /// The byte range of `(E)` in `throws(E)`.
        package var errorType: Range<Int>?
        /// The byte range between the braces.
        package var body: Range<Int>
        /// The enclosing class.
        package var context: Context
    }

    package struct Initializer: Sendable {
        /// The byte range of the keyword `init`.
        package var range: Range<Int>
        /// The byte range of the modifier `override`.
        package var overrideRange: Range<Int>?
        /// The byte range of the access level.
        package var accessRange: Range<Int>?
        /// Whether it has the modifier `required`.
        package var isRequired: Bool
        /// Whether it has the modifier `convenience`.
        package var isConvenience: Bool
        package var parameters: [ManagedFunction.Parameter]
        /// The enclosing type.
        package var context: Context
    }

    /// A member that Objective-C code would look up by name.
    package struct KeyMethod: Sendable {
        /// The kinds of members.
        package enum Kind: Sendable {
            /// `validate<Key>`.
            case validation
            /// `keyPathsForValuesAffecting<Key>`.
            case dependency
            /// Any method with `@objc`, and any property with `@objc` or with `@NSManaged` and a name that begins with
            /// “primitive”.
            case exposed
        }

        /// The kind of member.
        package var kind: Kind
        /// The name in Swift.
        package var name: String
        /// The byte range of the name.
        package var nameRange: Range<Int>
        /// The key with an uppercase first letter: `Title` for `validateTitle`. For an exposed method, the selector
        /// given to `@objc`; empty if there is none. For an exposed property, its name in Objective-C.
        package var key: String
        package var isProperty: Bool
        /// The parameters of a method.
        package var parameters: [ManagedFunction.Parameter]
        /// The effect keywords, such as `throws` and `async`.
        package var effects: Set<String>
        /// Whether it is a type member.
        package var isStatic: Bool
        /// Whether it overrides another member.
        package var isOverride: Bool
        /// Whether it is marked `@objc`.
        package var isObjectiveC: Bool
        /// The access level, or `nil` if none is written.
        package var access: String?
        /// The enclosing type.
        package var context: Context
        /// Whether the condition of an `#if` around it could not be decided.
        package var isUncertain: Bool
    }
}
