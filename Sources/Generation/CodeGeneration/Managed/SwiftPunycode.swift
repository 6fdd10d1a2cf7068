/// Punycode (RFC 3492) with the digits that Swift's mangling uses: `a` to `z` and `A` to `J`, and `_` as the delimiter.
enum SwiftPunycode {
    /// Returns a non-ASCII name as Swift encodes it in symbols.
    static func encode(_ name: String) -> String {
        let input = name.unicodeScalars.map { scalar in
            // Characters that are invalid in symbols are mapped to surrogates, which no text contains.
            scalar.isASCII && !isSymbol(scalar) ? scalar.value + 0xD800 : scalar.value
        }
        var output = String.UnicodeScalarView()
        for value in input where value < 0x80 { if let scalar = Unicode.Scalar(value) { output.append(scalar) } }
        let basicCount = output.count
        var handled = basicCount
        if basicCount > 0 { output.append("_") }
        var (code, delta, bias) = (UInt32(0x80), UInt32(0), UInt32(72))
        while handled < input.count {
            guard let next = input.filter({ $0 >= code }).min() else { break }
            delta &+= (next - code) &* UInt32(handled + 1)
            code = next
            for value in input {
                if value < code { delta &+= 1 }
                guard value == code else { continue }
                var rest = delta
                var step = UInt32(36)
                while true {
                    let threshold = step <= bias ? 1 : step >= bias + 26 ? 26 : step - bias
                    if rest < threshold { break }
                    output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    step += 36
                }
                output.append(digit(rest))
                bias = adapt(delta, UInt32(handled + 1), isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta &+= 1
            code += 1
        }
        return String(output)
    }

    private static func adapt(_ delta: UInt32, _ count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var bias: UInt32 = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }

    private static func digit(_ value: UInt32) -> Unicode.Scalar {
        Unicode.Scalar(UInt8(value < 26 ? UInt32(UInt8(ascii: "a")) + value : UInt32(UInt8(ascii: "A")) + value - 26))
    }

    private static func isSymbol(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_"
            || scalar == "$"
    }
}
