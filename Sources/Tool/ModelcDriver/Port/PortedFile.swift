internal import CodeGeneration
internal import Diagnostics
internal import SwiftSources

/// The result of `modelc port` for a Swift file.
struct PortedFile: Sendable {
    /// A construct that must be edited, or behaves differently.
    struct Finding: Sendable {
        /// The pattern's name.
        var id: String
        var effect: PortPattern.Effect
        var position: SourcePosition
        /// What was found, for example a name.
        var text: String
        var message: String
        /// What to write instead.
        var edit: String
    }

    /// A construct that the file's copy does not have.
    struct Rewrite: Sendable {
        var kind: SourceRewriter.Edit.Kind
        var position: SourcePosition
    }

    /// An unconditional import of a framework that Linux does not have.
    struct MissingImport: Sendable {
        var module: String
        var position: SourcePosition
    }

    enum Effort: String, CaseIterable, Sendable {
        case untouched, rewritten, edit, framework
    }

    /// The path as printed.
    var path: String
    var findings: [Finding] = []
    var rewrites: [Rewrite] = []
    var missingImports: [MissingImport] = []
    /// Whether the copy imports a package in place of Combine.
    var usesCombine = false
    /// The first construct, apart from frameworks, for which there is no copy of the file.
    var obstacle: Diagnostic?
    /// The reason why the file could not be read.
    var problem: String?

    /// Edits in copies of code that also compiles unchanged on Linux.
    private static let harmless: Set<SourceRewriter.Edit.Kind> = [.accessors, .encoding]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - rewriter: The rewriter that copies the target's sources.
    ///   - declared: Whether the project declares a type or module of a name.
    init(_ source: ManagedSource, _ rewriter: SourceRewriter, declared: (String) -> Bool) {
        path = source.path
        let tokens = LinuxCode.tokens(in: source.bytes)
        let lines = LineIndex(source.bytes)
        let result = rewriter.rewrite(source)
        // Only a copy can complete classes inside functions.
        let isLocal = source.file.managedProperties.contains { $0.context.isLocal }
        let edits = result.edits.filter { edit in
            // Swift only warns about “override” before a required initializer.
            (!Self.harmless.contains(edit.kind) || edit.kind == .accessors && isLocal)
                && !(edit.kind == .requiredInitializer && edit.text.allSatisfy { $0 == " " })
        }
        rewrites = edits.map { Rewrite(kind: $0.kind, position: lines.position(at: $0.range.lowerBound)) }
        let imported = Self.imports(in: tokens)
        let replaced = edits.filter { $0.kind == .importDeclaration }.map(\.range)
        missingImports = imported.filter { token in
            LinuxModules.isAvailable(token.text) == false && !declared(token.text)
                && !replaced.contains { $0.contains(token.range.lowerBound) }
        }.map { MissingImport(module: $0.text, position: lines.position(at: $0.range.lowerBound)) }
        usesCombine = edits.contains {
            $0.kind == .importDeclaration && SourceRewriter.combineModules.contains($0.text)
        }
        let rewritten = edits.filter {
            $0.kind == .selector || $0.kind == .optionalRequirement || $0.kind == .keyValueObserver
        }.map(\.range)
        find(
            in: tokens, lines, modules: Set(imported.map(\.text)).union([rewriter.moduleName]), rewritten: rewritten,
            declared: declared)
        obstacle = result.notes.first { $0.rule == .needsManualEdit }
        add(result.notes)
    }

    /// Finds the patterns of the table.
    private mutating func find(
        in tokens: [SwiftToken], _ lines: LineIndex, modules: Set<String>, rewritten: [Range<Int>],
        declared: (String) -> Bool
    ) {
        for (index, token) in tokens.enumerated() {
            for pattern in PortPatterns.all where pattern.matches(tokens, index, declared: declared) {
                if rewritten.contains(where: { $0.contains(token.range.lowerBound) }) { continue }
                if pattern.id == "combine", usesCombine { continue }
                if pattern.id == "logging", modules.contains("os") || modules.contains("OSLog") { continue }
                // `NSStringFromClass(Module.Book.self)`
                if pattern.id == "nested-class-name", modules.contains(tokens[index + 2].text) { continue }
                if pattern.id == "foundation-networking", modules.contains("FoundationNetworking") { continue }
                if pattern.id == "foundation-xml", modules.contains("FoundationXML") { continue }
                // One import fixes all uses of a module.
                if pattern.id.hasPrefix("foundation-"), findings.contains(where: { $0.id == pattern.id }) { continue }
                findings.append(
                    Finding(
                        id: pattern.id, effect: pattern.effect, position: lines.position(at: token.range.lowerBound),
                        text: Self.text(of: tokens, at: index), message: pattern.message, edit: pattern.edit))
            }
        }
    }

    /// Adds the rewriter's errors that the table does not cover.
    private mutating func add(_ notes: [Diagnostic]) {
        for note in notes where note.severity == .error {
            guard let position = note.range?.start, !findings.contains(where: { $0.position.line == position.line }),
                !missingImports.contains(where: { $0.position.line == position.line }),
                note.rule == .overrideInExtension || !rewrites.isEmpty
            else { continue }
            findings.append(
                Finding(
                    id: note.rule.rawValue, effect: .edit, position: position, text: "", message: note.message,
                    edit: note.help ?? ""))
        }
        findings.sort { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
    }

    /// Creates the result for a file that cannot be read.
    init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    var effort: Effort {
        if !missingImports.isEmpty { return .framework }
        if problem != nil || findings.contains(where: { $0.effect == .edit }) { return .edit }
        return rewrites.isEmpty ? .untouched : .rewritten
    }

    /// Returns a name for the construct at an index: the first word there, with `@` or `#`.
    private static func text(of tokens: [SwiftToken], at index: Int) -> String {
        let token = tokens[index]
        if token.kind == .pound { return "#\(token.text)" }
        guard let word = tokens[index...].prefix(4).first(where: { $0.kind == .word && !$0.is("as") }) else {
            return token.text
        }
        return token.is("@") ? "@\(word.text)" : word.text
    }

    /// Returns the names of the imported modules.
    private static func imports(in tokens: [SwiftToken]) -> [SwiftToken] {
        let kinds: Set = ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias", "actor"]
        var depth = 0
        var result: [SwiftToken] = []
        for (index, token) in tokens.enumerated() {
            if token.is("{") { depth += 1 }
            if token.is("}") { depth -= 1 }
            guard depth == 0, token.is("import"), index == 0 || !tokens[index - 1].is("."), index + 1 < tokens.count
            else { continue }
            let names = tokens[(index + 1)...].prefix(2)
            guard let first = names.first, first.kind == .word else { continue }
            if kinds.contains(first.text), let second = names.last, second.kind == .word {
                result.append(second)
            } else {
                result.append(first)
            }
        }
        return result
    }
}
