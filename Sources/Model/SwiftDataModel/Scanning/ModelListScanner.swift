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
        for (index, token) in tokens.enumerated() {
            if ["inMemory", "isStoredInMemoryOnly"].contains(token.text), index + 2 < tokens.count,
                tokens[index + 1].is(":"), tokens[index + 2].is("true")
            {
                inMemory.append(index)
            }
        }
    }

    private func lists(file: Int) -> [ModelListSource] {
        var result: [ModelListSource] = []
        /// The ends of the blocks around the current token.
        var blocks: [Range<Int>] = []
        var index = 0
        while index < tokens.count {
            defer { index += 1 }
            if tokens[index].is("{") { blocks.append(index..<(closing[index] ?? tokens.count)) }
            while let block = blocks.last, block.upperBound <= index { blocks.removeLast() }
            guard isCall(index), let end = closing[index + 1],
                let arguments = models(of: tokens[index].text, in: tokens[(index + 2)..<end])
            else { continue }
            let block = blocks.last ?? 0..<tokens.count
            result.append(
                ModelListSource(
                    call: tokens[index].text, arguments: arguments,
                    span: SourceSpan(file: file, range: tokens[index].range),
                    isInMemory: hasInMemoryLabel(in: block)))
            index = (arguments.last?.endIndex ?? index + 1) - 1
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
    private func isCall(_ index: Int) -> Bool {
        guard Self.calls.contains(tokens[index].text), tokens[index].kind == .word, index + 1 < tokens.count,
            tokens[index + 1].is("(")
        else { return false }
        let isMember = index > 0 && tokens[index - 1].is(".")
        guard tokens[index].text != "modelContainer" else { return isMember }
        return !isMember || (index > 1 && tokens[index - 2].is("SwiftData"))
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
        var index = tokens.startIndex
        while index < tokens.endIndex, !tokens[index].is(",") {
            index = (closing[index] ?? index) + 1
        }
        return tokens[tokens.startIndex..<min(index, tokens.endIndex)]
    }
}
