/// What a Swift source file declares, as far as Core Data is concerned: types, imports, and properties and functions marked
/// `@NSManaged`.
public struct SwiftFile: Sendable {
    /// The types, those inside of others too, in the order of the file.
    public var types: [TypeDeclaration] = []
    /// Other names of types, at the top of the file.
    public var aliases: [String: SwiftTypeText] = [:]
    /// Other names of types that are members of a type, by the path of the type and the name.
    public var memberAliases: [[String]: SwiftTypeText] = [:]
    /// The imports, as they are written, in their order and each once.
    public var imports: [Import] = []
    /// The properties that are marked `@NSManaged`.
    public var managedProperties: [ManagedProperty] = []
    /// The functions that are marked `@NSManaged`.
    public var managedFunctions: [ManagedFunction] = []
    /// The attributes `@NSManaged` that belong to those.
    public var managedAttributes: [Range<Int>] = []
    /// The attributes that are compiled only with Objective-C: `@objc`, `@objcMembers`, `@IBOutlet` and so on; with their arguments.
    public var objectiveCAttributes: [Range<Int>] = []
    /// The uses of `#keyPath`, those in interpolations included.
    public var keyPaths: [KeyPathExpression] = []
    /// The uses of `#selector`, those in interpolations included.
    public var selectors: [SelectorExpression] = []
    /// The modifiers `optional` of protocol requirements.
    public var optionalRequirements: [Range<Int>] = []
    /// The import declarations, in their order.
    public var importSites: [ImportSite] = []
    /// The members that override others.
    public var overrides: [Override] = []
    /// The initializers of types and extensions.
    public var initializers: [Initializer] = []
    /// The members that Objective-C code would find by their names: `validate<Key>` and `keyPathsForValuesAffecting<Key>`.
    public var keyMethods: [KeyMethod] = []
    /// The casts `as! NSFetchRequest<…>` and `as? NSFetchRequest<…>`.
    public var fetchRequestCasts: [Range<Int>] = []

    /// An import.
    public struct Import: Hashable, Sendable {
        /// The module.
        public var module: String
        /// The text: attributes, access level and what is imported of the module included.
        public var text: String
    }

    /// The kinds of types.
    public enum TypeKind: String, Sendable {
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
    public struct TypeDeclaration: Hashable, Sendable {
        /// What it is.
        public var kind: TypeKind
        /// The name, with those of the types around it.
        public var path: [String]
        /// The bytes of the name.
        public var nameRange: Range<Int>
        /// The line of the name, from 1.
        public var line: Int
        /// Whether it has generic parameters, itself or a type around it.
        public var isGeneric: Bool
        /// Whether only the file can see it.
        public var isPrivate: Bool
        /// Whether it stands inside of a function, or something else that is no type.
        public var isLocal: Bool
        /// The types after the colon.
        public var inherited: [SwiftTypeText] = []
        /// The name that `@objc(Name)` gives it.
        public var objectiveCName: String?
        /// Whether it is marked `@objc`.
        public var isObjectiveC = false
        /// The access level, or nil when none is written.
        public var access: String?
        /// The place of the closing brace; `nil` when there is none.
        public var bodyEnd: Int?

        /// Makes a declaration at the top of a file that everybody can see.
        public init(
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
    public struct Context: Hashable, Sendable {
        /// The names of the type and those around it.
        public var path: [String]
        /// The modifier of the extension, which its members have unless they say something else; nil outside of extensions.
        public var extensionAccess: String?
        /// Whether the extension has conditions.
        public var isConstrained: Bool
        /// Whether the member stands in an extension.
        public var isExtension = false
        /// Whether the type is declared inside of a function.
        public var isLocal = false
    }

    /// A property without accessors.
    public struct ManagedProperty: Sendable {
        /// The name, without back quotes.
        public var name: String
        /// The bytes of the name.
        public var nameRange: Range<Int>
        /// The type; nil when it could not be read.
        public var type: SwiftTypeText?
        /// The bytes of the type; empty when there is none.
        public var typeRange: Range<Int>
        /// The type around it.
        public var context: Context
        /// The access level, or nil when none is written.
        public var access: String?
        /// The access level of the setter, when it is written: `private` of `private(set)`.
        public var setterAccess: String?
        /// Whether it is a property of the class itself.
        public var isStatic: Bool
        /// Whether the condition of an `#if` around it could not be decided.
        public var isUncertain: Bool
    }

    /// A function without a body.
    public struct ManagedFunction: Sendable {
        /// A parameter.
        public struct Parameter: Sendable {
            /// The label, or nil for `_`.
            public var label: String?
            /// The name inside.
            public var name: String
            /// The type; nil when it could not be read.
            public var type: SwiftTypeText?
            /// The bytes of the type.
            public var typeRange: Range<Int>
        }

        /// The name, without back quotes.
        public var name: String
        /// The bytes of the name.
        public var nameRange: Range<Int>
        /// The parameters.
        public var parameters: [Parameter]
        /// Whether it has a result, effects, generic parameters or anything else that Core Data's accessors do not have.
        public var isUnusual: Bool
        /// Where its declaration ends.
        public var end: Int
        /// The type around it.
        public var context: Context
        /// The access level, or nil when none is written.
        public var access: String?
        /// Whether it is a function of the class itself.
        public var isStatic: Bool
        /// Whether the condition of an `#if` around it could not be decided.
        public var isUncertain: Bool
    }

    /// Reads a file. What is no Swift is passed over.
    ///
    /// Conditions of `#if` are decided as they are on Linux; what hangs on flags that cannot be known counts.
    /// - Parameter bytes: the text in UTF-8.
    public init(_ bytes: [UInt8]) {
        var scanner = DeclarationScanner(bytes)
        self = scanner.scan()
    }

    init() {}
}
