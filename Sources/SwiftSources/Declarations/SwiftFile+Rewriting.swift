/// The parts of a source that do not compile without Objective-C.
extension SwiftFile {
    /// A use of `#keyPath`.
    public struct KeyPathExpression: Hashable, Sendable {
        /// The bytes from the pound sign to the closing parenthesis.
        public var range: Range<Int>
        /// The names in it, without back quotes.
        public var path: [String]
        /// Whether there is nothing but names with dots between them.
        public var isPlain: Bool
    }

    /// A use of `#selector`.
    public struct SelectorExpression: Hashable, Sendable {
        /// The bytes from the pound sign to the closing parenthesis.
        public var range: Range<Int>
        /// `getter` or `setter`, if the selector is that of a property.
        public var accessor: String?
        /// The names of the method and of what it is a member of.
        public var path: [String]
        /// The argument labels, `_` for none; `nil` when they are not written.
        public var labels: [String]?
        /// Whether there is nothing in it but these.
        public var isPlain: Bool
    }

    /// An import declaration.
    public struct ImportSite: Hashable, Sendable {
        /// The module.
        public var module: String
        /// The bytes of the module's name.
        public var moduleRange: Range<Int>
        /// The bytes of `.NSManagedObject` in `import CoreData.NSManagedObject`; empty for other imports.
        public var submoduleRange: Range<Int>
        /// Whether a declaration is imported, as in `import class UIKit.UIColor`.
        public var isScoped: Bool
        /// Whether the condition of an `#if` around it could not be decided.
        public var isUncertain: Bool
        /// The bytes of the keyword `import`.
        public var keywordRange: Range<Int>
    }

    /// A member with the modifier `override`.
    public struct Override: Sendable {
        /// The kinds of members.
        public enum Kind: Sendable {
            /// A method.
            case function
            /// A property.
            case property
            /// Anything else: a subscript, or what could not be read.
            case other
        }

        /// What it is.
        public var kind: Kind
        /// The name, without back quotes.
        public var name: String
        /// The bytes of the name.
        public var nameRange: Range<Int>
        /// The bytes of the modifier.
        public var modifierRange: Range<Int>
        /// The bytes of attributes, modifiers and the keyword, up to the name.
        public var introducer: Range<Int>
        /// The bytes between the name and the body: parameters and result, or the type.
        public var signature: Range<Int>
        /// The parameters of a method.
        public var parameters: [ManagedFunction.Parameter] = []
        /// Whether a method has generic parameters, default values or variadic parameters.
        public var isUnusual = false
        /// Whether a method throws, or is asynchronous, by its keywords.
        public var effects: Set<String> = []
        /// Whether a property has a setter.
        public var hasSetter = false
        /// The type around it.
        public var context: Context
        /// The access level, or nil when none is written.
        public var access: String?
    }

    /// An initializer.
    public struct Initializer: Sendable {
        /// The bytes of the keyword `init`.
        public var range: Range<Int>
        /// The bytes of the modifier `override`.
        public var overrideRange: Range<Int>?
        /// Whether it has the modifier `required`.
        public var isRequired: Bool
        /// Whether it has the modifier `convenience`.
        public var isConvenience: Bool
        /// The parameters.
        public var parameters: [ManagedFunction.Parameter]
        /// The type around it.
        public var context: Context
    }

    /// A member that Objective-C code would find by its name.
    public struct KeyMethod: Sendable {
        /// The kinds of members.
        public enum Kind: Sendable {
            /// `validate<Key>`.
            case validation
            /// `keyPathsForValuesAffecting<Key>`.
            case dependency
        }

        /// What it is.
        public var kind: Kind
        /// The name in Swift.
        public var name: String
        /// The bytes of the name.
        public var nameRange: Range<Int>
        /// The key with an upper-case first letter: `Title` of `validateTitle`.
        public var key: String
        /// Whether it is a property.
        public var isProperty: Bool
        /// The parameters of a method.
        public var parameters: [ManagedFunction.Parameter]
        /// Whether it throws, or is asynchronous, by its keywords.
        public var effects: Set<String>
        /// Whether it is a member of the class itself.
        public var isStatic: Bool
        /// Whether it overrides another.
        public var isOverride: Bool
        /// Whether it is marked `@objc`.
        public var isObjectiveC: Bool
        /// The access level, or nil when none is written.
        public var access: String?
        /// The type around it.
        public var context: Context
        /// Whether the condition of an `#if` around it could not be decided.
        public var isUncertain: Bool
    }
}
