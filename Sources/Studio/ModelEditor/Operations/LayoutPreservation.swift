/// Applies a change to a file whose indentation, spacing or ending differs from Xcode's.
enum LayoutPreservation {
    /// Returns the original with the changes between two files in Xcode's layout; `nil` if its lines do not correspond
    /// to those of the old text.
    ///
    /// - Parameters:
    ///   - old: The original in Xcode's layout.
    ///   - new: The changed document in Xcode's layout.
    ///   - original: The text of the file.
    static func apply(from old: String, to new: String, original: String) -> String? {
        let old = lines(old)
        let new = lines(new)
        let raw = lines(original)
        // A line of the original with the blank lines before it.
        var blocks: [[Substring]] = []
        var pending: [Substring] = []
        for line in raw {
            pending.append(line)
            if !trimmed(line).isEmpty {
                blocks.append(pending)
                pending = []
            }
        }
        guard blocks.count == old.count,
            zip(blocks.dropFirst(), old.dropFirst()).allSatisfy({ trimmed($0.last ?? "") == trimmed($1) })
        else { return nil }
        let unit = indentation(raw)
        let ending: Substring = raw.first?.last == "\r" ? "\r" : ""
        let difference = new.dropFirst().map(trimmed).difference(from: old.dropFirst().map(trimmed))
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset + 1)
            case .insert(let offset, _, _): inserted.insert(offset + 1)
            }
        }
        var result: [Substring] = blocks[0]
        var source = 1
        for target in new.indices.dropFirst() {
            if inserted.contains(target) {
                // A line that replaces another one keeps the blank lines before it.
                if removed.contains(source) {
                    result += blocks[source].dropLast()
                    source += 1
                }
                result.append(indented(new[target], unit) + ending)
                continue
            }
            while removed.contains(source) { source += 1 }
            guard source < blocks.count else { return nil }
            result += blocks[source]
            source += 1
        }
        return (result + pending).joined(separator: "\n")
    }

    /// Splits at line feeds, as bytes: Swift treats CR LF as one character.
    private static func lines(_ text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\r" }

    private static func trimmed(_ line: Substring) -> Substring {
        let scalars = line.unicodeScalars
        guard let start = scalars.firstIndex(where: { !isSpace($0) }),
            let end = scalars.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return Substring(scalars[start...end])
    }

    /// Returns the whitespace before the first indented line, which is one level of indentation.
    private static func indentation(_ lines: [Substring]) -> Substring {
        for line in lines where !trimmed(line).isEmpty {
            let space = line.prefix { $0 == " " || $0 == "\t" }
            if !space.isEmpty { return space }
        }
        return "    "
    }

    private static func indented(_ line: Substring, _ unit: Substring) -> Substring {
        let depth = line.prefix { $0 == " " }.count / 4
        return Substring(String(repeating: String(unit), count: depth) + trimmed(line))
    }
}
