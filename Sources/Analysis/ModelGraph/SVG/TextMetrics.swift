/// Estimates the width of text without access to fonts: for each character the width in Helvetica (which Arial and
/// Liberation Sans share) or in DejaVu Sans, whichever is wider, and a guess for most characters beyond ASCII. DejaVu
/// Sans is the only font on many Linux systems; text in the narrower fonts leaves some room.
enum TextMetrics {
    /// The widths of the characters from space to `~`, in thousandths of the font's size.
    private static let regular: [Int] = [
        318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
        636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556,
        1015, 684, 686, 722, 770, 667, 611, 778, 752, 295, 500, 667, 557, 863, 748, 787,
        667, 787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 337, 390, 838, 556,
        500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
        635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
    ]

    /// The same widths for bold text.
    private static let bold: [Int] = [
        348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365,
        696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 611,
        1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 556, 775, 637, 995, 837, 850,
        733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 556,
        500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687,
        716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
    ]

    /// Returns the width of a text in a font size. Renderers that position glyphs at whole pixels need slightly more
    /// than the font's widths.
    static func width(_ text: String, size: Double, isBold: Bool = false) -> Double {
        let ascii = isBold ? bold : regular
        let thousandths = text.unicodeScalars.reduce(0) { sum, scalar in
            sum + (0x20...0x7E ~= scalar.value ? ascii[Int(scalar.value) - 0x20] : guess(scalar, isBold))
        }
        return Double(thousandths) * size / 1000 * 1.02
    }

    private static func guess(_ scalar: Unicode.Scalar, _ isBold: Bool) -> Int {
        switch scalar.value {
        case 0x300...0x36F, 0x200B...0x200F, 0xFE00...0xFE0F, 0x1F3FB...0x1F3FF: return 0
        case 0x2026, 0x2190...0x21FF: return 1000
        case 0x1100...0x11FF, 0x2E80...0xD7FF, 0xF900...0xFAFF, 0xFF00...0xFFEF: return 1000
        case 0x2600...0x27BF, 0x1F000...0x1FAFF: return 1300
        case 0x20000...0x3FFFF: return 1000
        default: return isBold ? 800 : 720
        }
    }

    /// Returns the text, with its end replaced by an ellipsis if it is too wide.
    static func fitted(_ text: String, width limit: Double, size: Double, isBold: Bool = false) -> String {
        // A name can be as long as the file, so only the part that can fit is measured.
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
