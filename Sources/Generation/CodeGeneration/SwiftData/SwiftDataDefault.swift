internal import ModelSchema

/// The default value of an attribute as a Swift expression.
struct SwiftDataDefault {
    let attribute: Attribute
    let schema: SwiftDataSchema

    /// The expression, or `nil` if there is no default value or its expression could fail.
    var expression: String? {
        if attribute.type == .date { return date }
        guard !attribute.isDerived, let text = attribute.defaultValue, !text.isEmpty else { return nil }
        switch attribute.type {
        case .string: return SwiftIdentifier.stringLiteral(text)
        case .boolean:
            let value = NumberText.parseBoolean(text)
            return value.isExact ? "\(value.value)" : nil
        case .integer16: return integer(Int16.self, text)
        case .integer32: return integer(Int32.self, text)
        case .integer64: return integer(Int64.self, text)
        case .double, .float: return real(text)
        case .decimal: return decimal(text)
        case .uuid: return uuid(text)
        case .uri:
            // The initializer fails for invalid URLs, and only an optional property can hold the `nil`.
            guard attribute.isOptional else { return nil }
            return "\(schema.type("URL", in: "Foundation"))(string: \(SwiftIdentifier.stringLiteral(text)))"
        default: return nil
        }
    }

    /// Whether the model has a default value that `expression` leaves out.
    var isLost: Bool {
        guard expression == nil, !attribute.isDerived else { return false }
        return !(attribute.defaultValue ?? "").isEmpty || !(attribute.defaultDateInterval ?? "").isEmpty
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type, _ text: String) -> String? {
        let number = NumberText.parseInteger(text)
        guard number.isExact, let value = Number(exactly: number.value) else { return nil }
        return "\(value)"
    }

    private func real(_ text: String) -> String? {
        let number = NumberText.parseReal(text)
        return number.isExact ? "\(number.value)" : nil
    }

    private func decimal(_ text: String) -> String? {
        guard let (number, isExact) = DecimalText.parse(text), isExact else { return nil }
        let digits = number.description.filter { $0 != "." && $0 != "-" }
        guard let mantissa = Int64(digits) else { return nil }
        let fractionCount = number.description.split(separator: ".").dropFirst().first?.count ?? 0
        if fractionCount == 0 || mantissa == 0 {
            return number.isNegative && mantissa != 0 ? "-\(mantissa)" : "\(mantissa)"
        }
        let sign = number.isNegative ? "minus" : "plus"
        let decimal = schema.type("Decimal", in: "Foundation")
        return "\(decimal)(sign: .\(sign), exponent: -\(fractionCount), significand: \(mantissa))"
    }

    private func uuid(_ text: String) -> String? {
        let digits = text.filter(\.isHexDigit)
        guard digits.count == 32, text.count == 36 else { return nil }
        let bytes = stride(from: 0, to: 32, by: 2).map { "0x" + digits.dropFirst($0).prefix(2).uppercased() }
        return "\(schema.type("UUID", in: "Foundation"))(uuid: (\(bytes.joined(separator: ", "))))"
    }

    private var date: String? {
        guard !attribute.isDerived, let seconds = attribute.defaultDateInterval.map(NumberText.parseReal),
            seconds.isExact
        else { return nil }
        return "\(schema.type("Date", in: "Foundation"))(timeIntervalSinceReferenceDate: \(seconds.value))"
    }
}
