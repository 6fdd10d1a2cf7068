package import Diagnostics

/// The accepted findings of a first check, which are not reported again.
///
/// A text file with a line for each kind of finding at each element: rule, model, element and count, separated by tabs.
/// A model is named by the path from the baseline's folder if several have its name. The lines are sorted, so that two
/// branches that both fix findings merge without conflicts.
package struct Baseline: Sendable {
    private var counts: [String: Int]

    /// An invalid line.
    package struct Malformed: Error, Sendable {
        /// The line, from 1.
        package var line: Int
        /// The problem, in one sentence without a period.
        package var message: String
    }

    /// The beginning of every baseline.
    package static let header = "# modelc baseline 1"
    /// The ways in which the file of a baseline begins: editors on Windows add a byte order mark.
    package static let beginnings = [Array(header.utf8), [0xEF, 0xBB, 0xBF] + Array(header.utf8)]

    /// Creates a baseline from findings.
    package init(_ diagnostics: [Diagnostic]) {
        counts = Dictionary(diagnostics.map { (Fingerprint.key(of: $0), 1) }, uniquingKeysWith: +)
    }

    /// Returns the baseline with another's entries of the rules that are not in a set: those of other checks.
    package func keeping(_ other: Baseline, except rules: Set<RuleID>) -> Baseline {
        var result = self
        let kept = other.counts.filter { entry in Self.rule(of: entry.key).map { !rules.contains($0) } ?? false }
        result.counts.merge(kept) { own, _ in own }
        return result
    }

    /// Returns the rule of a key; `nil` if this version has no such rule.
    private static func rule(of key: String) -> RuleID? {
        key.split(separator: "\t", maxSplits: 1).first.flatMap { RuleID(rawValue: String($0)) }
    }

    /// Reads a baseline.
    ///
    /// - Throws: `Malformed` with the first invalid line.
    package init(text: String) throws(Malformed) {
        counts = [:]
        let lines = TextLines.split(text)
        guard lines.first.map(String.init)?.hasPrefix(Self.header) == true else {
            throw Malformed(line: 1, message: "the file does not begin with “\(Self.header)”")
        }
        for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 4, let count = Int(fields[3]), count > 0 else {
                throw Malformed(
                    line: index + 1,
                    message: "the line is not a rule, a model, an element and a number, with tabs between")
            }
            counts[fields[0..<3].joined(separator: "\t"), default: 0] += count
        }
    }

    /// The file, ending in a line feed.
    package var text: String {
        ([Self.header] + counts.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)" })
            .joined(separator: "\n") + "\n"
    }

    /// Removes the findings in the baseline from a list.
    ///
    /// - Parameters:
    ///   - rules: The rules that were checked; `nil` for all.
    ///   - candidates: Returns a finding with each name by which the baseline may know its model.
    /// - Returns: The remaining findings in their order, the number of removed ones, and the number of findings in the
    ///   baseline that no longer occur.
    package func filter(
        _ diagnostics: [Diagnostic], checked rules: Set<RuleID>? = nil,
        candidates: (Diagnostic) -> [Diagnostic] = { [$0] }
    ) -> (rest: [Diagnostic], hiddenCount: Int, staleCount: Int) {
        var left = counts
        let rest = diagnostics.filter { diagnostic in
            let keys = candidates(diagnostic).map(Fingerprint.key(of:))
            guard let key = keys.first(where: { left[$0] ?? 0 > 0 }) else { return true }
            left[key, default: 0] -= 1
            return false
        }
        let stale = left.reduce(0) { sum, entry in
            guard let rules, let rule = Self.rule(of: entry.key), !rules.contains(rule) else {
                return sum + entry.value
            }
            return sum
        }
        return (rest, diagnostics.count - rest.count, stale)
    }
}
