internal import Diagnostics
internal import ModelSchema

extension ModelEncoder {
    /// Writes an attribute's default (Documentation/Formats/CompiledModel.md, 2.6), or null. A text that is invalid for
    /// the type is read as Foundation reads it: as the number at its start, or else 0.
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
            warning: .lostWhenCompiled,
            "the default “\(text)” of “\(entity).\(attribute.name)” is not a valid \(attribute.type.xmlValue) and is not compiled",
            at: attribute.origin, attribute: "defaultValueString")
        return .null
    }

    /// Writes a decimal number. Proven for `0.0` only; others have the same layout.
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
