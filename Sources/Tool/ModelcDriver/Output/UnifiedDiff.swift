/// The difference between two files in the format of `diff -u`, which `patch` and every code review tool read.
enum UnifiedDiff {
    /// The number of context lines around a change.
    private static let context = 3

    private enum Edit {
        case keep(old: Int, new: Int)
        case delete(old: Int)
        case insert(new: Int)
    }

    /// Returns the diff, or an empty string for equal ones.
    ///
    /// - Parameters:
    ///   - old: The current text; `nil` if there is no file.
    ///   - new: The new text; `nil` if there should be no file.
    ///   - path: The path that the two headers show, as `PatchPath` returns it.
    static func between(_ old: String?, _ new: String?, path: String) -> String {
        guard old != new else { return "" }
        let oldLines = lines(old ?? "")
        let newLines = lines(new ?? "")
        let (oldPath, newPath) = (PatchPath.header("a/\(path)"), PatchPath.header("b/\(path)"))
        var result = "--- \(old == nil ? "/dev/null" : oldPath)\n+++ \(new == nil ? "/dev/null" : newPath)\n"
        for hunk in hunks(edits(oldLines, newLines)) { result += text(of: hunk, oldLines, newLines) }
        return result
    }

    /// Returns the lines with their line endings. The last line may have none.
    private static func lines(_ text: String) -> [Substring] {
        var lines: [Substring] = []
        var rest = Substring(text)
        while let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n")) {
            let next = rest.utf8.index(after: end)
            lines.append(rest[..<next])
            rest = rest[next...]
        }
        if !rest.isEmpty { lines.append(rest) }
        return lines
    }

    /// Returns a shortest list of edits, without the common prefix and suffix, by Myers' algorithm.
    private static func edits(_ old: [Substring], _ new: [Substring]) -> [Edit] {
        var prefix = 0
        while prefix < min(old.count, new.count), old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < min(old.count, new.count) - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] {
            suffix += 1
        }
        var result = (0..<prefix).map { Edit.keep(old: $0, new: $0) }
        let middle = myers(old[prefix..<old.count - suffix], new[prefix..<new.count - suffix])
        result += middle
        for index in 0..<suffix {
            result.append(.keep(old: old.count - suffix + index, new: new.count - suffix + index))
        }
        return result
    }

    /// The maximum number of differences for which a shortest list is searched. Beyond it, the middle is replaced as a
    /// whole.
    private static let searchLimit = 1_000

    private static func myers(_ old: ArraySlice<Substring>, _ new: ArraySlice<Substring>) -> [Edit] {
        let replacement = { old.indices.map { Edit.delete(old: $0) } + new.indices.map { Edit.insert(new: $0) } }
        let limit = min(old.count + new.count, searchLimit)
        var furthest = [1: 0]
        var trace: [[Int: Int]] = []
        for distance in 0...limit {
            trace.append(furthest)
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                let down = furthest[diagonal + 1, default: -1]
                let right = furthest[diagonal - 1, default: -1]
                var x = diagonal == -distance || (diagonal != distance && right < down) ? down : right + 1
                var y = x - diagonal
                while x < old.count, y < new.count, old[old.startIndex + x] == new[new.startIndex + y] {
                    x += 1
                    y += 1
                }
                furthest[diagonal] = x
                if x >= old.count, y >= new.count { return backtrack(trace, old: old, new: new) }
            }
        }
        return replacement()
    }

    private static func backtrack(
        _ trace: [[Int: Int]], old: ArraySlice<Substring>, new: ArraySlice<Substring>
    ) -> [Edit] {
        var edits: [Edit] = []
        var x = old.count
        var y = new.count
        for (distance, furthest) in trace.enumerated().reversed() {
            let diagonal = x - y
            let down = furthest[diagonal + 1, default: -1]
            let right = furthest[diagonal - 1, default: -1]
            let goesDown = diagonal == -distance || (diagonal != distance && right < down)
            let previousDiagonal = goesDown ? diagonal + 1 : diagonal - 1
            let previousX = furthest[previousDiagonal, default: 0]
            let previousY = previousX - previousDiagonal
            while x > previousX, y > previousY, x > 0, y > 0 {
                x -= 1
                y -= 1
                edits.append(.keep(old: old.startIndex + x, new: new.startIndex + y))
            }
            guard distance > 0 else { break }
            if goesDown {
                y -= 1
                edits.append(.insert(new: new.startIndex + y))
            } else {
                x -= 1
                edits.append(.delete(old: old.startIndex + x))
            }
        }
        return edits.reversed()
    }

    private static func hunks(_ edits: [Edit]) -> [[Edit]] {
        let changed = edits.indices.filter { if case .keep = edits[$0] { false } else { true } }
        var ranges: [Range<Int>] = []
        for index in changed {
            let start = max(0, index - context)
            let end = min(edits.count, index + context + 1)
            if let last = ranges.last, start <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<end
            } else {
                ranges.append(start..<end)
            }
        }
        return ranges.map { Array(edits[$0]) }
    }

    private static func text(of hunk: [Edit], _ old: [Substring], _ new: [Substring]) -> String {
        var oldIndices: [Int] = []
        var newIndices: [Int] = []
        var body = ""
        for edit in hunk {
            switch edit {
            case .keep(let oldIndex, let newIndex):
                oldIndices.append(oldIndex)
                newIndices.append(newIndex)
                body += line(" ", old[oldIndex])
            case .delete(let index):
                oldIndices.append(index)
                body += line("-", old[index])
            case .insert(let index):
                newIndices.append(index)
                body += line("+", new[index])
            }
        }
        return "@@ -\(span(oldIndices)) +\(span(newIndices)) @@\n" + body
    }

    private static func line(_ mark: String, _ text: Substring) -> String {
        text.utf8.last == UInt8(ascii: "\n") ? mark + text : "\(mark)\(text)\n\\ No newline at end of file\n"
    }

    private static func span(_ indices: [Int]) -> String {
        guard let first = indices.first else { return "0,0" }
        return indices.count == 1 ? "\(first + 1)" : "\(first + 1),\(indices.count)"
    }
}
