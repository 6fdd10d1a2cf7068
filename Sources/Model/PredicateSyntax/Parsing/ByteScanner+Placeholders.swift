extension ByteScanner {
    /// Reads the placeholder at the position, which is at a percent sign: an optional length and a conversion letter.
    /// Width, precision and `1$` positions, which string formats support, have no meaning in a predicate.
    mutating func placeholder(index: Int) throws(PredicateSyntaxError) -> Placeholder {
        let start = position
        position += 1
        while let byte = current, ByteScanner.lengthModifiers.contains(byte) {
            position += 1
        }
        if let letter = current, let kind = Placeholder.kind(ofConversion: letter) {
            position += 1
            return Placeholder(index: index, kind: kind, spelling: text(start..<position))
        }
        let end = tokenRange(at: position).upperBound
        if current == UInt8(ascii: "%") {
            throw error(
                "`%%` stands for a percent sign, which is not an operator", at: start..<end,
                hint: "use modulus:by:(a, b) for the remainder of a division")
        }
        throw error(
            "`\(text(start..<end))` is not a placeholder", at: start..<end,
            expected: ["%@", "%K", "%d", "%ld", "%f"],
            hint: position == start + 1 ? "use modulus:by:(a, b) for the remainder of a division" : nil)
    }

    private static let lengthModifiers: Set<UInt8> = Set("hlqLzjt".utf8)
}
