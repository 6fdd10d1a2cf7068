internal import ModelSchema

/// Reads a property list in XML: the `VersionInfo.plist` of compilers from 2012 (Documentation/Formats/CompiledModel.md,
/// 2.10).
///
/// A custom scanner for the few elements of property lists, so that reading compiled models needs no XML library.
/// Document types are not followed, and only XML's five predefined entities are supported.
struct XMLPropertyListParser {
    /// An open container.
    private struct Frame {
        var isDictionary: Bool
        var key: String?
        var entries: [PropertyListValue.Entry] = []
        var elements: [PropertyListValue] = []
    }

    private let bytes: [UInt8]
    private var position = 0
    private var frames: [Frame] = []
    private var root: PropertyListValue?

    /// Reads a list.
    static func parse(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
        var parser = XMLPropertyListParser(bytes: bytes)
        return try parser.run()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func run() throws(PropertyListError) -> PropertyListValue {
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start
            try readMarkup()
        }
        guard frames.isEmpty, let root else {
            throw PropertyListError("the property list ends early", at: bytes.count)
        }
        return root
    }

    private mutating func readMarkup() throws(PropertyListError) {
        let start = position
        for (opening, closing) in [("<!--", "-->"), ("<?", "?>"), ("<!", ">")]
        where bytes[start...].starts(with: opening.utf8) {
            _ = try text(upTo: closing, from: start + opening.utf8.count)
            return
        }
        let tag = try text(upTo: ">", from: start + 1)
        let isClosing = tag.first == UInt8(ascii: "/")
        let isEmpty = tag.last == UInt8(ascii: "/")
        let name = String(
            decoding: tag.drop { $0 == UInt8(ascii: "/") }.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") },
            as: UTF8.self)
        switch (name, isClosing) {
        case ("plist", _): break
        case ("dict", false), ("array", false):
            guard frames.count < BinaryPropertyList.maximumDepth else {
                throw PropertyListError(.isTooLarge, "the property list nests too deep", at: start)
            }
            frames.append(Frame(isDictionary: name == "dict"))
            if isEmpty { try close(isDictionary: name == "dict", at: start) }
        case ("dict", true), ("array", true): try close(isDictionary: name == "dict", at: start)
        case (_, true): throw PropertyListError("the element \(name) ends where none begins", at: start)
        default:
            let content = isEmpty ? "" : try content(of: name)
            if name == "key" {
                try setKey(content, at: start)
            } else {
                try add(try scalar(name, content, at: start), at: start)
            }
        }
    }

    private mutating func close(isDictionary: Bool, at offset: Int) throws(PropertyListError) {
        guard let frame = frames.popLast(), frame.isDictionary == isDictionary, frame.key == nil else {
            throw PropertyListError("a container ends where it should not", at: offset)
        }
        try add(isDictionary ? .dictionary(frame.entries) : .array(frame.elements), at: offset)
    }

    private mutating func setKey(_ key: String, at offset: Int) throws(PropertyListError) {
        guard let last = frames.indices.last, frames[last].isDictionary, frames[last].key == nil else {
            throw PropertyListError("a key stands where no key can stand", at: offset)
        }
        frames[last].key = key
    }

    private mutating func add(_ value: PropertyListValue, at offset: Int) throws(PropertyListError) {
        guard let last = frames.indices.last else {
            guard root == nil else { throw PropertyListError("the property list has a second value", at: offset) }
            root = value
            return
        }
        guard frames[last].isDictionary else { return frames[last].elements.append(value) }
        guard let key = frames[last].key else { throw PropertyListError("a value has no key", at: offset) }
        frames[last].entries.append(PropertyListValue.Entry(key, value))
        frames[last].key = nil
    }

    private func scalar(
        _ name: String, _ content: String, at offset: Int
    ) throws(PropertyListError) -> PropertyListValue {
        switch name {
        case "string": return .string(content)
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "integer":
            if let value = Int64(trimmed(content)) { return .integer(value) }
            if let value = UInt64(trimmed(content)) { return .unsigned(value) }
        case "real": if let value = Double(trimmed(content)) { return .real(value) }
        case "data": if let bytes = Base64.decode(content) { return .data(bytes) }
        case "date": if let seconds = Self.seconds(trimmed(content)) { return .date(seconds) }
        default: throw PropertyListError("a property list has no element \(name)", at: offset)
        }
        throw PropertyListError("the content of an element \(name) makes no sense", at: offset)
    }

    private func trimmed(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    /// Reads the text of an element up to its end tag, with entities replaced.
    private mutating func content(of name: String) throws(PropertyListError) -> String {
        let start = position
        let raw = try text(upTo: "</\(name)", from: start)
        _ = try text(upTo: ">", from: position)
        guard !raw.contains(UInt8(ascii: "<")) else {
            throw PropertyListError("the element \(name) holds more than text", at: start)
        }
        var text = ""
        var rest = raw
        while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
            text += String(decoding: rest[..<ampersand], as: UTF8.self)
            guard let end = rest[ampersand...].firstIndex(of: UInt8(ascii: ";")),
                let scalar = Self.entity(String(decoding: rest[(ampersand + 1)..<end], as: UTF8.self))
            else { throw PropertyListError("an entity is unknown", at: ampersand) }
            text.unicodeScalars.append(scalar)
            rest = rest[(end + 1)...]
        }
        return text + String(decoding: rest, as: UTF8.self)
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

    private static func entity(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst(name.hasPrefix("#x") ? 2 : 1)
            return UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10).flatMap { Unicode.Scalar($0) }
        }
    }

    /// Reads the bytes up to a text, and skips the text.
    private mutating func text(upTo end: String, from start: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
        let pattern = Array(end.utf8)
        var index = start
        while index + pattern.count <= bytes.count {
            if bytes[index] == pattern.first, bytes[index..<index + pattern.count].elementsEqual(pattern) {
                position = index + pattern.count
                return bytes[start..<index]
            }
            index += 1
        }
        throw PropertyListError("the property list ends early", at: bytes.count)
    }
}
