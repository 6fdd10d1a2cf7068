internal import SwiftSources

extension SwiftToken {
    /// The change in the number of open brackets: 1, -1 or 0.
    var nesting: Int {
        guard kind == .sign else { return 0 }
        switch text {
        case "(", "[", "{": return 1
        case ")", "]", "}": return -1
        default: return 0
        }
    }
}

extension ArraySlice<SwiftToken> {
    /// Splits tokens at each occurrence of a sign outside brackets. Parts may be empty.
    func split(atTopLevel sign: String) -> [ArraySlice<SwiftToken>] {
        var parts: [ArraySlice<SwiftToken>] = []
        var (open, start) = (0, startIndex)
        for (span, token) in zip(indices, self) where token.kind == .sign {
            open += token.nesting
            if open == 0, token.is(sign) {
                parts.append(self[start..<span])
                start = span + 1
            }
        }
        parts.append(self[start...])
        return parts
    }
}
