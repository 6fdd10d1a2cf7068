internal import Foundation
internal import ModelSchema

/// Values of transformable attributes: collections and strings that every app can unarchive, of the class that the
/// attribute names.
struct TransformableValues: ValueGenerator {
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
