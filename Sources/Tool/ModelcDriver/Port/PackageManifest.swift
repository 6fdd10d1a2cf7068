internal import Diagnostics
internal import ModelSchema
internal import SwiftSources

/// The parts of a `Package.swift` that can be read without running it.
struct PackageManifest {
    /// A target that is declared in a call with literal arguments.
    struct Target: Equatable {
        var name: String
        var isTest: Bool
        /// The folder, or `nil` for SwiftPM's default.
        var path: String?
        /// The paths that are excluded. `nil` if some of them are not literals.
        var excluded: [String]? = []
        /// The paths that are compiled, or `nil` for all.
        var sources: [String]?
        /// The paths in the `resources:` argument.
        var resources: [String] = []
        /// Whether the target lists the product `CoreData`.
        var dependsOnCoreData = false
        /// Whether the target lists the product `SwiftData`.
        var dependsOnSwiftData = false
        /// Whether the target lists the plugin `ModelcBuildPlugin`.
        var usesPlugin = false
    }

    let bytes: [UInt8]
    /// The major and minor version in `swift-tools-version`.
    private(set) var toolsVersion: (major: Int, minor: Int)?
    /// Whether dependencies can have traits, without which modelc does not build SwiftData.
    var supportsTraits: Bool { toolsVersion.map { $0 >= (6, 1) } ?? false }
    /// The names of the constants that hold a `Package`.
    private(set) var packageNames: [String] = []
    /// Whether one of these constants is inside `#if`.
    private(set) var isPackageConditional = false
    /// The targets, each name once.
    private(set) var targets: [Target] = []
    /// The index of each target in `targets`.
    private var locations: [String: Int] = [:]
    private var testCount = 0
    /// Whether a target's name or path is not a literal.
    private(set) var hasComputedTargets = false
    /// Whether the package depends on modelc, other than by the block.
    private(set) var dependsOnModelc = false
    /// Whether `ModelcBuildPlugin` or the product `CoreData` is named outside targets, for example in a constant.
    private(set) var sharesModelc = false
    /// Whether the manifest names a product or package of OpenCombine, outside of the block.
    private(set) var namesCombine = false
    /// Whether brackets and `#if` are balanced.
    private(set) var isBalanced = true
    /// The lines that `prepare-for-linux` has written, with their line ends.
    private(set) var block: Range<Int>?
    /// Whether there is a first or last line of such a block without the other.
    private(set) var hasBrokenBlock = false

    /// The tokens outside of the block.
    private(set) var tokens: [SwiftToken] = []
    /// The index of the bracket that closes the one at an index.
    private var closing: [Int: Int] = [:]

    /// Reads a manifest. Code that it does not recognize is skipped.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        toolsVersion = Self.toolsVersion(bytes)
        let all = SwiftLexer.tokens(in: bytes)
        findBlock(all)
        tokens = all.filter { token in block.map { !$0.contains(token.range.lowerBound) } ?? true }
        closing = tokens.closingBrackets()
        namesCombine = tokens.contains { text(of: $0)?.contains("OpenCombine") ?? false }
        read()
    }

    /// Returns a text with the line endings of the manifest's first line.
    func withLineEnds(_ text: String) -> [UInt8] { Array(TextLines.text(text, withLineEndsOf: bytes).utf8) }

    /// The text of the block; empty if there is none.
    var blockText: String { block.map { String(decoding: bytes[$0], as: UTF8.self) } ?? "" }

    /// Returns what the block does for a target, as text; `nil` if it does nothing.
    func blockCase(of target: String) -> String? {
        let lines = blockText.split(whereSeparator: \.isNewline)
        guard let start = lines.firstIndex(of: "    case \(SwiftIdentifier.stringLiteral(target)):") else { return nil }
        let end = lines[(start + 1)...].firstIndex { $0.hasPrefix("    case ") || $0.hasPrefix("    default:") }
        return lines[(start + 1)..<(end ?? lines.endIndex)].joined(separator: "\n")
    }

    // MARK: The first line

    private static func toolsVersion(_ bytes: [UInt8]) -> (major: Int, minor: Int)? {
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(20) {
            let text = String(decoding: line.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
            let prefix = "//swift-tools-version:"
            guard let start = text.range(ofPrefix: prefix) else { continue }
            let numbers = text[start...].prefix { $0.isNumber || $0 == "." }.split(separator: ".").map { Int($0) }
            guard let first = numbers.first, let major = first else { return nil }
            return (major, numbers.count > 1 ? numbers[1] ?? 0 : 0)
        }
        return nil
    }

    // MARK: The block

    private mutating func findBlock(_ all: [SwiftToken]) {
        var literals = all.filter { $0.kind == .literal && $0.range.count > 6 }.map(\.range)[...]
        var start: Int?
        var line = 0
        while line < bytes.count {
            let end = bytes[line...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
            defer { line = end }
            guard bytes[line] == UInt8(ascii: "/") else { continue }
            let location = line
            literals = literals.drop { $0.upperBound <= location }
            guard literals.first?.contains(location) != true else { continue }
            if bytes[line..<end].starts(with: LinuxBlock.firstLine.utf8) {
                if start != nil || block != nil { hasBrokenBlock = true }
                start = line
            } else if bytes[line..<end].starts(with: LinuxBlock.lastLine.utf8) {
                guard let first = start else {
                    hasBrokenBlock = true
                    continue
                }
                block = first..<end
                start = nil
            }
        }
        if start != nil { hasBrokenBlock = true }
    }

    // MARK: Calls

    private mutating func read() {
        var depth = 0
        var conditions = 0
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            switch token.kind {
            case .sign:
                depth += token.nesting
                if depth < 0 { isBalanced = false }
            case .pound:
                if token.text == "if" { conditions += 1 }
                if token.text == "endif" { conditions -= 1 }
            case .literal:
                let isProduct = ["product", "(", "name", ":"].enumerated().allSatisfy { isSign($1, at: index - 4 + $0) }
                let text = text(of: token)
                if text == LinuxBlock.pluginName || (isProduct && text == "CoreData") { sharesModelc = true }
            case .word:
                if depth == 0, token.is("let") || token.is("var"), let name = packageName(at: index) {
                    packageNames.append(name)
                    if conditions > 0 { isPackageConditional = true }
                } else if let end = readCall(at: index) {
                    index = end
                    continue
                }
            case .quotedName, .number: break
            }
            index += 1
        }
        if depth != 0 || conditions != 0 { isBalanced = false }
    }

    private func token(_ index: Int) -> SwiftToken? { tokens.indices.contains(index) ? tokens[index] : nil }

    func isSign(_ sign: String, at index: Int) -> Bool { token(index)?.is(sign) ?? false }

    /// Returns the name in `let name = Package(` and similar declarations.
    private func packageName(at index: Int) -> String? {
        guard let name = token(index + 1), name.isName else { return nil }
        var location = index + 2
        var isPackage = false
        if isSign(":", at: location) {
            guard isSign("Package", at: location + 1) else { return nil }
            isPackage = true
            location += 2
        }
        guard isSign("=", at: location) else { return nil }
        location += 1
        if isSign("Package", at: location) {
            isPackage = true
            location += 1
        }
        if isSign(".", at: location), isSign("init", at: location + 1) { location += 2 }
        guard isPackage, isSign("(", at: location) else { return nil }
        return name.kind == .quotedName ? "`\(name.text)`" : name.text
    }

    private static let targetKinds: Set<String> = ["target", "executableTarget", "testTarget", "macro"]

    /// Reads the declaration of a target or a dependency on a package.
    ///
    /// - Returns: The index after the declaration, or `nil` for anything else.
    private mutating func readCall(at index: Int) -> Int? {
        let name = tokens[index].text
        guard Self.targetKinds.contains(name) || name == "package", isSign(".", at: index - 1),
            let call = call(openedAt: index + 1)
        else { return nil }
        if name == "package" {
            let literals = names(in: index..<call.end)
            if literals.contains(where: Self.isModelc) { dependsOnModelc = true }
        } else {
            readTarget(call, isTest: name == "testTarget")
        }
        return call.end
    }

    private mutating func readTarget(_ call: Call, isTest: Bool) {
        guard let name = call["name"].flatMap(literal) else {
            hasComputedTargets = true
            return
        }
        var target = Target(name: name, isTest: isTest)
        if let path = call["path"] {
            target.path = literal(path)
            if target.path == nil { hasComputedTargets = true }
        }
        if let excluded = call["exclude"] { target.excluded = literals(excluded) }
        if let sources = call["sources"] { target.sources = literals(sources) }
        target.resources = names(in: call["resources"])
        let dependencies = names(in: call["dependencies"])
        target.dependsOnCoreData = dependencies.contains("CoreData")
        target.dependsOnSwiftData = dependencies.contains("SwiftData")
        target.usesPlugin = names(in: call["plugins"]).contains(LinuxBlock.pluginName)
        guard locations[name] == nil else { return }
        locations[name] = targets.count
        targets.append(target)
        if isTest { testCount += 1 }
    }

    func target(named name: String) -> Target? { locations[name].map { targets[$0] } }

    /// Returns the number of test targets, or that of the other targets.
    func count(areTests: Bool) -> Int { areTests ? testCount : targets.count - testCount }

    /// Returns whether a location or name is that of this package.
    static func isModelc(_ text: String) -> Bool {
        var name = text.split(separator: "/").last.map { $0.lowercased() } ?? ""
        if name.hasSuffix(".git") { name.removeLast(4) }
        return name == "modelc"
    }

    /// A call with its arguments in order.
    struct Call {
        /// An argument. The label is empty if there is none.
        typealias Argument = (label: String, start: Int, value: Range<Int>)

        /// The index after the closing parenthesis.
        var end: Int
        var arguments: [Argument]

        /// The value of the last argument with a label.
        subscript(label: String) -> Range<Int>? { arguments.last { $0.label == label }?.value }
    }

    /// Returns the call whose parenthesis opens at an index; `nil` if none does, or if it is not closed.
    func call(openedAt open: Int) -> Call? {
        guard isSign("(", at: open), let end = closing[open] else { return nil }
        return Call(
            end: end + 1,
            arguments: elements(in: open + 1..<end).map { element in
                let start = element.lowerBound
                guard tokens[start].kind == .word, isSign(":", at: start + 1) else { return ("", start, element) }
                return (tokens[start].text, start, start + 2..<element.upperBound)
            })
    }

    /// Returns the parts between commas, without empty ones.
    func elements(in range: Range<Int>) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = range.lowerBound
        var index = start
        while index < range.upperBound {
            if isSign(",", at: index) {
                if start < index { result.append(start..<index) }
                start = index + 1
            }
            index = (closing[index] ?? index) + 1
        }
        if start < range.upperBound { result.append(start..<range.upperBound) }
        return result
    }

    /// Returns whether tokens are an array literal.
    func isList(_ range: Range<Int>) -> Bool {
        isSign("[", at: range.lowerBound) && closing[range.lowerBound] == range.upperBound - 1
    }

    // MARK: Literals

    /// Returns the text of a plain string literal.
    private func text(of token: SwiftToken) -> String? {
        guard token.kind == .literal else { return nil }
        let text = bytes[token.range]
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == quote, text.last == quote else { return nil }
        let inner = text.dropFirst().dropLast()
        guard !inner.contains(quote), !inner.contains(UInt8(ascii: "\\")) else { return nil }
        return String(decoding: inner, as: UTF8.self)
    }

    private func literal(_ range: Range<Int>) -> String? { range.count == 1 ? text(of: tokens[range.lowerBound]) : nil }

    /// Returns the elements of an array literal of string literals; `nil` for anything else.
    private func literals(_ range: Range<Int>) -> [String]? {
        guard isList(range) else { return nil }
        var result: [String] = []
        for token in tokens[range.lowerBound + 1..<range.upperBound - 1] where !token.is(",") {
            guard let text = text(of: token) else { return nil }
            result.append(text)
        }
        return result
    }

    private func names(in range: Range<Int>?) -> [String] {
        range.map { tokens[$0].compactMap { text(of: $0) } } ?? []
    }
}

extension String {
    /// Returns the index after a prefix, or `nil` if the text does not begin with it.
    fileprivate func range(ofPrefix prefix: String) -> String.Index? {
        hasPrefix(prefix) ? index(startIndex, offsetBy: prefix.count) : nil
    }
}
