internal import SwiftSources

/// Resolves the name of a type in a source file: to one that the target declares, or to a type of Core Data values in
/// Foundation or the standard library.
struct TypeResolver {
    /// The reason why a type is unknown.
    struct Unknown: Error {
        /// A clause that ends a message, after a colon.
        var reason: String
    }

    private let moduleName: String
    private var declared: [[String]: SwiftFile.TypeDeclaration] = [:]
    /// The type aliases, by path.
    private var aliases: [[String]: SwiftTypeText] = [:]

    /// - Parameter generatedClasses: The names of the classes that are generated for the target's models.
    init(moduleName: String, sources: [ManagedSource], generatedClasses: [String]) {
        self.moduleName = moduleName
        for source in sources {
            for type in source.file.types where !type.isLocal { declared[type.path] = declared[type.path] ?? type }
            for (name, type) in source.file.aliases where aliases[[name]] == nil { aliases[[name]] = type }
            aliases.merge(source.file.memberAliases) { first, _ in first }
        }
        for name in generatedClasses where declared[[name]] == nil {
            declared[[name]] = SwiftFile.TypeDeclaration(kind: .class, path: [name], nameRange: 0..<0, line: 1)
        }
    }

    /// Returns the declaration of a type of the target.
    func declaration(_ path: [String]) -> SwiftFile.TypeDeclaration? { declared[path] }

    /// Returns a type of the target by its path.
    func nominal(_ path: [String]) throws(Unknown) -> SymbolMangler.Nominal {
        var components: [SymbolMangler.Nominal.Component] = []
        for count in 1...max(path.count, 1) {
            let part = Array(path.prefix(count))
            guard let type = declared[part] else {
                throw Unknown(reason: "“\(part.joined(separator: "."))” is not declared in this target")
            }
            guard !type.isPrivate else { throw Unknown(reason: "“\(part.joined(separator: "."))” is private") }
            guard !type.isGeneric else { throw Unknown(reason: "“\(part.joined(separator: "."))” is generic") }
            let kind: Character
            switch type.kind {
            case .class, .actor: kind = "C"
            case .struct: kind = "V"
            case .enum: kind = "O"
            case .protocol: throw Unknown(reason: "“\(part.joined(separator: "."))” is a protocol")
            }
            components.append(SymbolMangler.Nominal.Component(name: part.last ?? "", kind: kind))
        }
        return SymbolMangler.Nominal(module: moduleName, path: components)
    }

    /// Returns the type that a text names inside a type of the target.
    func resolve(
        _ type: SwiftTypeText?, in context: [String], depth: Int = 0
    ) throws(Unknown) -> SymbolMangler.MangledType {
        guard let type, depth < 32 else { throw Unknown(reason: "it cannot be read") }
        switch type {
        case .optional(let wrapped): return .optional(try resolve(wrapped, in: context, depth: depth + 1))
        case .array(let element):
            return .bound(UInt8(ascii: "a"), [try resolve(element, in: context, depth: depth + 1)])
        case .dictionary(let key, let value):
            return .bound(
                UInt8(ascii: "D"),
                [
                    try resolve(key, in: context, depth: depth + 1), try resolve(value, in: context, depth: depth + 1),
                ])
        case .other: throw Unknown(reason: "it is not a plain class, structure or enumeration")
        case .named(let components): return try resolve(components, in: context, depth: depth)
        }
    }

    private func resolve(
        _ components: [SwiftTypeText.Component], in context: [String], depth: Int
    ) throws(Unknown) -> SymbolMangler.MangledType {
        let names = components.map(\.name)
        let arguments = components.flatMap(\.arguments)
        // From the inside out, as the compiler looks for names.
        for count in stride(from: context.count, through: 0, by: -1) {
            let path = Array(context.prefix(count)) + names
            if declared[path] != nil { return .nominal(try nominal(path)) }
            if let alias = aliases[path] {
                return try resolve(alias, in: Array(path.dropLast()), depth: depth + 1)
            }
        }
        if names.count > 1, names[0] == moduleName { return .nominal(try nominal(Array(names.dropFirst()))) }
        let last = names.last ?? ""
        if names.count == 1 || (names.count == 2 && Self.knownModules.contains(names[0])) {
            if last == "Set", arguments.count == 1 {
                return .bound(UInt8(ascii: "h"), [try resolve(arguments[0], in: context, depth: depth + 1)])
            }
            if arguments.isEmpty, let mangled = Self.standardType(last) { return mangled }
        }
        throw Unknown(reason: "“\(names.joined(separator: "."))” is declared neither in this target nor by Foundation")
    }

    private static let knownModules: Set<String> = ["CoreData", "Foundation", "FoundationEssentials", "Swift"]

    private static let short: [String: UInt8] = [
        "Bool": UInt8(ascii: "b"), "Character": UInt8(ascii: "J"), "Double": UInt8(ascii: "d"),
        "Float": UInt8(ascii: "f"), "Int": UInt8(ascii: "i"), "String": UInt8(ascii: "S"),
        "TimeInterval": UInt8(ascii: "d"),
        "UInt": UInt8(ascii: "u"),
    ]
    private static let structures: [String: [String]] = [
        "Swift": ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"],
        "FoundationEssentials": [
            "AttributedString", "Calendar", "Data", "Date", "DateComponents", "DateInterval", "Decimal", "IndexPath",
            "Locale", "TimeZone", "URL", "UUID",
        ],
        "Foundation": ["CGFloat", "CGPoint", "CGRect", "CGSize", "IndexSet", "PersonNameComponents"],
    ]
    private static let classes: [String: [String]] = [
        "Foundation": [
            "NSArray", "NSAttributedString", "NSData", "NSDate", "NSDecimalNumber", "NSDictionary", "NSIndexSet",
            "NSMutableArray",
            "NSMutableDictionary", "NSMutableOrderedSet", "NSMutableSet", "NSNumber", "NSObject", "NSOrderedSet",
            "NSSet",
            "NSString", "NSURL", "NSUUID", "NSValue",
        ],
        "CoreData": ["NSManagedObject", "NSManagedObjectID"],
    ]

    /// The types that need no declaration in the target, by name.
    private static let table: [String: SymbolMangler.MangledType] = {
        var table: [String: SymbolMangler.MangledType] = ["Any": .any, "AnyObject": .anyObject]
        for (name, letter) in short { table[name] = .short(letter) }
        for (names, kind) in [(structures, Character("V")), (classes, Character("C"))] {
            for (module, list) in names {
                for name in list {
                    table[name] = .nominal(
                        SymbolMangler.Nominal(module: module, path: [.init(name: name, kind: kind)]))
                }
            }
        }
        return table
    }()

    private static func standardType(_ name: String) -> SymbolMangler.MangledType? { table[name] }
}
