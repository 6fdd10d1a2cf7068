internal import ModelSchema

extension ModelEncoder {
    /// Writes an attribute's default (compiled-model.md, 2.6), or null. A text that does not fit the type is read as
    /// Foundation reads it: as the number it begins with, else 0.
    mutating func encodeDefault(of attribute: Attribute, entity: String) -> Reference {
        if attribute.type == .date { return encodeDateDefault(of: attribute, entity: entity) }
        guard let text = attribute.defaultValue else { return .null }
        if attribute.type == .string { return builder.add(text) }
        guard !text.isEmpty else { return .null }
        switch attribute.type {
        case .integer16, .integer32, .integer64: return builder.add(NumberText.integer(text))
        case .double: return builder.add(NumberText.real(text))
        case .float: return builder.add(Float(NumberText.real(text)))
        case .boolean: return builder.add(NumberText.boolean(text))
        case .decimal:
            guard let number = DecimalText(text) else { return lostDefault(text, of: attribute, entity: entity) }
            return encode(number)
        case .uuid:
            guard let bytes = UUIDText.bytes(of: text) else { return lostDefault(text, of: attribute, entity: entity) }
            report(
                unproven: "the default of “\(entity).\(attribute.name)”", at: attribute.origin,
                attribute: "defaultValueString")
            return builder.add(.uuid, [(.uuidBytes, .data(bytes))])
        case .uri:
            report(
                unproven: "the default of “\(entity).\(attribute.name)”", at: attribute.origin,
                attribute: "defaultValueString")
            return builder.add(.url, [(.urlBase, .reference(.null)), (.urlRelative, .reference(builder.add(text)))])
        case .undefined, .string, .date, .binary, .transformable, .objectID, .composite:
            return lostDefault(text, of: attribute, entity: entity)
        }
    }

    private mutating func encodeDateDefault(of attribute: Attribute, entity: String) -> Reference {
        if let text = attribute.defaultDateInterval.nonEmpty {
            return builder.add(.date, [(.time, .real(NumberText.real(text)))])
        }
        guard let text = attribute.defaultValue.nonEmpty else { return .null }
        return lostDefault(text, of: attribute, entity: entity)
    }

    private mutating func lostDefault(_ text: String, of attribute: Attribute, entity: String) -> Reference {
        report(
            warning: "lost-when-compiled",
            "the default “\(text)” of “\(entity).\(attribute.name)” is no \(attribute.type.xmlValue) and is not compiled",
            at: attribute.origin, attribute: "defaultValueString")
        return .null
    }

    /// Writes a decimal number. Proven for `0.0` only; the rest is the same layout.
    private mutating func encode(_ number: DecimalText) -> Reference {
        var bytes = number.mantissa.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        bytes += Array(repeating: 0, count: 16 - bytes.count)
        return builder.add(
            .decimal,
            [
                (.mantissa, .data(bytes)), (.exponent, .integer(number.exponent)),
                (.mantissaLength, .integer(number.mantissa.count)), (.isNegative, .boolean(number.isNegative)),
                (.isCompact, .boolean(false)), (.mantissaByteOrder, .integer(1)),
            ])
    }
}

/// Texts as Foundation's `NSString` reads numbers in them: whatever they begin with counts, the rest does not.
enum NumberText {
    /// `integerValue`: the digits at the beginning, limited to 64 bits; 0 when there are none.
    static func integer(_ text: String) -> Int64 {
        let characters = withoutLeadingSpace(text)
        var digits = characters
        let isNegative = digits.first == "-"
        if isNegative || digits.first == "+" { digits.removeFirst() }
        let number = digits.prefix { "0"..."9" ~= $0 }
        guard !number.isEmpty else { return 0 }
        return Int64((isNegative ? "-" : "") + String(number)) ?? (isNegative ? .min : .max)
    }

    /// `doubleValue`: the number at the beginning; 0 when there is none.
    static func real(_ text: String) -> Double {
        let characters = Array(withoutLeadingSpace(text).utf8)
        var end = 0
        func skipDigits() -> Bool {
            let start = end
            while end < characters.count, 0x30...0x39 ~= characters[end] { end += 1 }
            return end > start
        }
        func skip(_ allowed: String) -> Bool {
            guard end < characters.count, allowed.utf8.contains(characters[end]) else { return false }
            end += 1
            return true
        }
        _ = skip("+-")
        var hasDigits = skipDigits()
        if skip(".") { hasDigits = skipDigits() || hasDigits }
        guard hasDigits else { return 0 }
        let mantissaEnd = end
        if skip("eE") {
            _ = skip("+-")
            if !skipDigits() { end = mantissaEnd }
        }
        // The standard library wants no point at the end.
        let number = String(decoding: characters[..<end], as: UTF8.self)
        return Double(number) ?? Double(number + "0") ?? 0
    }

    /// `boolValue`: true when, behind spaces, a sign and zeros, a Y, T or digit comes.
    static func boolean(_ text: String) -> Bool {
        var characters = withoutLeadingSpace(text)
        if characters.first == "-" || characters.first == "+" { characters.removeFirst() }
        guard let first = characters.first(where: { $0 != "0" }) else { return false }
        return "YyTt".contains(first) || "1"..."9" ~= first
    }

    private static func withoutLeadingSpace(_ text: String) -> Substring {
        text.drop { $0 == " " || $0 == "\t" || $0 == "\n" }
    }
}
