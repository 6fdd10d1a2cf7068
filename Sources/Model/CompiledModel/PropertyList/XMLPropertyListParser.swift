internal import ModelSchema

/// Reads a property list in XML: the `VersionInfo.plist` of compilers from 2012
/// (Documentation/Formats/CompiledModel.md, 2.10).
struct XMLPropertyListParser {
    private var tokens: XMLTokens

    static func parse(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
        var parser = XMLPropertyListParser(tokens: XMLTokens(bytes))
        do throws(XMLTokens.Failure) {
            return try parser.list()
        } catch {
            throw PropertyListError(error.message, at: error.offset)
        }
    }

    private mutating func list() throws(XMLTokens.Failure) -> PropertyListValue {
        _ = try tokens.prolog()
        let root = try tokens.root()
        let list = root.name == "plist" ? try content() : try value(root.name, depth: 0)
        try tokens.end()
        return list
    }

    /// Reads the list of the element `plist` after its start tag.
    static func content(of tokens: inout XMLTokens) throws(XMLTokens.Failure) -> PropertyListValue {
        var parser = XMLPropertyListParser(tokens: tokens)
        defer { tokens = parser.tokens }
        return try parser.content()
    }

    private mutating func content() throws(XMLTokens.Failure) -> PropertyListValue {
        guard let tag = try tokens.child(of: "plist") else { throw tokens.failure("the property list has no value") }
        let list = try value(tag.name, depth: 0)
        guard try tokens.child(of: "plist") == nil else { throw tokens.failure("the property list has a second value") }
        return list
    }

    /// Reads a value after its start tag.
    private mutating func value(_ name: String, depth: Int) throws(XMLTokens.Failure) -> PropertyListValue {
        guard name == "dict" || name == "array" else { return try scalar(name) }
        guard depth < BinaryPropertyList.maximumDepth else {
            throw tokens.failure("the property list is nested too deeply")
        }
        var elements: [PropertyListValue] = []
        var entries: [PropertyListValue.Entry] = []
        while var tag = try tokens.child(of: name) {
            var key: String?
            if name == "dict" {
                guard tag.name == "key" else { throw tokens.failure("a value has no key") }
                key = try tokens.text(of: "key")
                guard let next = try tokens.child(of: name) else { throw tokens.failure("a key has no value") }
                tag = next
            }
            let value = try value(tag.name, depth: depth + 1)
            if let key { entries.append(PropertyListValue.Entry(key, value)) } else { elements.append(value) }
        }
        return name == "dict" ? .dictionary(entries) : .array(elements)
    }

    private mutating func scalar(_ name: String) throws(XMLTokens.Failure) -> PropertyListValue {
        let content = try tokens.text(of: name)
        let trimmed = content.filter { !$0.isWhitespace }
        switch name {
        case "string": return .string(content)
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "integer":
            if let value = Int64(trimmed) { return .integer(value) }
            if let value = UInt64(trimmed) { return .unsigned(value) }
        case "real": if let value = Double(trimmed) { return .real(value) }
        case "data": if let bytes = Base64.decode(content) { return .data(bytes) }
        case "date": if let seconds = Self.seconds(trimmed) { return .date(seconds) }
        default: throw tokens.failure("a property list has no element \(name)")
        }
        throw tokens.failure("invalid content of an element \(name)")
    }

    /// Returns the seconds since 2001-01-01 00:00 UTC of a date such as `2024-01-31T12:00:00Z`; `nil` for an invalid
    /// one.
    private static func seconds(_ text: String) -> Double? {
        let parts = text.split(omittingEmptySubsequences: false) { "-T:Z".contains($0) }.map { Int($0) }
        guard text.utf8.count == 20, text.last == "Z", parts.count == 7, let year = parts[0], let month = parts[1],
            let day = parts[2], let hour = parts[3], let minute = parts[4], let second = parts[5],
            (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute),
            (0...60).contains(second)
        else { return nil }
        // Days since 0000-03-01, in years that begin in March.
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear
        let daysUntil2001 = 730_791
        return Double((days - daysUntil2001) * 86_400 + hour * 3600 + minute * 60 + second)
    }
}
