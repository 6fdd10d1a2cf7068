internal import Foundation
internal import PredicateSyntax

/// A predicate or an expression in an archive: its text, with the values that have no literal as arguments.
struct ArchivedFormat {
    /// The text, with `%@` for each argument.
    let format: String
    /// The arguments, in order of appearance.
    let arguments: [Any]

    /// The reason why a part cannot be archived.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Collects values while a tree is printed.
    private final class Collector: @unchecked Sendable {
        var references: [OpaqueValue] = []
    }

    init(format: String, arguments: [Any]) {
        self.format = format
        self.arguments = arguments
    }

    /// Creates the text of a tree. Throws an error if parsing the text would not restore the tree, as for a block or an
    /// operator that calls a method.
    init(_ tree: PredicateTree) throws {
        let (text, references) = Self.print { $0.string(for: tree.syntax) }
        let back = try? PredicateParser.parsePredicate(text)
            .substitutingArguments { try Self.reference($0, references) }
        guard back == tree.syntax else { throw Failure(description: "“\(tree.format)” cannot be archived") }
        self.init(format: text, arguments: try Self.arguments(references, tree.boxes))
    }

    /// Creates the text of a tree; see `init(_:)` for predicates.
    init(_ tree: ExpressionTree) throws {
        let (text, references) = Self.print { $0.string(for: tree.syntax) }
        let back = try? PredicateParser.parseExpression(text)
            .substitutingArguments { try Self.reference($0, references) }
        guard back == tree.syntax else { throw Failure(description: "“\(tree.format)” cannot be archived") }
        self.init(format: text, arguments: try Self.arguments(references, tree.boxes))
    }

    /// Returns the values of references as arguments.
    private static func arguments(_ references: [OpaqueValue], _ boxes: OpaqueBoxes) throws -> [Any] {
        try references.map { reference in
            let value = boxes.value(of: reference)
            return try value as? NSDecimalNumber ?? argument(value)
        }
    }

    private static func reference(_ placeholder: Placeholder, _ references: [OpaqueValue]) throws -> Argument {
        guard references.indices.contains(placeholder.index) else {
            throw Failure(description: "text like an argument")
        }
        return .constant(.opaque(references[placeholder.index]))
    }

    private static func print(_ body: (PredicatePrinter) -> String) -> (text: String, references: [OpaqueValue]) {
        let collector = Collector()
        let text = body(
            PredicatePrinter(numberStyle: .typed) { reference in
                collector.references.append(reference)
                return "%@"
            })
        return (text, collector.references)
    }

    /// Returns a value in a form that can be archived. Foundation's archiver traps on other objects.
    private static func argument(_ value: Any?) throws -> Any {
        switch value {
        // Foundation on Linux overflows the stack when archiving one.
        case is NSDecimalNumber: throw Failure(description: "a decimal number in a collection cannot be archived")
        case is String, is NSNumber, is Date, is Data, is UUID, is URL, is NSNull: return value ?? NSNull()
        case let list as [Any]: return try list.map(argument)
        case let set as NSOrderedSet: return NSOrderedSet(array: try set.array.map(argument))
        case let set as NSSet: return NSSet(array: try set.allObjects.map(argument))
        case let dictionary as [AnyHashable: Any]:
            return try Dictionary(
                uniqueKeysWithValues: dictionary.map { key, value in (key, try argument(value)) })
        default:
            throw Failure(description: "a value of the type \(type(of: value ?? NSNull())) cannot be archived")
        }
    }

    // MARK: Archives

    private static let formatKey = "format"
    private static let argumentsKey = "arguments"
    private static let decimalsKey = "decimals"

    /// The classes that arguments may have in an archive.
    private static let classes: [AnyClass] = [
        NSArray.self, NSString.self, NSNumber.self, NSDecimalNumber.self, NSDate.self, NSData.self, NSUUID.self,
        NSURL.self, NSNull.self, NSSet.self, NSOrderedSet.self, NSDictionary.self,
    ]

    /// Encodes the format in an archive.
    func encode(with coder: NSCoder) {
        coder.encode(format, forKey: Self.formatKey)
        guard !arguments.isEmpty else { return }
        // Decimals are archived as strings.
        let values = arguments.map { ($0 as? NSDecimalNumber)?.stringValue ?? $0 }
        coder.encode(NSArray(array: values), forKey: Self.argumentsKey)
        let decimals = arguments.indices.filter { arguments[$0] is NSDecimalNumber }.map { NSNumber(value: $0) }
        if !decimals.isEmpty { coder.encode(NSArray(array: decimals), forKey: Self.decimalsKey) }
    }

    /// Decodes the format from an archive; `nil` if it contains none.
    init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: Self.formatKey) else { return nil }
        format = text as String
        guard coder.containsValue(forKey: Self.argumentsKey) else {
            arguments = []
            return
        }
        guard let list = coder.decodeObject(of: Self.classes, forKey: Self.argumentsKey) as? NSArray else { return nil }
        var values = list.map { $0 }
        let hasDecimals = coder.containsValue(forKey: Self.decimalsKey)
        let decimals = hasDecimals ? coder.decodeObject(of: Self.classes, forKey: Self.decimalsKey) as? NSArray : []
        for case let index as Int in decimals ?? [] {
            guard values.indices.contains(index), let text = values[index] as? String else { return nil }
            values[index] = NSDecimalNumber(string: text)
        }
        arguments = values
    }

    /// The predicate; `nil` if the format is invalid or arguments are missing.
    var predicate: PredicateTree? {
        var boxes = OpaqueBoxes()
        guard
            let syntax = try? PredicateParser.parsePredicate(format)
                .substitutingArguments({ try argument($0, &boxes) })
        else { return nil }
        return PredicateTree(syntax, boxes: boxes)
    }

    /// The expression; `nil` if the format is invalid or arguments are missing.
    var expression: ExpressionTree? {
        var boxes = OpaqueBoxes()
        guard
            let syntax = try? PredicateParser.parseExpression(format)
                .substitutingArguments({ try argument($0, &boxes) })
        else { return nil }
        return ExpressionTree(syntax, boxes: boxes)
    }

    private func argument(_ placeholder: Placeholder, _ boxes: inout OpaqueBoxes) throws -> Argument {
        guard placeholder.kind == .object, arguments.indices.contains(placeholder.index) else {
            throw Failure(description: "an argument is missing")
        }
        return .constant(boxes.constant(Self.swiftValue(arguments[placeholder.index])))
    }

    /// Returns the Swift value of an object from an archive.
    private static func swiftValue(_ value: Any) -> Any {
        switch value {
        case let date as NSDate: Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let uuid as NSUUID: UUID(uuidString: uuid.uuidString) ?? value
        case let data as NSData: Data(referencing: data)
        case let url as NSURL: URL(string: url.absoluteString) ?? value
        default: value
        }
    }
}
