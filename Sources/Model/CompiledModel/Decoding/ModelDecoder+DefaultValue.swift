internal import ModelSchema

extension ModelDecoder {
    /// Reads a default value (Documentation/Formats/CompiledModel.md, 2.6), as the text that Xcode writes for its type.
    mutating func decodeDefault(_ object: ObjectID, of attribute: inout Attribute, path: String) {
        if let seconds = reader.date(object) { return attribute.defaultDateInterval = NumberText.text(of: seconds) }
        switch reader.archive.plist(object) {
        case .boolean(let value): attribute.defaultValue = number(value ? 1 : 0, for: attribute.type)
        case .integer(let value): attribute.defaultValue = number(value, for: attribute.type)
        case .real(let value): setReal(value, of: &attribute)
        case .float(let value): setFloat(value, of: &attribute)
        case .string(let text): attribute.defaultValue = text
        case .dictionary where reader.archive.recognizedClass(of: object) == .date: break
        case .dictionary:
            guard let text = objectText(object) else {
                reader.reporter.unsupported(
                    "the default of “\(path)” is \(reader.describe(object)), which cannot be represented in a model's source"
                )
                return
            }
            attribute.defaultValue = text
        default:
            reader.reporter.unsupported("the default of “\(path)” cannot be represented in a model's source")
        }
    }

    private mutating func objectText(_ object: ObjectID) -> String? {
        switch reader.archive.recognizedClass(of: object) {
        case .string, .mutableString: return reader.string(object)
        case .decimal, .decimalNumber: return decimalText(object)
        case .uuid:
            guard case .inline(.data(let range)) = reader.archive.value(.uuidBytes, of: object) else { return nil }
            return UUIDText.text(of: Array(reader.archive.data(range)))
        case .url: return reader.string(.urlRelative, of: object)
        default: return nil
        }
    }

    private func number(_ value: Int64, for type: AttributeType) -> String {
        switch type {
        case .boolean: value == 0 ? "NO" : "YES"
        case .double, .float: "\(value).0"
        default: String(value)
        }
    }

    private func setReal(_ value: Double, of attribute: inout Attribute) {
        switch attribute.type {
        case .date: attribute.defaultDateInterval = NumberText.text(of: value)
        case .float where Double(Float(value)) == value: attribute.defaultValue = Float(value).description
        case .boolean: attribute.defaultValue = value == 0 ? "NO" : "YES"
        case .integer16, .integer32, .integer64: attribute.defaultValue = NumberText.text(of: value)
        default: attribute.defaultValue = value.description
        }
    }

    private func setFloat(_ value: Float, of attribute: inout Attribute) {
        // A 32-bit number has a shorter description than the same value with 64 bits.
        if attribute.type == .float || attribute.type == .double {
            attribute.defaultValue = value.description
        } else {
            setReal(Double(value), of: &attribute)
        }
    }

    /// Returns the text of a decimal number: up to 128 bits of mantissa, least significant word first, and a power of
    /// ten.
    private mutating func decimalText(_ object: ObjectID) -> String? {
        guard case .inline(.data(let range)) = reader.archive.value(.mantissa, of: object) else { return nil }
        let bytes = Array(reader.archive.data(range).prefix(16))
        let isBigEndian = reader.integer(.mantissaByteOrder, of: object) == 2
        let wordCount = max(0, min(reader.integer(.mantissaLength, of: object) ?? 0, bytes.count / 2))
        let words = (0..<wordCount).map { position -> UInt16 in
            let (first, second) = (UInt16(bytes[2 * position]), UInt16(bytes[2 * position + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        let exponent = reader.integer(.exponent, of: object) ?? 0
        guard -128...127 ~= exponent else { return nil }
        let isNegative = reader.flag(.isNegative, of: object)
        return DecimalText(isNegative: isNegative, mantissa: words, exponent: exponent).description
    }
}
