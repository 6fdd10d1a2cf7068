internal import CompiledModel
internal import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

/// Conversion of values of any kind to and from the property lists in archives of models.
///
/// The whole content of an archive is one property list in a block of bytes: Foundation on Linux traps if an archive
/// contains an object of an unexpected class, and recurses infinitely on some damaged archives.
enum ArchivedValue {
    /// The reason why a value cannot be archived or an archive cannot be read.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the property list of a value.
    ///
    /// - Throws: `Failure` for an object that cannot be archived securely.
    static func list(_ value: Any?) throws -> PropertyListValue {
        guard let value = Unwrapping.valueOrNull(value) else { return tagged("nil", .boolean(true)) }
        switch value {
        case is NSNull: return tagged("null", .boolean(true))
        case let text as String: return .string(text)
        case let number as NSDecimalNumber: return tagged("decimal", .string(number.stringValue))
        case let date as Date: return .date(date.timeIntervalSinceReferenceDate)
        case let data as Data: return .data([UInt8](data))
        case let uuid as UUID: return tagged("uuid", .string(uuid.uuidString))
        case let url as URL: return tagged("url", .string(url.absoluteString))
        case let predicate as NSPredicate: return tagged("predicate", try list(ArchivedFormat(predicate.tree)))
        case let expression as NSExpression: return tagged("expression", try list(ArchivedFormat(expression.tree)))
        case let description as NSExpressionDescription:
            return tagged("column", try DescriptionEncoder.property(description))
        case let property as NSPropertyDescription: return .string(property.name)
        case let list as [Any]: return .array(try list.map { try Self.list($0) })
        case let dictionary as [AnyHashable: Any]:
            let pairs = try dictionary.map { (try list($0.key.base), try list($0.value)) }
                .sorted { "\($0.0)" < "\($1.0)" }
            return tagged("pairs", .array(pairs.flatMap { [$0.0, $0.1] }))
        default:
            if let number = value as? NSNumber, UInt8(bitPattern: number.objCType.pointee) == UInt8(ascii: "f") {
                return .float(number.floatValue)
            }
            if let number = PropertyListValue(foundation: value) { return number }
            let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
            return tagged("object", .data([UInt8](data)))
        }
    }

    private static func tagged(_ tag: String, _ value: PropertyListValue) -> PropertyListValue {
        .dictionary([PropertyListValue.Entry(tag, value)])
    }

    private static func list(_ format: ArchivedFormat) throws -> PropertyListValue {
        .array([.string(format.format)] + (try format.arguments.map { try list($0) }))
    }

    /// Returns the value that a property list represents, which may be `nil`.
    ///
    /// - Throws: `Failure`, or another error for an object that cannot be unarchived.
    static func value(_ list: PropertyListValue) throws -> Any? {
        switch list {
        case .array(let elements): return try elements.map { try value($0) ?? NSNull() }
        case .dictionary(let entries):
            guard entries.count == 1 else { throw Failure(description: "unknown value") }
            return try value(entries[0].value, tag: entries[0].key)
        default: return list.foundationValue
        }
    }

    private static func value(_ list: PropertyListValue, tag: String) throws -> Any? {
        switch tag {
        case "nil": return nil
        case "null": return NSNull()
        case "decimal": return NSDecimalNumber(string: try text(list))
        case "uuid": return UUID(uuidString: try text(list))
        case "url": return URL(string: try text(list))
        case "predicate":
            guard let tree = try format(list).predicate else { throw Failure(description: "unreadable predicate") }
            return tree.makePredicate()
        case "expression":
            guard let tree = try format(list).expression else { throw Failure(description: "unreadable expression") }
            return tree.makeExpression()
        case "column": return try DescriptionDecoder.property(list)
        case "pairs":
            guard case .array(let elements) = list, elements.count.isMultiple(of: 2) else {
                throw Failure(description: "unknown dictionary")
            }
            var result: [AnyHashable: Any] = [:]
            for index in stride(from: 0, to: elements.count, by: 2) {
                result[try key(elements[index])] = try value(elements[index + 1])
            }
            return result
        case "object":
            guard case .data(let bytes) = list else { throw Failure(description: "unknown object") }
            return try AnyArchiveTransformer.object(in: Data(bytes))
        default: throw Failure(description: "unknown kind of value “\(tag)”")
        }
    }

    /// Returns a dictionary key. Numbers are Swift's: an `NSNumber` key does not equal them on Linux.
    private static func key(_ list: PropertyListValue) throws -> AnyHashable {
        switch list {
        case .boolean(let flag): return flag
        case .integer(let number): return Int(truncatingIfNeeded: number)
        case .real(let number): return number
        default:
            guard let key = try value(list) as? AnyHashable else {
                throw Failure(description: "unknown key of a dictionary")
            }
            return key
        }
    }

    private static func text(_ list: PropertyListValue) throws -> String {
        guard let text = list.string else { throw Failure(description: "a string is missing") }
        return text
    }

    private static func format(_ list: PropertyListValue) throws -> ArchivedFormat {
        guard case .array(let parts) = list, let format = parts.first?.string else {
            throw Failure(description: "a predicate has no text")
        }
        return ArchivedFormat(format: format, arguments: try parts.dropFirst().map { try value($0) ?? NSNull() })
    }
}

/// A dictionary of an archive that is being written.
struct ArchivedFields {
    private(set) var entries: [PropertyListValue.Entry] = []

    var list: PropertyListValue { .dictionary(entries) }

    /// Adds a value, unless it is `nil`.
    mutating func add(_ key: String, _ value: Any?) throws {
        guard let value else { return }
        entries.append(PropertyListValue.Entry(key, try ArchivedValue.list(value)))
    }

    mutating func add(_ key: String, list: PropertyListValue?) {
        if let list { entries.append(PropertyListValue.Entry(key, list)) }
    }
}

/// Reads fields of a dictionary in an archive.
struct ArchivedReader {
    let list: PropertyListValue

    init(_ list: PropertyListValue) throws {
        guard case .dictionary = list else { throw ArchivedValue.Failure(description: "a dictionary is missing") }
        self.list = list
    }

    /// Returns the value of a key, or `nil` if there is none.
    func value(_ key: String) throws -> Any? { try list[key].flatMap { try ArchivedValue.value($0) } }

    func string(_ key: String) throws -> String? { list[key]?.string }

    func flag(_ key: String) throws -> Bool {
        if case .boolean(let flag) = list[key] { flag } else { false }
    }

    func integer(_ key: String) throws -> Int {
        if case .integer(let number) = list[key] { Int(truncatingIfNeeded: number) } else { 0 }
    }

    func lists(_ key: String) throws -> [PropertyListValue] {
        if case .array(let elements) = list[key] { elements } else { [] }
    }

    /// Returns the name. Throws an error if it is missing.
    func name() throws -> String {
        guard let name = try string("name") else { throw ArchivedValue.Failure(description: "a name is missing") }
        return name
    }
}
