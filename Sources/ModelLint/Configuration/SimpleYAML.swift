/// As much of YAML as a configuration needs: mappings, lists, texts, comments; in blocks or in braces and brackets.
///
/// Not the library Yams: it brings all of Foundation with it, which every run of the tool would load. What is not known here -
/// anchors, tags, texts over several lines - is an error at its place, never something else than it says.
struct SimpleYAML {
    /// A place in the file, both from 1.
    struct Position: Hashable {
        var line: Int
        var column: Int
    }

    /// A value with its place.
    indirect enum Node {
        /// A text, a number or a truth value: what it is depends on who reads it.
        case scalar(String, Position)
        /// A list.
        case sequence([Node], Position)
        /// Keys with their places and values, in order.
        case mapping([(key: String, position: Position, value: Node)], Position)

        /// Where the value begins.
        var position: Position {
            switch self {
            case .scalar(_, let position), .sequence(_, let position), .mapping(_, let position): position
            }
        }
    }

    /// Why a text cannot be read.
    struct Failure: Error {
        var position: Position
        var message: String
    }

    /// A line that says something.
    private struct Line {
        var number: Int
        /// The number of spaces before the text.
        var indentation: Int
        /// What stands behind them, without a comment.
        var text: [Character]
    }

    private var lines: [Line] = []
    private var index = 0

    /// Reads a file; an empty one is an empty mapping.
    static func parse(_ text: String) throws(Failure) -> Node {
        var parser = SimpleYAML()
        try parser.split(text)
        guard let first = parser.lines.first else { return .mapping([], Position(line: 1, column: 1)) }
        let node = try parser.block(indentation: first.indentation, depth: 0)
        if parser.index < parser.lines.count {
            let line = parser.lines[parser.index]
            throw Failure(
                position: Position(line: line.number, column: line.indentation + 1),
                message: "the line is indented less than what it belongs to")
        }
        return node
    }

    private mutating func split(_ text: String) throws(Failure) {
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            var characters = Array(line)
            if number == 0, characters.first == "\u{FEFF}" { characters.removeFirst() }
            let indentation = characters.prefix { $0 == " " }.count
            if indentation < characters.count, characters[indentation] == "\t" {
                throw Failure(
                    position: Position(line: number + 1, column: indentation + 1),
                    message: "YAML is indented by spaces, not by tabs")
            }
            var content = Array(characters[indentation...])
            Self.removeComment(&content)
            while content.last?.isWhitespace == true { content.removeLast() }
            if content.isEmpty || (indentation == 0 && content == ["-", "-", "-"]) { continue }
            lines.append(Line(number: number + 1, indentation: indentation, text: content))
        }
    }

    private static func removeComment(_ text: inout [Character]) {
        var quote: Character?
        for (position, character) in text.enumerated() {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "#", position == 0 || text[position - 1].isWhitespace {
                text.removeSubrange(position...)
                return
            }
        }
    }

    private mutating func block(indentation: Int, depth: Int) throws(Failure) -> Node {
        let line = lines[index]
        let position = Position(line: line.number, column: line.indentation + 1)
        guard depth < 32 else { throw Failure(position: position, message: "the file is nested too deep") }
        if Self.isItem(line.text) { return try list(indentation: indentation, depth: depth) }
        guard Self.colon(in: line.text) != nil else {
            index += 1
            return try Self.inline(line.text[...], line.number, line.indentation)
        }
        var members: [(key: String, position: Position, value: Node)] = []
        while index < lines.count, lines[index].indentation == indentation, !Self.isItem(lines[index].text) {
            let line = lines[index]
            let place = Position(line: line.number, column: line.indentation + 1)
            guard let colon = Self.colon(in: line.text) else {
                throw Failure(position: place, message: "a key with a colon is expected here")
            }
            let key = Self.unquoted(line.text[..<colon])
            if let other = members.first(where: { $0.key == key }) {
                throw Failure(position: place, message: "“\(key)” stands in line \(other.position.line) already")
            }
            index += 1
            let rest = line.text[(colon + 1)...].drop { $0.isWhitespace }
            if !rest.isEmpty {
                members.append((key, place, try Self.inline(rest, line.number, line.indentation)))
            } else if index < lines.count, lines[index].indentation > indentation {
                members.append((key, place, try block(indentation: lines[index].indentation, depth: depth + 1)))
            } else if index < lines.count, lines[index].indentation == indentation, Self.isItem(lines[index].text) {
                members.append((key, place, try list(indentation: indentation, depth: depth + 1)))
            } else {
                members.append((key, place, .scalar("", place)))
            }
        }
        return .mapping(members, position)
    }

    private mutating func list(indentation: Int, depth: Int) throws(Failure) -> Node {
        var items: [Node] = []
        let position = Position(line: lines[index].number, column: indentation + 1)
        while index < lines.count, lines[index].indentation == indentation, Self.isItem(lines[index].text) {
            let line = lines[index]
            let rest = line.text.dropFirst().drop { $0.isWhitespace }
            if rest.isEmpty {
                index += 1
                guard index < lines.count, lines[index].indentation > indentation else {
                    items.append(.scalar("", Position(line: line.number, column: indentation + 1)))
                    continue
                }
                items.append(try block(indentation: lines[index].indentation, depth: depth + 1))
            } else if Self.colon(in: Array(rest)) != nil {
                // `- key: value` begins a mapping; what follows it is indented as the key is.
                lines[index].indentation += rest.startIndex
                lines[index].text = Array(rest)
                items.append(try block(indentation: lines[index].indentation, depth: depth + 1))
            } else {
                index += 1
                items.append(try Self.inline(rest, line.number, line.indentation))
            }
        }
        return .sequence(items, position)
    }

    private static func isItem(_ text: [Character]) -> Bool {
        text.first == "-" && (text.count == 1 || text[1] == " ")
    }

    /// The colon behind a key: outside of quotes and brackets, followed by a space or the end.
    private static func colon(in text: [Character]) -> Int? {
        var quote: Character?
        var brackets = 0
        for (position, character) in text.enumerated() {
            if let open = quote {
                if character == open { quote = nil }
                continue
            }
            switch character {
            case "\"", "'": if position == 0 || brackets > 0 { quote = character }
            case "[", "{": brackets += 1
            case "]", "}": brackets -= 1
            case ":" where brackets == 0 && (position + 1 == text.count || text[position + 1].isWhitespace):
                return position
            default: break
            }
        }
        return nil
    }

    private static func unquoted(_ text: ArraySlice<Character>) -> String {
        var text = text
        while text.last?.isWhitespace == true { text.removeLast() }
        if let first = text.first, first == "\"" || first == "'", text.count > 1, text.last == first {
            return String(text.dropFirst().dropLast())
        }
        return String(text)
    }

    /// A value within a line.
    private static func inline(
        _ text: ArraySlice<Character>, _ line: Int, _ indentation: Int
    ) throws(Failure) -> Node {
        var reader = FlowReader(text: Array(text), line: line, column: indentation + text.startIndex + 1)
        let node = try reader.value(depth: 0)
        try reader.expectEnd()
        return node
    }

    /// Reads `[a, b]`, `{a: b}` and single values.
    private struct FlowReader {
        let text: [Character]
        let line: Int
        let column: Int
        var index = 0

        init(text: [Character], line: Int, column: Int) {
            self.text = text
            self.line = line
            self.column = column
        }

        private var position: Position { Position(line: line, column: column + index) }

        private mutating func skipSpaces() {
            while index < text.count, text[index].isWhitespace { index += 1 }
        }

        mutating func expectEnd() throws(Failure) {
            skipSpaces()
            if index < text.count { throw Failure(position: position, message: "nothing is expected behind the value") }
        }

        mutating func value(depth: Int, endings: [Character] = []) throws(Failure) -> Node {
            skipSpaces()
            let start = position
            guard depth < 32 else { throw Failure(position: start, message: "the value is nested too deep") }
            guard index < text.count else { return .scalar("", start) }
            switch text[index] {
            case "[":
                index += 1
                var items: [Node] = []
                while try !ends("]") {
                    items.append(try value(depth: depth + 1, endings: [",", "]"]))
                    try separator("]")
                }
                return .sequence(items, start)
            case "{":
                index += 1
                var members: [(key: String, position: Position, value: Node)] = []
                while try !ends("}") {
                    let place = position
                    guard case .scalar(let key, _) = try value(depth: depth + 1, endings: [":", ",", "}"]) else {
                        throw Failure(position: place, message: "a key is expected here")
                    }
                    skipSpaces()
                    guard index < text.count, text[index] == ":" else {
                        throw Failure(position: position, message: "a colon is expected behind “\(key)”")
                    }
                    index += 1
                    members.append((key, place, try value(depth: depth + 1, endings: [",", "}"])))
                    try separator("}")
                }
                return .mapping(members, start)
            case "\"", "'":
                let quote = text[index]
                let end = text[(index + 1)...].firstIndex(of: quote)
                guard let end else { throw Failure(position: start, message: "the quote is not closed") }
                let content = String(text[(index + 1)..<end])
                index = end + 1
                return .scalar(content, start)
            case "&", "*", "!", "|", ">", "%", "@", "`":
                throw Failure(position: start, message: "“\(text[index])” has a meaning in YAML that is not used here")
            default:
                var end = index
                while end < text.count, !endings.contains(text[end]) { end += 1 }
                var content = text[index..<end]
                while content.last?.isWhitespace == true { content.removeLast() }
                index = end
                return .scalar(String(content), start)
            }
        }

        private mutating func ends(_ bracket: Character) throws(Failure) -> Bool {
            skipSpaces()
            guard index < text.count else {
                throw Failure(position: position, message: "“\(bracket)” is missing; a list must end in its line")
            }
            guard text[index] == bracket else { return false }
            index += 1
            return true
        }

        private mutating func separator(_ bracket: Character) throws(Failure) {
            skipSpaces()
            guard index < text.count, text[index] != bracket else { return }
            guard text[index] == "," else {
                throw Failure(position: position, message: "“,” or “\(bracket)” is expected here")
            }
            index += 1
        }
    }
}
