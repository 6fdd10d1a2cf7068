internal import Diagnostics
internal import ModelSchema

/// Collects the findings about a mapping model, up to a limit: a malicious file could cause millions.
struct FindingCollector {
    private(set) var findings: [ModelFinding] = []

    private static let limit = 500

    mutating func add(
        _ severity: Severity, rule: RuleID, message: @autoclosure () -> String, at origin: ElementOrigin?,
        why: String? = nil, help: String? = nil
    ) {
        guard findings.count < Self.limit else { return }
        findings.append(ModelFinding(severity, rule: rule, message(), at: origin, why: why, help: help))
    }

    /// Adds an error about a part of the file that is left out.
    mutating func malformed(_ message: @autoclosure () -> String, at origin: ElementOrigin?) {
        add(.error, rule: .malformedMapping, message: message(), at: origin)
    }
}
