import Diagnostics

/// A text with the emoji 1️⃣ to 9️⃣ in it, which mark places and are taken out.
struct MarkedSource {
    let bytes: [UInt8]
    private var places: [Int: SourcePosition] = [:]

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
        places = offsets.mapValues { lines.position(at: $0) }
    }

    /// The place that an emoji marked.
    func callAsFunction(_ mark: Int) -> SourcePosition? { places[mark] }
}
