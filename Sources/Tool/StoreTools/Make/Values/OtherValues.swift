internal import Foundation
internal import ModelSchema

/// UUIDs.
struct UUIDValues: ValueGenerator {
    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        [[UInt8](repeating: 0, count: 16), [UInt8](repeating: 0xFF, count: 16)].compactMap { UUID(bytes: $0) }
            + [UUID(from: &numbers)]
    }

    func random(_ numbers: inout SeededNumbers) -> Any? { UUID(from: &numbers) }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? { UUID(from: &numbers) }

    func value(of text: String) -> Any? { UUID(uuidString: text) }
}

extension UUID {
    /// Creates a UUID from 16 bytes.
    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// Creates a UUID of version 4.
    init(from numbers: inout SeededNumbers) {
        var bytes = numbers.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}

/// URLs.
struct URLValues: ValueGenerator {
    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        [
            "https://example.com/", "file:///tmp/a%20file.txt", "mailto:ada@example.com", "urn:isbn:0451450523",
            "relative/path",
            "https://user@example.com:8443/%F0%9F%99%82?query=a%26b&empty=#fragment", "https://xn--bcher-kva.example/",
        ].compactMap { URL(string: $0) }
    }

    func random(_ numbers: inout SeededNumbers) -> Any? { numbered(numbers.below(1_000_000), &numbers) }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        URL(string: "https://example.com/items/\(number)")
    }

    func value(of text: String) -> Any? { URL(string: text) }
}

/// Bytes. Values above 100 KB are stored in a file if the attribute allows it.
struct DataValues: ValueGenerator {
    private let allowsFiles: Bool
    /// The maximum number of bytes that a store keeps in a row if the attribute allows files.
    private static let threshold = 100 * 1024

    init(_ attribute: Attribute) {
        allowsFiles = attribute.allowsExternalBinaryStorage
    }

    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        var values = [Data(), Data([0]), Data([2]), Data(0...255), Data(numbers.bytes(4096))]
        if allowsFiles {
            values += [Self.threshold, Self.threshold + 1, 3 * Self.threshold].map { Data(numbers.bytes($0)) }
        }
        return values
    }

    func random(_ numbers: inout SeededNumbers) -> Any? { Data(numbers.bytes(1 + numbers.below(64))) }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        withUnsafeBytes(of: UInt64(number).bigEndian) { Data($0) }
    }

    func value(of text: String) -> Any? { nil }
}

/// Values of transformable attributes: collections and texts that every app can unarchive, of the class that the
/// attribute names.
struct Objects: ValueGenerator {
    private let className: String

    init(_ attribute: Attribute) {
        className = attribute.customTypeName ?? ""
    }

    /// Returns whether there are values for the class and transformer of an attribute. Others need the app's code.
    static func isKnown(_ attribute: Attribute) -> Bool {
        let transformer = attribute.valueTransformerName ?? ""
        let isArchive = [
            "", "NSKeyedUnarchiveFromData", "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer",
        ]
        .contains(transformer)
        return isArchive && Kind(attribute.customTypeName ?? "") != nil
    }

    private enum Kind {
        case array
        case dictionary
        case set
        case text
        case number
        case data
        case date
        case url

        init?(_ name: String) {
            let plain = name.hasPrefix("Swift.") ? String(name.dropFirst(6)) : name
            switch plain {
            case "", "NSArray", "Array", "NSObject", "AnyObject", "NSSecureCoding": self = .array
            case "NSDictionary", "Dictionary": self = .dictionary
            case "NSSet", "Set": self = .set
            case "NSString", "String": self = .text
            case "NSNumber", "Int", "Double": self = .number
            case "NSData", "Data": self = .data
            case "NSDate", "Date": self = .date
            case "NSURL", "URL": self = .url
            case "[String]", "[NSString]", "[Any]", "Array<String>", "[AnyObject]": self = .array
            case "Set<String>", "Set<NSString>": self = .set
            case "[String: String]", "[String:String]", "[String: Any]", "[String:Any]", "Dictionary<String, String>":
                self = .dictionary
            default: return nil
            }
        }
    }

    func edges(_ numbers: inout SeededNumbers) -> [Any] { [value("")] + [value("ünïcode 🙂")] }

    func random(_ numbers: inout SeededNumbers) -> Any? { value("value \(numbers.below(1000))") }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? { value("value \(number)") }

    func value(of text: String) -> Any? { nil }

    /// Returns a value with a text. Collections have at most one element: the order of several in an archive is not
    /// deterministic.
    private func value(_ text: String) -> Any {
        switch Kind(className) ?? .array {
        case .array: NSArray(array: text.isEmpty ? [] : [text as NSString])
        case .dictionary: NSDictionary(dictionary: text.isEmpty ? [:] : ["key" as NSString: text as NSString])
        case .set: NSSet(array: text.isEmpty ? [] : [text as NSString])
        case .text: text as NSString
        case .number: NSNumber(value: text.utf8.count)
        case .data: NSData(data: Data(text.utf8))
        case .date: NSDate(timeIntervalSinceReferenceDate: Double(text.utf8.count))
        case .url: NSURL(fileURLWithPath: "/\(text.utf8.count)", isDirectory: false)
        }
    }
}
