/// A number literal with its sign, as the initial value of a property.
enum NumberLiteral: Hashable {
    case integer(Int64)
    case real(Double)
    /// A number that no type of Swift's standard library can hold.
    case tooLarge

    /// Reads a literal without underscores.
    ///
    /// - Returns: `nil` if the text is not a number.
    init?(_ text: String) {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        let radixes: [String: Int] = ["0x": 16, "0o": 8, "0b": 2]
        let radix = radixes[String(digits.prefix(2))]
        let plain = radix == nil ? digits : digits.dropFirst(2)
        if let integer = Int64((isNegative ? "-" : "") + plain, radix: radix ?? 10) {
            self = .integer(integer)
        } else if let real = Double(text) {
            self = real.isFinite ? .real(real) : .tooLarge
        } else {
            return nil
        }
    }
}
