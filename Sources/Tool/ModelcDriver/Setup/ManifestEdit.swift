internal import ModelSchema
internal import SwiftSources

/// Adds modelc to the declaration of a target in a `Package.swift` if the declaration is unambiguous: one unconditional
/// `Package(…)`, whose `targets:` is a list that declares the target once, with lists as arguments. All other bytes are kept.
struct ManifestEdit {
    /// The needs of a target.
    struct Addition {
        var target: String
        /// The path of the model relative to the target's folder, if the target does not exclude it.
        var excluded: String?
        /// The arguments of `.package(…)`, if the package does not depend on modelc.
        var location: String?
        var addsDependency: Bool
        var addsPlugin: Bool

        static let product = #".product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))"#
        static let plugin = #".plugin(name: "\#(LinuxBlock.pluginName)", package: "modelc")"#
    }

    private let bytes: [UInt8]
    private let tokens: [SwiftToken]
    private var insertions: [(offset: Int, text: String)] = []

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        tokens = SwiftLexer.tokens(in: bytes)
    }

    /// Returns the manifest with an addition; `nil` if the location for it is ambiguous.
    static func applying(_ addition: Addition, to bytes: [UInt8]) -> [UInt8]? {
        var edit = ManifestEdit(bytes)
        guard edit.insert(addition) else { return nil }
        return edit.result
    }

    private var result: [UInt8] {
        let lineEnd = bytes.firstIndex(of: 0x0A).map { $0 > 0 && bytes[$0 - 1] == 0x0D } == true ? "\r\n" : "\n"
        var result: [UInt8] = []
        var end = 0
        for (_, insertion) in insertions.enumerated().sorted(by: {
            ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
        }) {
            result += bytes[end..<insertion.offset]
            let text = insertion.text.split(separator: "\n", omittingEmptySubsequences: false)
            result += Array(text.joined(separator: lineEnd).utf8)
            end = insertion.offset
        }
        return result + bytes[end...]
    }

    // MARK: Places

    private mutating func insert(_ addition: Addition) -> Bool {
        guard !tokens.contains(where: { $0.kind == .pound }), let package = packageCall(),
            let list = package["targets"], let target = declaration(of: addition.target, in: list)
        else { return false }
        if let location = addition.location {
            guard insert(".package(\(location))", into: "dependencies", of: package, order: Self.packageOrder) else {
                return false
            }
        }
        let additions: [(label: String, element: String?)] = [
            ("dependencies", addition.addsDependency ? Addition.product : nil),
            ("exclude", addition.excluded.map { SwiftIdentifier.stringLiteral($0) }),
            ("plugins", addition.addsPlugin ? Addition.plugin : nil),
        ]
        for case let (label, element?) in additions {
            guard insert(element, into: label, of: target, order: Self.targetOrder) else { return false }
        }
        return true
    }

    /// Returns the only call of `Package`.
    private func packageCall() -> Call? {
        let starts = tokens.indices.filter {
            tokens[$0].is("Package") && isSign("(", at: $0 + 1) && !isSign(".", at: $0 - 1)
        }
        return starts.count == 1 ? starts.first.flatMap { call(openedAt: $0 + 1) } : nil
    }

    private static let targetKinds: Set = ["target", "executableTarget"]

    /// Returns the only declaration of a target among the elements of a list.
    private func declaration(of name: String, in list: Range<Int>) -> Call? {
        guard isList(list) else { return nil }
        var found: [Call] = []
        for element in elements(in: list.lowerBound + 1..<list.upperBound - 1) {
            guard element.count > 3, isSign(".", at: element.lowerBound),
                Self.targetKinds.contains(tokens[element.lowerBound + 1].text),
                let call = call(openedAt: element.lowerBound + 2), call.end == element.upperBound,
                let value = call["name"], value.count == 1,
                bytes[tokens[value.lowerBound].range].elementsEqual(SwiftIdentifier.stringLiteral(name).utf8)
            else { continue }
            found.append(call)
        }
        return found.count == 1 ? found[0] : nil
    }

    /// A call with its arguments in order.
    private struct Call {
        var open: Int
        /// The index after the closing parenthesis.
        var end: Int
        var arguments: [(label: String, start: Int, value: Range<Int>)]

        subscript(label: String) -> Range<Int>? {
            let found = arguments.filter { $0.label == label }
            return found.count == 1 ? found[0].value : nil
        }
    }

    private func call(openedAt open: Int) -> Call? {
        guard isSign("(", at: open), let end = end(ofBracketAt: open) else { return nil }
        var arguments: [(label: String, start: Int, value: Range<Int>)] = []
        for element in elements(in: open + 1..<end - 1) {
            guard element.count > 2, tokens[element.lowerBound].kind == .word, isSign(":", at: element.lowerBound + 1)
            else { return nil }
            let label = tokens[element.lowerBound].text
            guard !arguments.contains(where: { $0.label == label }) else { return nil }
            arguments.append((label, element.lowerBound, element.lowerBound + 2..<element.upperBound))
        }
        return Call(open: open, end: end, arguments: arguments)
    }

    private func isSign(_ sign: String, at index: Int) -> Bool {
        tokens.indices.contains(index) && tokens[index].kind == .sign && tokens[index].is(sign)
    }

    private func isList(_ range: Range<Int>) -> Bool {
        range.count >= 2 && isSign("[", at: range.lowerBound) && end(ofBracketAt: range.lowerBound) == range.upperBound
    }

    private func end(ofBracketAt start: Int) -> Int? {
        var depth = 0
        for index in start..<tokens.count where tokens[index].kind == .sign {
            if ["(", "[", "{"].contains(tokens[index].text) { depth += 1 }
            if [")", "]", "}"].contains(tokens[index].text) { depth -= 1 }
            if depth == 0 { return index + 1 }
        }
        return nil
    }

    /// Returns the parts between commas.
    private func elements(in range: Range<Int>) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = range.lowerBound
        var index = start
        while index < range.upperBound {
            if isSign(",", at: index) {
                if start < index { result.append(start..<index) }
                start = index + 1
            }
            let isOpen = ["(", "[", "{"].contains { isSign($0, at: index) }
            index = isOpen ? end(ofBracketAt: index) ?? range.upperBound : index + 1
        }
        if start < range.upperBound { result.append(start..<range.upperBound) }
        return result
    }

    // MARK: Insertions

    private static let packageOrder = [
        "name", "defaultLocalization", "platforms", "pkgConfig", "providers", "products", "traits", "dependencies",
        "targets",
    ]
    private static let targetOrder = [
        "name", "dependencies", "path", "exclude", "sources", "resources", "publicHeadersPath", "packageAccess",
        "cSettings", "cxxSettings", "swiftSettings", "linkerSettings", "plugins",
    ]

    /// Adds an element to the list of an argument, or adds the argument with a list of it. Returns `false` if the location is
    /// ambiguous.
    private mutating func insert(_ element: String, into label: String, of call: Call, order: [String]) -> Bool {
        if let list = call[label] { return append(element, to: list) }
        guard !call.arguments.contains(where: { $0.label == label }), let rank = order.firstIndex(of: label),
            call.arguments.allSatisfy({ argument in
                order.contains(argument.label) || argument.label.hasPrefix("swift") || argument.label.hasPrefix("c")
            }),
            let before = call.arguments.last(where: { order.firstIndex(of: $0.label).map { $0 < rank } ?? false }),
            let first = call.arguments.first
        else { return false }
        let separator = tokens[first.start].isFirstOnLine ? "\n" + indentation(ofTokenAt: first.start) : " "
        insertions.append((tokens[before.value.upperBound - 1].range.upperBound, ",\(separator)\(label): [\(element)]"))
        return true
    }

    private mutating func append(_ element: String, to list: Range<Int>) -> Bool {
        guard isList(list) else { return false }
        let inner = list.lowerBound + 1..<list.upperBound - 1
        guard let first = inner.first, let last = inner.last else {
            insertions.append((tokens[list.lowerBound].range.upperBound, element))
            return true
        }
        let separator = tokens[first].isFirstOnLine ? "\n" + indentation(ofTokenAt: first) : " "
        let hasComma = isSign(",", at: last)
        insertions.append(
            (tokens[last].range.upperBound, (hasComma ? "" : ",") + separator + element + (hasComma ? "," : "")))
        return true
    }

    /// Returns the spaces and tabs before the first token of a line.
    private func indentation(ofTokenAt index: Int) -> String {
        let end = tokens[index].range.lowerBound
        var start = end
        while start > 0, bytes[start - 1] == 0x20 || bytes[start - 1] == 0x09 { start -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
