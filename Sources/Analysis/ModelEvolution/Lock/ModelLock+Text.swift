internal import Diagnostics
package import ModelSchema

extension ModelLock {
    /// The reason why a text is not a valid lock.
    package struct Malformed: Error, Hashable, Sendable {
        /// The number of the line, from 1.
        package var line: Int
        /// The problem.
        package var message: String
        /// Whether git left a conflict in the file.
        package var isConflict = false
    }

    /// The first line of every lock.
    private static let header = "# modelc.lock 1: version hashes of Core Data models. Written by “modelc lock update”."

    /// The text of the file, ending in a line feed.
    package var text: String {
        var result = Self.header + "\n"
        for key in entries.keys.sorted() {
            guard let entry = entries[key] else { continue }
            result += Self.line(key, entry) + "\n"
        }
        return result
    }

    /// Returns one line of the file, without its line feed.
    package static func line(_ key: Key, _ entry: Entry) -> String {
        [key.model, key.version, key.entity].map(escaped).joined(separator: "\t")
            + "\t\(entry.isReleased ? "released" : "draft")\t\(entry.hash.hexString)"
    }

    /// Parses a lock.
    ///
    /// - Throws: `Malformed` if a line is invalid, a duplicate, or part of a git conflict.
    package init(text: String) throws(Malformed) {
        try self.init(lines: Self.numberedLines(text))
    }

    /// Parses both sides of a lock with git conflicts. Returns the same lock twice if there are no conflicts.
    package static func sides(ofText text: String) throws(Malformed) -> (ours: ModelLock, theirs: ModelLock) {
        enum Part { case both, ours, base, theirs }
        var part = Part.both
        var ours: [(number: Int, text: Substring)] = []
        var theirs: [(number: Int, text: Substring)] = []
        for line in numberedLines(text) {
            if line.text.hasPrefix("<<<<<<<") {
                part = .ours
            } else if line.text.hasPrefix("|||||||"), part == .ours {
                part = .base
            } else if line.text.hasPrefix("======="), part == .ours || part == .base {
                part = .theirs
            } else if line.text.hasPrefix(">>>>>>>"), part == .theirs {
                part = .both
            } else {
                if part == .both || part == .ours { ours.append(line) }
                if part == .both || part == .theirs { theirs.append(line) }
            }
        }
        return (try ModelLock(lines: ours), try ModelLock(lines: theirs))
    }

    private static func numberedLines(_ text: String) -> [(number: Int, text: Substring)] {
        TextLines.split(text).enumerated().map { index, line in (index + 1, line) }
    }

    private init(lines: [(number: Int, text: Substring)]) throws(Malformed) {
        for (number, line) in lines where !line.isEmpty && !line.hasPrefix("#") {
            if line.hasPrefix("<<<<<<<") || line.hasPrefix("=======") || line.hasPrefix(">>>>>>>") {
                throw Malformed(line: number, message: "the file has a git conflict", isConflict: true)
            }
            let (key, entry) = try Self.parse(line, number)
            guard entries.updateValue(entry, forKey: key) == nil else {
                throw Malformed(
                    line: number, message: "a second line for “\(key.entity)” of the version “\(key.version)”")
            }
        }
    }

    private static func parse(_ line: Substring, _ number: Int) throws(Malformed) -> (Key, Entry) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard parts.count == 5 else {
            throw Malformed(
                line: number, message: "a line has five fields separated by tabs; this one has \(parts.count)")
        }
        guard parts[3] == "released" || parts[3] == "draft" else {
            throw Malformed(line: number, message: "“\(parts[3])” is neither “released” nor “draft”")
        }
        guard let hash = VersionHash(hexString: parts[4]) else {
            throw Malformed(line: number, message: "“\(parts[4])” is not a version hash of 64 hexadecimal digits")
        }
        let key = Key(model: unescaped(parts[0]), version: unescaped(parts[1]), entity: unescaped(parts[2]))
        return (key, Entry(isReleased: parts[3] == "released", hash: hash))
    }

    // Names can contain tabs and line breaks, which would break the lines.
    private static func escaped(_ name: String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\t": result += "\\t"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func unescaped(_ text: Substring) -> String {
        guard text.contains("\\") else { return String(text) }
        var result = ""
        var isEscape = false
        for scalar in text.unicodeScalars {
            if isEscape {
                switch scalar {
                case "t": result += "\t"
                case "n": result += "\n"
                case "r": result += "\r"
                default: result.unicodeScalars.append(scalar)
                }
                isEscape = false
            } else if scalar == "\\" {
                isEscape = true
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension VersionHash {
    /// Parses 64 hexadecimal digits; `nil` for any other text.
    package init?(hexString: some StringProtocol) {
        let digits = hexString.utf8.compactMap { byte in Character(Unicode.Scalar(byte)).hexDigitValue }
        guard digits.count == 2 * Self.byteCount, hexString.utf8.count == digits.count else { return nil }
        self.init(bytes: stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
