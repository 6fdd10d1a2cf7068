internal import SwiftSources

/// The models that code passes to `Schema(…)`, `ModelContainer(for: …)` or `modelContainer(for: …)`.
struct ModelListSource {
    /// The name of what is called.
    var call: String
    /// The tokens of each argument: one array, or one model each.
    var arguments: [ArraySlice<SwiftToken>]
    var span: SourceSpan
    /// Whether the container is only in memory, as in previews and tests.
    var isInMemory: Bool
}

/// A scanner for the schemas and containers that code creates, in the bodies of functions too.
struct ModelListScanner {
    private let tokens: [SwiftToken]
    /// The index of the bracket that closes the one at an index.
    private let closing: [Int: Int]
    /// The indices of the labels of arguments that keep a store in memory.
    private var inMemory: [Int] = []

    static func lists(in tokens: [SwiftToken], file: Int) -> [ModelListSource] {
        guard tokens.contains(where: { calls.contains($0.text) }) else { return [] }
        return ModelListScanner(tokens).lists(file: file)
    }

    private static let calls: Set = ["Schema", "ModelContainer", "modelContainer"]

    private init(_ tokens: [SwiftToken]) {
        self.tokens = tokens
        closing = tokens.closingBrackets()
        for (span, token) in tokens.enumerated() {
            if ["inMemory", "isStoredInMemoryOnly"].contains(token.text), span + 2 < tokens.count,
                tokens[span + 1].is(":"), tokens[span + 2].is("true")
            {
                inMemory.append(span)
            }
        }
    }

    private func lists(file: Int) -> [ModelListSource] {
        var result: [ModelListSource] = []
        /// The ends of the blocks around the current token.
        var blocks: [Range<Int>] = []
        var span = 0
        while span < tokens.count {
            defer { span += 1 }
            if tokens[span].is("{") { blocks.append(span..<(closing[span] ?? tokens.count)) }
            while let block = blocks.last, block.upperBound <= span { blocks.removeLast() }
            guard isCall(span), let end = closing[span + 1],
                let arguments = models(of: tokens[span].text, in: tokens[(span + 2)..<end])
            else { continue }
            let block = blocks.last ?? 0..<tokens.count
            result.append(
                ModelListSource(
                    call: tokens[span].text, arguments: arguments,
                    span: SourceSpan(file: file, range: tokens[span].range),
                    isInMemory: hasInMemoryLabel(in: block)))
            span = (arguments.last?.endIndex ?? span + 1) - 1
        }
        return result
    }

    private func hasInMemoryLabel(in block: Range<Int>) -> Bool {
        var (low, high) = (0, inMemory.count)
        while low < high {
            let middle = (low + high) / 2
            if inMemory[middle] < block.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < inMemory.count && inMemory[low] < block.upperBound
    }

    /// Returns whether a token is the name of a call that takes models.
    private func isCall(_ span: Int) -> Bool {
        guard Self.calls.contains(tokens[span].text), tokens[span].kind == .word, span + 1 < tokens.count,
            tokens[span + 1].is("(")
        else { return false }
        let isMember = span > 0 && tokens[span - 1].is(".")
        guard tokens[span].text != "modelContainer" else { return isMember }
        return !isMember || (span > 1 && tokens[span - 2].is("SwiftData"))
    }

    /// Returns the arguments that name models, or `nil` if the call has none.
    private func models(of call: String, in tokens: ArraySlice<SwiftToken>) -> [ArraySlice<SwiftToken>]? {
        let isLabeled = tokens.count > 1 && tokens[tokens.startIndex + 1].is(":")
        guard call != "Schema" else {
            // The list of another module's version is unknown.
            return tokens.isEmpty ? nil : [isLabeled ? tokens : first(tokens)]
        }
        guard isLabeled, tokens.first?.is("for") == true else { return nil }
        var rest = tokens.dropFirst(2)
        var result: [ArraySlice<SwiftToken>] = []
        while !rest.isEmpty, rest.dropFirst().first?.is(":") != true {
            let argument = first(rest)
            guard !argument.isEmpty else { break }
            result.append(argument)
            rest = self.tokens[min(argument.endIndex + 1, rest.endIndex)..<rest.endIndex]
        }
        // A schema, which code creates elsewhere.
        let isSchema = call == "ModelContainer" && result.count == 1 && result[0].last?.is("self") != true
        return isSchema ? nil : result
    }

    /// Returns the tokens before the first comma outside brackets.
    private func first(_ tokens: ArraySlice<SwiftToken>) -> ArraySlice<SwiftToken> {
        var span = tokens.startIndex
        while span < tokens.endIndex, !tokens[span].is(",") {
            span = (closing[span] ?? span) + 1
        }
        return tokens[tokens.startIndex..<min(span, tokens.endIndex)]
    }
}
