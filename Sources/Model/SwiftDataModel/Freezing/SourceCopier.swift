internal import ModelSchema
internal import SwiftSources

/// Copies source text into a frozen schema, in which types have other names than in the sources.
struct SourceCopier {
    let types: FrozenTypes
    let schemaName: String

    private var table: TypeTable { types.table }

    /// Returns the text of tokens with the names of types as in the copy.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - scope: The scope of the first token.
    ///   - qualifies: Whether the text is put outside of the schema, where its types need the schema's name.
    /// - Throws: `Failure` if the text names a type that code in the copy cannot name.
    func text(
        _ tokens: ArraySlice<SwiftToken>, scope: Scope, qualifies: Bool = false
    ) throws(FrozenSchema.Failure) -> String {
        guard let first = tokens.first, let last = tokens.last else { return "" }
        let inner = table.bodies(in: first.range.lowerBound..<last.range.upperBound, file: scope.file)
        var edits: [(range: Range<Int>, text: String)] = []
        var index = tokens.startIndex
        while index < tokens.endIndex {
            guard beginsName(index, in: tokens) else {
                index += 1
                continue
            }
            var chain = [index]
            while let dot = chain.last.map({ $0 + 1 }), dot + 1 < tokens.endIndex, tokens[dot].is("."),
                tokens[dot + 1].isName
            {
                chain.append(dot + 1)
            }
            let start = tokens[index].range.lowerBound
            let here = inner.last { $0.range.contains(start) }?.scope ?? scope
            index += 1
            for count in stride(from: chain.count, to: 0, by: -1) {
                let names = chain.prefix(count).map { tokens[$0].text }
                let span = SourceSpan(file: scope.file, range: start..<tokens[chain[count - 1]].range.upperBound)
                guard let new = try replacement(of: names, from: here, qualifies: qualifies, span) else { continue }
                if new != names.joined(separator: ".") { edits.append((span.range, new)) }
                index = chain[count - 1] + 1
                break
            }
        }
        return types.texts.text(first.range.lowerBound..<last.range.upperBound, in: scope.file, edits)
    }

    private func beginsName(_ index: Int, in tokens: ArraySlice<SwiftToken>) -> Bool {
        guard tokens[index].isName else { return false }
        guard index > tokens.startIndex else { return true }
        let previous = tokens[index - 1]
        return !previous.is(".") && !(previous.kind == .word && Self.declaring.contains(previous.text))
    }

    private static let declaring: Set = [
        "struct", "enum", "class", "actor", "protocol", "typealias", "associatedtype", "var", "let", "func", "case",
        "import",
    ]

    /// Returns what a name in the sources is called in the copy, or `nil` if it is not a type of the sources.
    private func replacement(
        of names: [String], from scope: Scope, qualifies: Bool, _ span: SourceSpan
    ) throws(FrozenSchema.Failure) -> String? {
        let type = SwiftTypeText.named(names.map { SwiftTypeText.Component(name: $0) })
        switch table.resolve(type, from: scope) {
        case .unclear: return nil
        case .external(let external, let inner):
            return external == type ? nil : try text(of: external, from: inner, qualifies: qualifies, span)
        case .type(let entry):
            let whole: [String]
            if let path = types.paths[entry.key] {
                if isVisible(path, as: names, from: scope, qualifies: qualifies) { return Self.joined(names) }
                whole = (qualifies ? [schemaName] : []) + path
            } else {
                whole = entry.type.path
                guard entry.key.file == nil, let first = whole.first, first != schemaName,
                    !types.names.contains(first)
                else {
                    throw FrozenSchema.failure(
                        "a copy cannot refer to “\(whole.joined(separator: "."))”, which is "
                            + (entry.key.file == nil
                                ? "declared in a type that is copied" : "private to its file"),
                        at: types.texts.location(span),
                        help: "Declare it \(entry.key.file == nil ? "outside of the type" : "without `private`").")
                }
            }
            return Self.joined(whole)
        }
    }

    private static func joined(_ names: [String]) -> String {
        names.map { SwiftIdentifier.declared($0) }.joined(separator: ".")
    }

    /// Returns whether a name as written has the same meaning in the copy.
    private func isVisible(_ path: [String], as names: [String], from scope: Scope, qualifies: Bool) -> Bool {
        guard path.suffix(names.count) == names[...] else { return false }
        let outer = path.dropLast(names.count)
        guard !outer.isEmpty else { return !qualifies }
        let enclosing = types.pathInOwner(scope.path + [""], file: scope.file)?.dropLast() ?? []
        return enclosing.starts(with: outer)
    }

    func text(
        of type: SwiftTypeText, from scope: Scope, qualifies: Bool = false, _ span: SourceSpan
    ) throws(FrozenSchema.Failure) -> String {
        switch type {
        case .optional(let wrapped):
            return try text(of: wrapped, from: scope, qualifies: qualifies, span) + "?"
        case .array(let element):
            return "[\(try text(of: element, from: scope, qualifies: qualifies, span))]"
        case .dictionary(let key, let value):
            let key = try text(of: key, from: scope, qualifies: qualifies, span)
            return "[\(key): \(try text(of: value, from: scope, qualifies: qualifies, span))]"
        case .other:
            throw FrozenSchema.failure(
                "a type cannot be copied", at: types.texts.location(span), help: "Write the type of the property.")
        case .named(let components):
            let names = components.map(\.name)
            let arguments = components.flatMap(\.arguments)
            let name =
                try replacement(of: names, from: scope, qualifies: qualifies, span) ?? names.joined(separator: ".")
            guard !arguments.isEmpty else { return name }
            var list: [String] = []
            for argument in arguments {
                list.append(try text(of: argument, from: scope, qualifies: qualifies, span))
            }
            return "\(name)<\(list.joined(separator: ", "))>"
        }
    }
}
