import Diagnostics

/// A text without the emoji 1️⃣ to 9️⃣, which marked positions in it.
struct MarkedSource {
    let bytes: [UInt8]
    private var locations: [Int: SourcePosition] = [:]

    init(_ text: String) {
        var plain = ""
        var offsets: [Int: Int] = [:]
        for character in text {
            let scalars = character.unicodeScalars
            if scalars.count == 3, scalars.last == "\u{20E3}", let digit = scalars.first.flatMap({ Int(String($0)) }) {
                offsets[digit] = plain.utf8.count
            } else {
                plain.append(character)
            }
        }
        bytes = Array(plain.utf8)
        let lines = LineIndex(bytes)
        locations = offsets.mapValues { lines.position(at: $0) }
    }

    /// Returns the position marked by an emoji.
    func callAsFunction(_ mark: Int) -> SourcePosition? { locations[mark] }
}
