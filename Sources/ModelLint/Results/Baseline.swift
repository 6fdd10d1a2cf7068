package import Diagnostics

/// Findings that were there when somebody began to check, and are not told again.
///
/// A text file with a line for each kind of finding at each element, sorted, so that two branches that both fix something
/// merge without a conflict: rule, model, element and number, with tabs between them.
package struct Baseline: Sendable {
    private var counts: [String: Int]

    /// An invalid line.
    package struct Malformed: Error, Sendable {
        /// The line, from 1.
        package var line: Int
        /// What is wrong, in one sentence without a full stop.
        package var message: String
    }

    private static let header = "# modelc baseline 1"

    /// The baseline of some findings.
    package init(_ diagnostics: [Diagnostic]) {
        counts = Dictionary(diagnostics.map { (Fingerprint.key(of: $0), 1) }, uniquingKeysWith: +)
    }

    /// Reads a baseline.
    ///
    /// - Throws: `Malformed` with the first invalid line.
    package init(text: String) throws(Malformed) {
        counts = [:]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
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

    /// Takes the findings that the baseline knows out of a list.
    ///
    /// - Returns: the rest in their order, how many were taken out, and how many of the baseline are no longer found.
    package func filter(_ diagnostics: [Diagnostic]) -> (rest: [Diagnostic], hiddenCount: Int, staleCount: Int) {
        var left = counts
        let rest = diagnostics.filter { diagnostic in
            let key = Fingerprint.key(of: diagnostic)
            guard let count = left[key], count > 0 else { return true }
            left[key] = count - 1
            return false
        }
        return (rest, diagnostics.count - rest.count, left.values.reduce(0, +))
    }
}
