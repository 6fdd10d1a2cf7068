/// The parts of a source that do not compile without Objective-C.
extension SwiftFile {
    /// A use of `#keyPath`.
    package struct KeyPathExpression: Hashable, Sendable {
        /// The bytes from the pound sign to the closing parenthesis.
        package var range: Range<Int>
        /// The names in it, without back quotes.
        package var path: [String]
        /// Whether the text consists of names separated by dots.
        package var isPlain: Bool
    }

    /// A use of `#selector`.
    package struct SelectorExpression: Hashable, Sendable {
        /// The bytes from the pound sign to the closing parenthesis.
        package var range: Range<Int>
        /// `getter` or `setter`, if the selector is that of a property.
        package var accessor: String?
        /// The names of the method and of what it is a member of.
        package var path: [String]
        /// The argument labels, `_` for none; `nil` when they are not written.
        package var labels: [String]?
        /// Whether the body contains only these.
        package var isPlain: Bool
    }

    /// An import declaration.
    package struct ImportSite: Hashable, Sendable {
        /// The module.
        package var module: String
        /// The bytes of the module's name.
        package var moduleRange: Range<Int>
        /// The bytes of `.NSManagedObject` in `import CoreData.NSManagedObject`; empty for other imports.
        package var submoduleRange: Range<Int>
        /// Whether a declaration is imported, as in `import class UIKit.UIColor`.
        package var isScoped: Bool
        /// Whether the condition of an `#if` around it could not be decided.
        package var isUncertain: Bool
        /// The bytes of the keyword `import`.
        package var keywordRange: Range<Int>
    }

    /// A member with the modifier `override`.
    package struct Override: Sendable {
        /// The kinds of members.
        package enum Kind: Sendable {
            /// A method.
            case function
            /// A property.
            case property
            /// Anything else: a subscript, or what could not be read.
            case other
        }

        /// What it is.
        package var kind: Kind
        /// The name, without back quotes.
        package var name: String
        /// The bytes of the name.
        package var nameRange: Range<Int>
        /// The bytes of the modifier.
        package var modifierRange: Range<Int>
        /// The bytes of attributes, modifiers and the keyword, up to the name.
        package var introducer: Range<Int>
        /// The bytes between the name and the body: parameters and result, or the type.
        package var signature: Range<Int>
        /// The parameters of a method.
        package var parameters: [ManagedFunction.Parameter] = []
        /// Whether a method has generic parameters, default values or variadic parameters.
        package var isUnusual = false
        /// Whether a method throws, or is asynchronous, by its keywords.
        package var effects: Set<String> = []
        /// Whether a property has a setter.
        package var hasSetter = false
        /// The type around it.
        package var context: Context
        /// The access level, or nil when none is written.
        package var access: String?
    }

    /// An initializer.
    package struct Initializer: Sendable {
        /// The bytes of the keyword `init`.
        package var range: Range<Int>
        /// The bytes of the modifier `override`.
        package var overrideRange: Range<Int>?
        /// Whether it has the modifier `required`.
        package var isRequired: Bool
        /// Whether it has the modifier `convenience`.
        package var isConvenience: Bool
        /// The parameters.
        package var parameters: [ManagedFunction.Parameter]
        /// The type around it.
        package var context: Context
    }

    /// A member that Objective-C code would find by its name.
    package struct KeyMethod: Sendable {
        /// The kinds of members.
        package enum Kind: Sendable {
            /// `validate<Key>`.
            case validation
            /// `keyPathsForValuesAffecting<Key>`.
            case dependency
            /// Any method with `@objc`.
            case exposed
        }

        /// What it is.
        package var kind: Kind
        /// The name in Swift.
        package var name: String
        /// The bytes of the name.
        package var nameRange: Range<Int>
        /// The key with an upper-case first letter: `Title` of `validateTitle`. Of an exposed method, the selector that `@objc`
        /// names; empty if it names none.
        package var key: String
        /// Whether it is a property.
        package var isProperty: Bool
        /// The parameters of a method.
        package var parameters: [ManagedFunction.Parameter]
        /// Whether it throws, or is asynchronous, by its keywords.
        package var effects: Set<String>
        /// Whether it is a member of the class itself.
        package var isStatic: Bool
        /// Whether it overrides another.
        package var isOverride: Bool
        /// Whether it is marked `@objc`.
        package var isObjectiveC: Bool
        /// The access level, or nil when none is written.
        package var access: String?
        /// The type around it.
        package var context: Context
        /// Whether the condition of an `#if` around it could not be decided.
        package var isUncertain: Bool
    }
}
