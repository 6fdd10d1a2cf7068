/// A scanner for expressions that need Objective-C, in bodies, default values and interpolations alike.
struct ExpressionScanner {
    private let bytes: [UInt8]
    private let tokens: [SwiftToken]

    /// Records the expressions of a file that are compiled on Linux.
    static func scan(_ bytes: [UInt8], into file: inout SwiftFile) {
        ExpressionScanner(bytes: bytes, tokens: LinuxCode.tokens(in: bytes)).scan(into: &file, depth: 0)
    }

    private func token(_ place: Int) -> SwiftToken? { tokens.indices.contains(place) ? tokens[place] : nil }

    private func isSign(_ sign: String, _ place: Int) -> Bool { token(place)?.is(sign) ?? false }

    private func isName(_ place: Int) -> Bool {
        guard let kind = token(place)?.kind else { return false }
        return kind == .word || kind == .quotedName
    }

    private func scan(into file: inout SwiftFile, depth: Int) {
        for (place, token) in tokens.enumerated() {
            switch token.kind {
            case .pound where token.text == "keyPath": keyPath(place, &file)
            case .pound where token.text == "selector": selector(place, &file)
            case .literal where depth < 32: interpolations(token, &file, depth)
            case .word: word(token, place, &file)
            default: break
            }
        }
    }

    private func interpolations(_ literal: SwiftToken, _ file: inout SwiftFile, _ depth: Int) {
        for range in SwiftLexer.interpolations(in: literal.range, of: bytes) {
            let inner = SwiftLexer.tokens(in: Array(bytes[range])).map { token in
                var token = token
                token.range = token.range.lowerBound + range.lowerBound..<token.range.upperBound + range.lowerBound
                return token
            }
            ExpressionScanner(bytes: bytes, tokens: inner).scan(into: &file, depth: depth + 1)
        }
    }

    /// Returns the index of the parenthesis that closes the one at `open`.
    private func closing(_ open: Int) -> Int? {
        var depth = 0
        for place in open..<tokens.count {
            if isSign("(", place) { depth += 1 }
            if isSign(")", place) { depth -= 1 }
            if depth == 0 { return place }
        }
        return nil
    }

    /// Reads `a.b.c`, skipping generic arguments, and advances `place` past it.
    private func path(_ place: inout Int, until end: Int) -> [String] {
        var names: [String] = []
        while place < end, isName(place) {
            names.append(tokens[place].text)
            place += 1
            if isSign("<", place) {
                var depth = 0
                repeat {
                    if isSign("<", place) { depth += 1 }
                    if isSign(">", place) { depth -= 1 }
                    place += 1
                } while place < end && depth > 0
            }
            guard isSign(".", place), isName(place + 1) else { break }
            place += 1
        }
        return names
    }

    private func keyPath(_ pound: Int, _ file: inout SwiftFile) {
        guard isSign("(", pound + 1), let end = closing(pound + 1) else { return }
        var place = pound + 2
        let path = path(&place, until: end)
        file.keyPaths.append(
            SwiftFile.KeyPathExpression(
                range: tokens[pound].range.lowerBound..<tokens[end].range.upperBound, path: path,
                isPlain: place == end && !path.isEmpty))
    }

    private func selector(_ pound: Int, _ file: inout SwiftFile) {
        guard isSign("(", pound + 1), let end = closing(pound + 1) else { return }
        var place = pound + 2
        var accessor: String?
        if let word = token(place), word.text == "getter" || word.text == "setter", isSign(":", place + 1) {
            accessor = word.text
            place += 2
        }
        let path = path(&place, until: end)
        var labels: [String]?
        if isSign("(", place), place < end {
            var found: [String] = []
            place += 1
            while isName(place), isSign(":", place + 1) {
                found.append(tokens[place].text)
                place += 2
            }
            if isSign(")", place) {
                labels = found
                place += 1
            }
        }
        file.selectors.append(
            SwiftFile.SelectorExpression(
                range: tokens[pound].range.lowerBound..<tokens[end].range.upperBound, accessor: accessor, path: path,
                labels: labels, isPlain: place == end && !path.isEmpty))
    }

    private func word(_ word: SwiftToken, _ place: Int, _ file: inout SwiftFile) {
        switch word.text {
        case "as": cast(place, &file)
        case "Bundle": bundle(place, &file)
        case "bundleIdentifier":
            // Programs on Linux have no identifier. `a.bundleIdentifier != nil` is a comparison.
            guard isSign(".", place - 1), isSign("!", place + 1), tokens[place + 1].isAdjacent,
                !(isSign("=", place + 2) && tokens[place + 2].isAdjacent)
            else { break }
            rename(place...place + 1, "bundleIdentifierOrProcessName", &file)
        case "NSPredicate":
            guard isSign("(", place + 1), isSign(")", place + 2) else { break }
            rename(place...place + 2, "NSPredicate(value: true)", &file)
        default:
            if isSign(".", place - 1) {
                optionalCall(word, place, &file)
            } else if CoreDataNames.contains(word.text) {
                file.namesCoreData = true
            } else if word.text.hasPrefix("os_unfair_lock") {
                file.namesUnfairLock = true
            }
        }
    }

    private func rename(_ places: ClosedRange<Int>, _ text: String, _ file: inout SwiftFile) {
        file.renamedExpressions.append(
            SwiftFile.RenamedExpression(
                range: tokens[places.lowerBound].range.lowerBound..<tokens[places.upperBound].range.upperBound,
                text: text))
    }

    /// Records `Bundle(for:`, which is the main bundle for every class on Linux.
    private func bundle(_ place: Int, _ file: inout SwiftFile) {
        let isInit = isSign(".", place + 1) && isSign("init", place + 2)
        let open = place + (isInit ? 3 : 1)
        guard isSign("(", open), isSign("for", open + 1), isSign(":", open + 2) else { return }
        rename(open + 1...open + 1, "forModuleOf", &file)
    }

    private func optionalCall(_ word: SwiftToken, _ place: Int, _ file: inout SwiftFile) {
        guard isSign("?", place + 1), tokens[place + 1].isAdjacent, isSign("(", place + 2), tokens[place + 2].isAdjacent
        else { return }
        file.optionalCalls.append(SwiftFile.OptionalCall(name: word.text, questionMark: tokens[place + 1].range))
    }

    /// Records a cast such as `as! NSFetchRequest<…>`.
    private func cast(_ place: Int, _ file: inout SwiftFile) {
        guard isSign("!", place + 1) || isSign("?", place + 1), let type = token(place + 2),
            type.text == "NSFetchRequest", isSign("<", place + 3)
        else { return }
        // A copy has the type of the original.
        if isSign(")", place - 1), isSign("(", place - 2), isSign("copy", place - 3) || isSign("mutableCopy", place - 3)
        {
            return
        }
        var end = place + 2
        _ = path(&end, until: tokens.count)
        let upper = tokens[end - 1].range.upperBound
        file.fetchRequestCasts.append(
            SwiftFile.FetchRequestCast(
                range: tokens[place].range.lowerBound..<upper, isConditional: isSign("?", place + 1),
                typeRange: type.range.lowerBound..<upper))
    }
}
