/// A scanner for expressions that need Objective-C, in bodies, default values and interpolations alike.
struct ExpressionScanner {
    private let bytes: [UInt8]
    private let tokens: [SwiftToken]

    /// Records the expressions of a file that are compiled on Linux.
    ///
    /// - Parameter tokens: The tokens that are compiled on Linux.
    static func scan(_ tokens: [SwiftToken], of bytes: [UInt8], into file: inout SwiftFile) {
        ExpressionScanner(bytes: bytes, tokens: tokens).scan(into: &file, depth: 0)
    }

    private func token(_ position: Int) -> SwiftToken? { tokens.indices.contains(position) ? tokens[position] : nil }

    private func isSign(_ sign: String, _ position: Int) -> Bool { token(position)?.is(sign) ?? false }

    private func isName(_ position: Int) -> Bool { token(position)?.isName ?? false }

    private func scan(into file: inout SwiftFile, depth: Int) {
        for (position, token) in tokens.enumerated() {
            switch token.kind {
            case .pound where token.text == "keyPath": keyPath(position, &file)
            case .pound where token.text == "selector": selector(position, &file)
            case .literal where depth < 32: interpolations(token, file: &file, depth: depth)
            case .word: word(token, position: position, file: &file)
            default: break
            }
        }
    }

    private func interpolations(_ literal: SwiftToken, file: inout SwiftFile, depth: Int) {
        for range in SwiftLexer.interpolations(in: literal.range, of: bytes) {
            let inner = SwiftLexer.tokens(in: Array(bytes[range])).map { token in
                var token = token
                token.range = token.range.lowerBound + range.lowerBound..<token.range.upperBound + range.lowerBound
                return token
            }
            ExpressionScanner(bytes: bytes, tokens: inner).scan(into: &file, depth: depth + 1)
        }
    }

    /// Returns the index of the bracket that closes the one at `open`.
    private func closing(_ open: Int, _ opening: String = "(", _ closing: String = ")") -> Int? {
        var depth = 0
        for position in open..<tokens.count {
            if isSign(opening, position) { depth += 1 }
            if isSign(closing, position) { depth -= 1 }
            if depth == 0 { return position }
        }
        return nil
    }

    /// Returns the index of the square bracket that opens the one at `close`.
    private func opening(_ close: Int) -> Int? {
        var depth = 0
        for position in (0...close).reversed() {
            if isSign("]", position) { depth += 1 }
            if isSign("[", position) { depth -= 1 }
            if depth == 0 { return position }
        }
        return nil
    }

    /// Reads `a.b.c`, skipping generic arguments, and advances `position` past it.
    private func path(_ position: inout Int, until end: Int) -> [String] {
        var names: [String] = []
        while position < end, isName(position) {
            names.append(tokens[position].text)
            position += 1
            if isSign("<", position) {
                var depth = 0
                repeat {
                    if isSign("<", position) { depth += 1 }
                    if isSign(">", position) { depth -= 1 }
                    position += 1
                } while position < end && depth > 0
            }
            guard isSign(".", position), isName(position + 1) else { break }
            position += 1
        }
        return names
    }

    private func keyPath(_ pound: Int, _ file: inout SwiftFile) {
        guard isSign("(", pound + 1), let end = closing(pound + 1) else { return }
        var position = pound + 2
        let path = path(&position, until: end)
        file.keyPaths.append(
            SwiftFile.KeyPathExpression(
                range: tokens[pound].range.lowerBound..<tokens[end].range.upperBound, path: path,
                isPlain: position == end && !path.isEmpty))
    }

    private func selector(_ pound: Int, _ file: inout SwiftFile) {
        guard isSign("(", pound + 1), let end = closing(pound + 1) else { return }
        var position = pound + 2
        var accessor: String?
        if let word = token(position), word.text == "getter" || word.text == "setter", isSign(":", position + 1) {
            accessor = word.text
            position += 2
        }
        let path = path(&position, until: end)
        var labels: [String]?
        if isSign("(", position), position < end {
            var found: [String] = []
            position += 1
            while isName(position), isSign(":", position + 1) {
                found.append(tokens[position].text)
                position += 2
            }
            if isSign(")", position) {
                labels = found
                position += 1
            }
        }
        file.selectors.append(
            SwiftFile.SelectorExpression(
                range: tokens[pound].range.lowerBound..<tokens[end].range.upperBound, accessor: accessor, path: path,
                labels: labels, isPlain: position == end && !path.isEmpty))
    }

    private func word(_ word: SwiftToken, position: Int, file: inout SwiftFile) {
        switch word.text {
        case "as": cast(position, &file)
        case "super":
            guard isSign(".", position + 1), token(position + 2)?.text == "observeValue" else { break }
            file.superclassObservations.append(word.range.lowerBound..<tokens[position + 2].range.upperBound)
        case "Bundle": bundle(position, &file)
        case "bundleIdentifier":
            // Programs on Linux have no identifier. `a.bundleIdentifier != nil` is a comparison.
            guard isSign(".", position - 1), isSign("!", position + 1), tokens[position + 1].isAdjacent,
                !(isSign("=", position + 2) && tokens[position + 2].isAdjacent)
            else { break }
            rename(position...position + 1, text: "bundleIdentifierOrProcessName", file: &file)
        case "NSSet", "NSMutableSet", "NSCountedSet": setLiteral(of: word.text, at: position, &file)
        case "NSPredicate":
            guard isSign("(", position + 1), isSign(")", position + 2) else { break }
            rename(position...position + 2, text: "NSPredicate(value: true)", file: &file)
        default:
            if isSign(".", position - 1) {
                optionalCall(word, position: position, file: &file)
            } else if CoreDataNames.contains(word.text) {
                file.namesCoreData = true
            } else if word.text.hasPrefix("os_unfair_lock") {
                file.namesUnfairLock = true
            }
        }
    }

    private func rename(_ positions: ClosedRange<Int>, text: String, file: inout SwiftFile) {
        file.renamedExpressions.append(
            SwiftFile.RenamedExpression(
                range: tokens[positions.lowerBound].range.lowerBound..<tokens[positions.upperBound].range.upperBound,
                text: text))
    }

    /// Records `: NSSet = […]` and `[…] as NSSet`: on Linux, Foundation's sets have no array literals.
    private func setLiteral(of type: String, at position: Int, _ file: inout SwiftFile) {
        var literal: ClosedRange<Int>?
        if isSign(":", position - 1) {
            let sign = isSign("?", position + 1) ? position + 2 : position + 1
            guard isSign("=", sign), isSign("[", sign + 1), let end = closing(sign + 1, "[", "]") else { return }
            // The literal is the whole value, unlike in `= [a, b].first`.
            if let next = token(end + 1) {
                guard !next.is("."), next.isFirstOnLine || [",", ";", ")", "}", "{"].contains(where: next.is)
                else { return }
            }
            literal = sign + 1...end
        } else if isSign("as", position - 1), isSign("]", position - 2), let start = opening(position - 2) {
            // A type, or a subscript of a value, is not a literal.
            guard !["as", "!", "?"].contains(where: { isSign($0, start - 1) }) else { return }
            if start > 0, tokens[start].isAdjacent,
                isName(start - 1) || isSign(")", start - 1) || isSign("]", start - 1)
            {
                return
            }
            literal = start...position - 2
        }
        guard let literal else { return }
        let (start, end) = (tokens[literal.lowerBound].range.lowerBound, tokens[literal.upperBound].range.upperBound)
        file.renamedExpressions.append(SwiftFile.RenamedExpression(range: start..<start, text: "\(type)(array: "))
        file.renamedExpressions.append(SwiftFile.RenamedExpression(range: end..<end, text: ")"))
    }

    /// Records `Bundle(for:`, which is the main bundle for every class on Linux.
    private func bundle(_ position: Int, _ file: inout SwiftFile) {
        let isInit = isSign(".", position + 1) && isSign("init", position + 2)
        let open = position + (isInit ? 3 : 1)
        guard isSign("(", open), isSign("for", open + 1), isSign(":", open + 2) else { return }
        rename(open + 1...open + 1, text: "forModuleOf", file: &file)
    }

    private func optionalCall(_ word: SwiftToken, position: Int, file: inout SwiftFile) {
        guard isSign("?", position + 1), tokens[position + 1].isAdjacent, isSign("(", position + 2),
            tokens[position + 2].isAdjacent
        else { return }
        file.optionalCalls.append(SwiftFile.OptionalCall(name: word.text, questionMark: tokens[position + 1].range))
    }

    /// The generic classes whose instances can be cast to each other on Apple's platforms only.
    private static let castClasses: Set<String> = ["NSFetchRequest", "NSFetchedResultsController"]

    /// Records a cast such as `as! NSFetchRequest<…>`.
    private func cast(_ position: Int, _ file: inout SwiftFile) {
        guard isSign("!", position + 1) || isSign("?", position + 1), let type = token(position + 2),
            Self.castClasses.contains(type.text), isSign("<", position + 3)
        else { return }
        // A copy has the type of the original.
        if isSign(")", position - 1), isSign("(", position - 2),
            isSign("copy", position - 3) || isSign("mutableCopy", position - 3)
        {
            return
        }
        var end = position + 2
        _ = path(&end, until: tokens.count)
        let upper = tokens[end - 1].range.upperBound
        file.fetchRequestCasts.append(
            SwiftFile.FetchRequestCast(
                range: tokens[position].range.lowerBound..<upper, isConditional: isSign("?", position + 1),
                typeRange: type.range.lowerBound..<upper))
    }
}
