/// A scanner for uses of a higher layer's types in a lower layer of one module.
///
/// A type is identified by its name: if several declarations have the same name, the one in the lowest layer counts, so
/// that a nested type hides one of another layer. Comments and strings are ignored.
struct LayerScanner {
    /// A layer of files.
    struct Layer {
        let name: String
        /// The prefixes of its files' paths. A file belongs to the layer with the longest matching prefix.
        let paths: [String]
    }

    /// A use of a type declared in a higher layer.
    struct Violation: Hashable {
        let file: String
        let type: String
    }

    /// The layers, from bottom to top.
    let layers: [Layer]

    /// Returns the index of a file's layer, or `nil` if it is in none.
    func layer(of path: String) -> Int? {
        var best: (length: Int, layer: Int)?
        for (index, layer) in layers.enumerated() {
            for start in layer.paths where path.hasPrefix(start) && start.utf8.count > best?.length ?? -1 {
                best = (start.utf8.count, index)
            }
        }
        return best?.layer
    }

    /// Returns the uses of higher layers' types in files.
    ///
    /// - Parameter files: The texts by path.
    func violations(in files: [String: String]) -> Set<Violation> {
        let tokens = files.mapValues { Self.tokens($0) }
        var topLevel: Set<String> = []
        var declared: [String: Int] = [:]
        for (path, tokens) in tokens {
            guard let layer = layer(of: path) else { continue }
            for declaration in Self.declarations(tokens) {
                if declaration.isTopLevel { topLevel.insert(declaration.name) }
                declared[declaration.name] = min(layer, declared[declaration.name] ?? layer)
            }
        }
        var violations: Set<Violation> = []
        for (path, tokens) in tokens {
            guard let layer = layer(of: path) else { continue }
            for token in tokens {
                let name = String(token)
                guard topLevel.contains(name), let other = declared[name], other > layer else { continue }
                violations.insert(Violation(file: path, type: name))
            }
        }
        return violations
    }

    private static let keywords: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "typealias"]
    private static let modifiers: Set<Substring> = ["final", "indirect", "package", "public", "open"]

    /// Returns the types declared in a file, except private ones.
    private static func declarations(_ tokens: [Substring]) -> [(name: String, isTopLevel: Bool)] {
        var result: [(name: String, isTopLevel: Bool)] = []
        var depth = 0
        for (index, token) in tokens.enumerated() {
            if token == "{" { depth += 1 }
            if token == "}" { depth -= 1 }
            guard keywords.contains(token), index + 1 < tokens.count, tokens[index + 1].first?.isUppercase == true
            else {
                continue
            }
            var before = index - 1
            while before >= 0, modifiers.contains(tokens[before]) { before -= 1 }
            if before >= 0, tokens[before] == "private" || tokens[before] == "fileprivate" { continue }
            result.append((String(tokens[index + 1]), depth == 0))
        }
        return result
    }

    /// Returns the names and braces of a source file, outside comments and strings.
    static func tokens(_ text: String) -> [Substring] {
        var tokens: [Substring] = []
        let bytes = text.utf8
        var index = bytes.startIndex
        func starts(_ mark: String) -> Bool { text[index...].utf8.starts(with: mark.utf8) }
        func skip(past end: String, escapes: Bool) {
            while index < bytes.endIndex, !starts(end) {
                if escapes, bytes[index] == UInt8(ascii: "\\") { bytes.formIndex(after: &index) }
                if index < bytes.endIndex { bytes.formIndex(after: &index) }
            }
            _ = bytes.formIndex(&index, offsetBy: end.utf8.count, limitedBy: bytes.endIndex)
        }
        while index < bytes.endIndex {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "/") where starts("//"): skip(past: "\n", escapes: false)
            case UInt8(ascii: "/") where starts("/*"): skip(past: "*/", escapes: false)
            case UInt8(ascii: "\""):
                let mark = starts("\"\"\"") ? "\"\"\"" : "\""
                _ = bytes.formIndex(&index, offsetBy: mark.utf8.count, limitedBy: bytes.endIndex)
                skip(past: mark, escapes: true)
            case UInt8(ascii: "{"), UInt8(ascii: "}"):
                tokens.append(text[index...index])
                bytes.formIndex(after: &index)
            case _ where isNamePart(byte):
                let start = index
                while index < bytes.endIndex, isNamePart(bytes[index]) { bytes.formIndex(after: &index) }
                tokens.append(text[start..<index])
            default: bytes.formIndex(after: &index)
            }
        }
        return tokens
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
