/// What a Swift source file declares, as far as Core Data is concerned: types, imports, and properties and functions marked
/// `@NSManaged`.
package struct SwiftFile: Sendable {
    /// The types, those inside of others too, in the order of the file.
    package var types: [TypeDeclaration] = []
    /// Other names of types, at the top of the file.
    package var aliases: [String: SwiftTypeText] = [:]
    /// Other names of types that are members of a type, by the path of the type and the name.
    package var memberAliases: [[String]: SwiftTypeText] = [:]
    /// The imports, as they are written, in their order and each once.
    package var imports: [Import] = []
    /// The properties that are marked `@NSManaged`.
    package var managedProperties: [ManagedProperty] = []
    /// The functions that are marked `@NSManaged`.
    package var managedFunctions: [ManagedFunction] = []
    /// The attributes `@NSManaged` that belong to those.
    package var managedAttributes: [Range<Int>] = []
    /// The attributes that are compiled only with Objective-C: `@objc`, `@objcMembers`, `@IBOutlet` and so on; with their arguments.
    package var objectiveCAttributes: [Range<Int>] = []
    /// The uses of `#keyPath`, those in interpolations included.
    package var keyPaths: [KeyPathExpression] = []
    /// The uses of `#selector`, those in interpolations included.
    package var selectors: [SelectorExpression] = []
    /// The modifiers `optional` of protocol requirements.
    package var optionalRequirements: [Range<Int>] = []
    /// The import declarations, in their order.
    package var importSites: [ImportSite] = []
    /// The members that override others.
    package var overrides: [Override] = []
    /// The initializers of types and extensions.
    package var initializers: [Initializer] = []
    /// The members that Objective-C code would find by their names: `validate<Key>` and `keyPathsForValuesAffecting<Key>`.
    package var keyMethods: [KeyMethod] = []
    /// The casts `as! NSFetchRequest<…>` and `as? NSFetchRequest<…>`.
    package var fetchRequestCasts: [Range<Int>] = []

    /// An import.
    package struct Import: Hashable, Sendable {
        /// The module.
        package var module: String
        /// The text: attributes, access level and what is imported of the module included.
        package var text: String
    }

    /// The kinds of types.
    package enum TypeKind: String, Sendable {
        /// A class.
        case `class`
        /// A structure.
        case `struct`
        /// An enumeration.
        case `enum`
        /// A protocol.
        case `protocol`
        /// An actor.
        case actor
    }

    /// The declaration of a type.
    package struct TypeDeclaration: Hashable, Sendable {
        /// What it is.
        package var kind: TypeKind
        /// The name, with those of the types around it.
        package var path: [String]
        /// The bytes of the name.
        package var nameRange: Range<Int>
        /// The line of the name, from 1.
        package var line: Int
        /// Whether it has generic parameters, itself or a type around it.
        package var isGeneric: Bool
        /// Whether only the file can see it.
        package var isPrivate: Bool
        /// Whether it stands inside of a function, or something else that is not a type.
        package var isLocal: Bool
        /// The types after the colon.
        package var inherited: [SwiftTypeText] = []
        /// The name that `@objc(Name)` gives it.
        package var objectiveCName: String?
        /// Whether it is marked `@objc`.
        package var isObjectiveC = false
        /// The access level, or nil when none is written.
        package var access: String?
        /// The location of the closing brace, or `nil` if it is missing.
        package var bodyEnd: Int?

        /// Creates a declaration at the top of a file that everybody can see.
        package init(
            kind: TypeKind, path: [String], nameRange: Range<Int>, line: Int, isGeneric: Bool = false,
            isPrivate: Bool = false, isLocal: Bool = false
        ) {
            self.kind = kind
            self.path = path
            self.nameRange = nameRange
            self.line = line
            self.isGeneric = isGeneric
            self.isPrivate = isPrivate
            self.isLocal = isLocal
        }
    }

    /// Where a member is declared.
    package struct Context: Hashable, Sendable {
        /// The names of the type and those around it.
        package var path: [String]
        /// The modifier of the extension, which its members have unless they say something else; nil outside of extensions.
        package var extensionAccess: String?
        /// Whether the extension has conditions.
        package var isConstrained: Bool
        /// Whether the member stands in an extension.
        package var isExtension = false
        /// Whether the type is declared inside of a function.
        package var isLocal = false
    }

    /// A property without accessors.
    package struct ManagedProperty: Sendable {
        /// The name, without back quotes.
        package var name: String
        /// The bytes of the name.
        package var nameRange: Range<Int>
        /// The type; nil when it could not be read.
        package var type: SwiftTypeText?
        /// The bytes of the type; empty when there is none.
        package var typeRange: Range<Int>
        /// The type around it.
        package var context: Context
        /// The access level, or nil when none is written.
        package var access: String?
        /// The access level of the setter, when it is written: `private` of `private(set)`.
        package var setterAccess: String?
        /// Whether it is a property of the class itself.
        package var isStatic: Bool
        /// Whether the condition of an `#if` around it could not be decided.
        package var isUncertain: Bool
    }

    /// A function without a body.
    package struct ManagedFunction: Sendable {
        /// A parameter.
        package struct Parameter: Sendable {
            /// The label, or nil for `_`.
            package var label: String?
            /// The name inside.
            package var name: String
            /// The type; nil when it could not be read.
            package var type: SwiftTypeText?
            /// The bytes of the type.
            package var typeRange: Range<Int>
        }

        /// The name, without back quotes.
        package var name: String
        /// The bytes of the name.
        package var nameRange: Range<Int>
        /// The parameters.
        package var parameters: [Parameter]
        /// Whether it has a result, effects, generic parameters or anything else that Core Data's accessors do not have.
        package var isUnusual: Bool
        /// Where its declaration ends.
        package var end: Int
        /// The type around it.
        package var context: Context
        /// The access level, or nil when none is written.
        package var access: String?
        /// Whether it is a function of the class itself.
        package var isStatic: Bool
        /// Whether the condition of an `#if` around it could not be decided.
        package var isUncertain: Bool
    }

    /// Reads a file. What is not Swift is passed over.
    ///
    /// Conditions of `#if` are decided as they are on Linux; what hangs on flags that cannot be known counts.
    /// - Parameter bytes: the text in UTF-8.
    package init(_ bytes: [UInt8]) {
        var scanner = DeclarationScanner(bytes)
        self = scanner.scan()
    }

    init() {}
}
