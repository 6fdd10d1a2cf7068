internal import Foundation

// The keys of Foundation's value classes that predicates use: `name.length > 3`.
extension PredicateValue {
    /// Returns the value of a property of a string, number, date, UUID or data, or `nil` for an unknown key.
    func scalarValue(forKey key: String) -> PredicateValue? {
        if key == "description" { return any.map { .string(String(describing: $0)) } }
        switch self {
        case .string(let text): return text.value(forPredicateKey: key)
        case .boolean, .integer, .real, .decimal: return numberValue(forKey: key)
        case .date(let seconds):
            switch key {
            case "timeIntervalSinceReferenceDate": return .real(seconds)
            case "timeIntervalSince1970": return .real(seconds + Date.timeIntervalBetween1970AndReferenceDate)
            case "timeIntervalSinceNow":
                return .real(Date(timeIntervalSinceReferenceDate: seconds).timeIntervalSinceNow)
            default: return nil
            }
        case .uuid(let uuid): return key == "UUIDString" ? .string(uuid.uuidString) : nil
        case .data(let data): return key == "length" ? .integer(Int64(data.count)) : nil
        default: return nil
        }
    }

    private func numberValue(forKey key: String) -> PredicateValue? {
        guard let number = any as? NSNumber else { return nil }
        switch key {
        case "boolValue": return .boolean(number.boolValue)
        case "doubleValue", "floatValue": return .real(number.doubleValue)
        case "intValue", "integerValue", "longValue", "longLongValue", "shortValue", "charValue":
            return .integer(number.int64Value)
        case "stringValue": return .string(number.stringValue)
        default: return nil
        }
    }
}

extension String {
    fileprivate func value(forPredicateKey key: String) -> PredicateValue? {
        switch key {
        case "length": .integer(Int64(utf16.count))
        case "lowercaseString": .string(lowercased())
        case "uppercaseString": .string(uppercased())
        case "capitalizedString": .string(capitalized)
        case "intValue", "integerValue", "longLongValue": .integer(Int64(NSString(string: self).integerValue))
        case "doubleValue", "floatValue": .real(NSString(string: self).doubleValue)
        case "boolValue": .boolean(NSString(string: self).boolValue)
        case "lastPathComponent": .string(NSString(string: self).lastPathComponent)
        case "pathExtension": .string(NSString(string: self).pathExtension)
        default: nil
        }
    }
}

extension URL {
    /// Returns the value of a property of `NSURL`, or `nil` for an unknown key.
    func value(forPredicateKey key: String) -> PredicateValue? {
        switch key {
        case "absoluteString": .string(absoluteString)
        case "scheme": PredicateValue(scheme)
        case "host": PredicateValue(host)
        case "path": .string(path)
        case "query": PredicateValue(query)
        case "fragment": PredicateValue(fragment)
        case "port": PredicateValue(port.map { Int64($0) })
        case "lastPathComponent": .string(lastPathComponent)
        case "pathExtension": .string(pathExtension)
        default: nil
        }
    }
}
