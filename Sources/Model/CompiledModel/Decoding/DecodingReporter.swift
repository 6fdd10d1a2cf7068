internal import Diagnostics
package import ModelSchema

/// Collects the findings from reading an archive, up to a limit: a malicious file could cause millions.
package struct DecodingReporter {
    package private(set) var findings: [ModelFinding] = []
    private var reported: Set<String> = []

    private static let limit = 200

    /// Reports a malformed part, which is left out.
    package mutating func malformed(_ message: String) {
        report(.error, rule: .malformedArchive, message)
    }

    /// Reports a valid part that a model cannot express.
    package mutating func unsupported(_ message: String, why: String? = nil) {
        report(.warning, rule: .unsupportedArchivePart, message, why: why)
    }

    /// Reports a class or key that this library does not recognize, once for each.
    package mutating func unknown(_ message: String) {
        report(.note, rule: .unknownArchivePart, message)
    }

    private mutating func report(_ severity: Severity, rule: RuleID, _ message: String, why: String? = nil) {
        guard findings.count < Self.limit, reported.insert(message).inserted else { return }
        findings.append(ModelFinding(severity, rule: rule, message, at: nil, why: why))
        if findings.count == Self.limit {
            findings.append(
                ModelFinding(.error, rule: .malformedArchive, "more findings of this kind are not listed", at: nil))
        }
    }
}
