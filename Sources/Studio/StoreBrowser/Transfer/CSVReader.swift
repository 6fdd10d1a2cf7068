/// Reads comma-separated values (RFC 4180), also with semicolons or tabs.
struct CSVReader {
    /// A field of a record.
    typealias Field = (text: String, isQuoted: Bool)

    private let bytes: [UInt8]
    private let separator: UInt8
    private var result: [(line: Int, fields: [Field])] = []
    private var fields: [Field] = []
    private var field: [UInt8] = []
    private var isQuoted = false
    private var line = 1
    private var firstLine = 1

    init(_ text: String) {
        var bytes = Array(text.utf8)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        self.bytes = bytes
        separator = Self.separator(bytes)
    }

    /// Returns the separator that the first line has most of.
    private static func separator(_ bytes: [UInt8]) -> UInt8 {
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in bytes {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard !isQuoted else { continue }
            if byte == 0x0A { break }
            counts[byte, default: 0] += 1
        }
        let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        return candidates.dropFirst().reduce(candidates[0]) { best, next in
            counts[next, default: 0] > counts[best, default: 0] ? next : best
        }
    }

    /// Returns the records with the lines that they start on. Blank lines are left out.
    ///
    /// - Throws: `StoreProblem` if a quote is not closed.
    consuming func records() throws(StoreProblem) -> [(line: Int, fields: [Field])] {
        let quote = UInt8(ascii: "\"")
        var openLine: Int?
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            index += 1
            if openLine != nil {
                if byte == 0x0A { line += 1 }
                if byte != quote {
                    field.append(byte)
                } else if next == quote {
                    field.append(quote)
                    index += 1
                } else {
                    openLine = nil
                }
            } else if byte == quote, field.isEmpty, !isQuoted {
                isQuoted = true
                openLine = line
            } else if byte == separator {
                endField()
            } else if byte == 0x0A || byte == 0x0D {
                if byte == 0x0D, next == 0x0A { index += 1 }
                endRecord()
                line += 1
                firstLine = line
            } else {
                field.append(byte)
            }
        }
        if let openLine {
            throw StoreProblem(
                "the quote in line \(openLine) is not closed", help: "Close it, or double it to write a quote.")
        }
        endRecord()
        return result
    }

    private mutating func endField() {
        fields.append((String(decoding: field, as: UTF8.self), isQuoted))
        field = []
        isQuoted = false
    }

    private mutating func endRecord() {
        guard !fields.isEmpty || !field.isEmpty || isQuoted else { return }
        endField()
        result.append((firstLine, fields))
        fields = []
    }
}
