/// Reads the subset of YAML that a settings file needs. Everything that it accepts is read as libyaml reads it;
/// everything else is an error at its location (`Scripts/check-yaml.py` compares both).
///
/// Supported: one document; block mappings and sequences; flow collections within a line; plain and quoted scalars
/// within a line; comments. Not supported: anchors, aliases, tags, directives, block scalars, complex keys, and scalars
/// or flow collections over several lines. Yams, which contains libyaml, imports Foundation: a program that reads a
/// settings file with it starts in 9.9 ms of processor time, one with FoundationEssentials in 4.7 ms (Yams 6.2.2, Swift
/// 6.3.1, 40 starts each).
///
/// Time is linear in the size of the file, and nesting is limited.
struct YAMLSubset {
    /// A value with the byte offset of its start.
    indirect enum Node {
        /// A text, a number or a Boolean, which the reader distinguishes. Empty for a missing value.
        case scalar(String, Int)
        /// A list.
        case sequence([Node], Int)
        /// Keys with their offsets and values, in order. No key occurs twice.
        case mapping([(key: String, offset: Int, value: Node)], Int)

        /// The byte offset of the value's start.
        var offset: Int {
            switch self {
            case .scalar(_, let offset), .sequence(_, let offset), .mapping(_, let offset): offset
            }
        }
    }

    /// The reason why a file cannot be read.
    struct Failure: Error {
        /// The byte offset of the problem.
        var offset: Int
        var message: String
    }

    /// A line with content other than a comment.
    private struct Line {
        /// The number of spaces, and of list markers, before the content.
        var indentation: Int
        /// The bytes from the content to the end of the line.
        var range: Range<Int>
    }

    static let maximumDepth = 32

    private let bytes: [UInt8]
    private var lines: [Line] = []
    private var index = 0

    /// Reads a file. An empty one is an empty mapping.
    static func parse(_ bytes: [UInt8]) throws(Failure) -> Node {
        try YAMLText.check(bytes)
        var parser = YAMLSubset(bytes: bytes)
        try parser.split()
        guard let first = parser.lines.first else { return .mapping([], 0) }
        let node = try parser.block(depth: 0)
        if parser.index < parser.lines.count {
            let line = parser.lines[parser.index]
            throw Failure(
                offset: line.range.lowerBound,
                message: line.indentation > first.indentation
                    ? "unexpected indentation: a value must fit in one line"
                    : "unexpected line outside of the collection")
        }
        return node
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    // MARK: Lines

    private mutating func split() throws(Failure) {
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var hasMarker = false
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            var content = start..<(end > start && bytes[end - 1] == UInt8(ascii: "\r") ? end - 1 : end)
            while content.lowerBound < content.upperBound, bytes[content.lowerBound] == UInt8(ascii: " ") {
                content = content.lowerBound + 1..<content.upperBound
            }
            let indentation = content.lowerBound - start
            if let byte = content.first.map({ bytes[$0] }), byte != UInt8(ascii: "#") {
                guard byte != UInt8(ascii: "\t") else {
                    throw Failure(offset: content.lowerBound, message: "YAML is indented with spaces, not tabs")
                }
                if indentation == 0, try isMarker(content, isFirst: !hasMarker && lines.isEmpty) {
                    hasMarker = true
                } else {
                    lines.append(Line(indentation: indentation, range: content))
                }
            }
            start = end + 1
        }
    }

    /// Returns whether a line is the `---` that may begin the document. Throws for other markers and directives.
    private func isMarker(_ content: Range<Int>, isFirst: Bool) throws(Failure) -> Bool {
        if bytes[content.lowerBound] == UInt8(ascii: "%") {
            throw Failure(offset: content.lowerBound, message: "unsupported YAML syntax: “%”")
        }
        let head = bytes[content.prefix(3)]
        guard head.elementsEqual("---".utf8) || head.elementsEqual("...".utf8) else { return false }
        let rest = bytes[content.dropFirst(3)]
        guard rest.isEmpty || rest.first == UInt8(ascii: " ") else { return false }
        let text = rest.drop { $0 == UInt8(ascii: " ") }
        guard isFirst, head.first == UInt8(ascii: "-"), text.isEmpty || text.first == UInt8(ascii: "#") else {
            throw Failure(
                offset: content.lowerBound,
                message: "unsupported YAML syntax: “\(String(decoding: head, as: UTF8.self))”")
        }
        return true
    }

    // MARK: Blocks

    private mutating func block(depth: Int) throws(Failure) -> Node {
        let line = lines[index]
        guard depth < Self.maximumDepth else {
            throw Failure(
                offset: line.range.lowerBound, message: "the file nests more than \(Self.maximumDepth) levels")
        }
        if isItem(line) { return try list(indentation: line.indentation, depth: depth) }
        var scanner = YAMLLine(bytes, line.range)
        guard try scanner.key() != nil else {
            index += 1
            scanner = YAMLLine(bytes, line.range)
            return try scanner.value(depth: depth)
        }
        return try mapping(indentation: line.indentation, depth: depth)
    }

    private mutating func mapping(indentation: Int, depth: Int) throws(Failure) -> Node {
        let start = lines[index].range.lowerBound
        var members: [(key: String, offset: Int, value: Node)] = []
        var offsets: [String: Int] = [:]
        while index < lines.count, lines[index].indentation == indentation, !isItem(lines[index]) {
            let line = lines[index]
            let location = line.range.lowerBound
            var scanner = YAMLLine(bytes, line.range)
            guard let key = try scanner.key() else {
                throw Failure(offset: location, message: "expected a key with a colon")
            }
            if let other = offsets.updateValue(location, forKey: key) {
                let number = 1 + bytes[..<other].count { $0 == UInt8(ascii: "\n") }
                throw Failure(
                    offset: location, message: "duplicate key “\(YAMLText.shown(key))”, first in line \(number)")
            }
            index += 1
            if !scanner.isAtEnd {
                members.append((key, location, try scanner.value(depth: depth)))
            } else if index < lines.count, lines[index].indentation > indentation {
                members.append((key, location, try block(depth: depth + 1)))
            } else if index < lines.count, lines[index].indentation == indentation, isItem(lines[index]) {
                guard depth + 1 < Self.maximumDepth else {
                    throw Failure(offset: location, message: "the file nests more than \(Self.maximumDepth) levels")
                }
                members.append((key, location, try list(indentation: indentation, depth: depth + 1)))
            } else {
                members.append((key, location, .scalar("", location)))
            }
        }
        return .mapping(members, start)
    }

    private mutating func list(indentation: Int, depth: Int) throws(Failure) -> Node {
        var items: [Node] = []
        let start = lines[index].range.lowerBound
        while index < lines.count, lines[index].indentation == indentation, isItem(lines[index]) {
            let line = lines[index]
            let content = line.range.dropFirst().drop { bytes[$0] == UInt8(ascii: " ") }
            guard let first = content.first, bytes[first] != UInt8(ascii: "#") else {
                index += 1
                if index < lines.count, lines[index].indentation > indentation {
                    items.append(try block(depth: depth + 1))
                } else {
                    items.append(.scalar("", line.range.lowerBound))
                }
                continue
            }
            // The content after the marker may itself be a block, indented to its own column: `- key: value`, `- -
            // item`.
            lines[index] = Line(indentation: indentation + first - line.range.lowerBound, range: content)
            items.append(try block(depth: depth + 1))
        }
        return .sequence(items, start)
    }

    /// Returns whether a line begins with the marker of a list item.
    private func isItem(_ line: Line) -> Bool {
        let next = line.range.lowerBound + 1
        return bytes[line.range.lowerBound] == UInt8(ascii: "-")
            && (next == line.range.upperBound || bytes[next] == UInt8(ascii: " "))
    }
}
