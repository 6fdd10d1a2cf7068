/// The declarations of a Swift source file that are relevant to Core Data: types, imports, and properties and functions
/// marked `@NSManaged`.
package struct SwiftFile: Sendable {
    /// The types, including nested ones, in file order.
    package var types: [TypeDeclaration] = []
    /// The type aliases at the top level of the file.
    package var aliases: [String: SwiftTypeText] = [:]
    /// The type aliases that are members of a type, by the path of the type and the name.
    package var memberAliases: [[String]: SwiftTypeText] = [:]
    /// The imports as written, in file order and without duplicates.
    package var imports: [Import] = []
    /// The properties marked `@NSManaged`.
    package var managedProperties: [ManagedProperty] = []
    /// The functions marked `@NSManaged`.
    package var managedFunctions: [ManagedFunction] = []
    /// The byte ranges of the `@NSManaged` attributes of those properties and functions.
    package var managedAttributes: [Range<Int>] = []
    /// The byte ranges of attributes that require Objective-C, such as `@objc`, `@objcMembers` and `@IBOutlet`, with
    /// their arguments.
    package var objectiveCAttributes: [Range<Int>] = []
    /// The uses of `#keyPath`, including those in interpolations.
    package var keyPaths: [KeyPathExpression] = []
    /// The uses of `#selector`, including those in interpolations.
    package var selectors: [SelectorExpression] = []
    /// The bodies of types and extensions, in file order.
    package var bodies: [Body] = []
    /// The protocol requirements with the modifier `optional`.
    package var optionalRequirements: [OptionalRequirement] = []
    /// The calls of members with a question mark after the name, such as `delegate.didChange?()`, including those in
    /// interpolations.
    package var optionalCalls: [OptionalCall] = []
    /// The import declarations, in file order.
    package var importSites: [ImportSite] = []
    /// Whether the file imports SwiftData on Linux, as far as conditions can be decided.
    package var importsSwiftData: Bool { importSites.contains { $0.module == "SwiftData" && !$0.isUncertain } }
    /// The synchronous methods that may be a test, or the fixture of tests.
    package var testMethods: [TestMethod] = []
    /// The members that override others.
    package var overrides: [Override] = []
    /// The initializers of types and extensions.
    package var initializers: [Initializer] = []
    /// The members that Objective-C code would look up by name: `validate<Key>` and `keyPathsForValuesAffecting<Key>`.
    package var keyMethods: [KeyMethod] = []
    /// The casts `as! NSFetchRequest<…>` and `as? NSFetchRequest<…>`, except those of copies, which succeed.
    package var fetchRequestCasts: [FetchRequestCast] = []
    /// The byte ranges of `super.observeValue` in calls.
    package var superclassObservations: [Range<Int>] = []
    /// The expressions of Foundation that Linux has under another name.
    package var renamedExpressions: [RenamedExpression] = []
    /// Whether the file names types or constants of Core Data.
    package var namesCoreData = false
    /// The words of the file that are compiled on Linux, if it imports a framework of Apple's.
    package var words: Set<String> = []
    /// Whether the file names `os_unfair_lock`, which Foundation brings in on Apple's platforms.
    package var namesUnfairLock = false

    package struct Import: Hashable, Sendable {
        /// The name of the module.
        package var module: String
        /// The text of the declaration, including attributes, access level and the imported symbol.
        package var text: String
    }

    /// The kinds of types.
    package enum TypeKind: String, Sendable {
        case `class`
        case `struct`
        /// An enumeration.
        case `enum`
        case `protocol`
        case actor
    }

    package struct TypeDeclaration: Hashable, Sendable {
        package var kind: TypeKind
        /// The name, preceded by those of the enclosing types.
        package var path: [String]
        /// The byte range of the name.
        package var nameRange: Range<Int>
        /// The line of the name, from 1.
        package var line: Int
        /// Whether it or an enclosing type has generic parameters.
        package var isGeneric: Bool
        /// Whether it is visible only in the file.
        package var isPrivate: Bool
        /// Whether it is declared inside a function or anything else that is not a type.
        package var isLocal: Bool
        /// The types after the colon.
        package var inherited: [SwiftTypeText] = []
        /// The name that `@objc(Name)` gives it.
        package var objectiveCName: String?
        /// Whether it is marked `@objc`.
        package var isObjectiveC = false
        /// The global actor that isolates it, such as `MainActor`.
        package var globalActor: String?
        /// The access level, or `nil` if none is written.
        package var access: String?
        /// The byte offset of the closing brace, or `nil` if it is missing.
        package var bodyEnd: Int?

        /// Creates a declaration without inherited types or attributes.
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

    /// The context in which a member is declared.
    package struct Context: Hashable, Sendable {
        /// The names of the enclosing types, outermost first.
        package var path: [String]
        /// The access modifier of the extension, the default for its members; `nil` outside extensions.
        package var extensionAccess: String?
        /// Whether the extension has a `where` clause, or the member's type is generic.
        package var isConstrained: Bool
        /// Whether the member is declared in an extension.
        package var isExtension = false
        /// Whether the type is declared inside a function.
        package var isLocal = false
    }

    /// A property marked `@NSManaged`.
    package struct ManagedProperty: Sendable {
        /// The name, without backquotes.
        package var name: String
        /// The byte range of the name.
        package var nameRange: Range<Int>
        /// The type, or `nil` if it could not be read.
        package var type: SwiftTypeText?
        /// The byte range of the type; empty if there is none.
        package var typeRange: Range<Int>
        /// The enclosing type.
        package var context: Context
        /// The access level, or `nil` if none is written.
        package var access: String?
        /// The access level of the setter if it is written: `private` for `private(set)`.
        package var setterAccess: String?
        /// Whether it is a type property.
        package var isStatic: Bool
        /// Whether the condition of an `#if` around it could not be decided.
        package var isUncertain: Bool
    }

    /// A function marked `@NSManaged`.
    package struct ManagedFunction: Sendable {
        package struct Parameter: Sendable {
            /// The label, or `nil` for `_`.
            package var label: String?
            /// The name inside the function.
            package var name: String
            /// The type, or `nil` if it could not be read.
            package var type: SwiftTypeText?
            /// The byte range of the type.
            package var typeRange: Range<Int>
        }

        /// The name, without backquotes.
        package var name: String
        /// The byte range of the name.
        package var nameRange: Range<Int>
        package var parameters: [Parameter]
        /// Whether it has a result, effects, generic parameters or anything else that Core Data's accessors do not
        /// have.
        package var isUnusual: Bool
        /// The byte offset of the end of the declaration.
        package var end: Int
        /// The enclosing type.
        package var context: Context
        /// The access level, or `nil` if none is written.
        package var access: String?
        /// Whether it is a type method.
        package var isStatic: Bool
        /// Whether the condition of an `#if` around it could not be decided.
        package var isUncertain: Bool
    }

    /// Reads a file, skipping anything that is not valid Swift.
    ///
    /// `#if` conditions are evaluated for Linux; code that depends on unknown flags is included.
    /// - Parameter bytes: The text in UTF-8.
    package init(_ bytes: [UInt8]) {
        var scanner = DeclarationScanner(bytes)
        self = scanner.scan()
    }

    init() {}
}
