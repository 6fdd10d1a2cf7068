/// Estimates how wide text is, since no font can be asked: the widths of Helvetica, which Arial and Liberation Sans
/// share, and a guess for everything beyond ASCII.
enum TextMetrics {
    /// The widths of the characters from space to `~`, in thousandths of the font's size.
    private static let ascii: [Int] = [
        278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
        556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
        1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
        667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
        333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
        556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
    ]

    /// The width of a text in a size, bold text being a tenth wider.
    static func width(_ text: String, size: Double, isBold: Bool = false) -> Double {
        let thousandths = text.unicodeScalars.reduce(0) { $0 + width($1) }
        return Double(thousandths) * size / 1000 * (isBold ? 1.1 : 1.02)
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x20...0x7E: return ascii[Int(scalar.value) - 0x20]
        case 0x300...0x36F, 0x200B...0x200F, 0xFE00...0xFE0F, 0x1F3FB...0x1F3FF: return 0
        case 0x2026: return 1000
        case 0x1100...0x11FF, 0x2E80...0xD7FF, 0xF900...0xFAFF, 0xFF00...0xFFEF: return 1000
        case 0x2600...0x27BF, 0x1F000...0x1FAFF: return 1300
        case 0x20000...0x3FFFF: return 1000
        default: return 600
        }
    }

    /// The text, with its end replaced by an ellipsis when it is too wide.
    static func fitted(_ text: String, width limit: Double, size: Double, isBold: Bool = false) -> String {
        // A name can be as long as the file; no more of it than can ever fit is looked at.
        let head = String(text.prefix(200))
        if head.utf8.count == text.utf8.count, width(head, size: size, isBold: isBold) <= limit { return text }
        var room = limit - width("…", size: size, isBold: isBold)
        var kept = ""
        for character in head {
            // A character can have any number of combining marks.
            guard character.unicodeScalars.count <= 16 else { break }
            room -= width(String(character), size: size, isBold: isBold)
            if room < 0 { break }
            kept.append(character)
        }
        return kept + "…"
    }
}
