package import Diagnostics

/// The result of `modelc check`: the verdict, what to do next, and whether that needs a Mac.
package struct CheckSummary {
    /// The verdict, or the reason why there is none, with what helps.
    package enum Outcome: Equatable, Sendable {
        case verdict(Verdict)
        case unknown(String, help: String? = nil)

        /// The outcome in words.
        var text: String {
            switch self {
            case .verdict(let verdict): verdict.text
            case .unknown(let reason, _): "unknown (\(reason))"
            }
        }
    }

    /// The maximum number of steps. The findings have them all.
    private static let stepLimit = 3

    /// The verdict about all models: that about the worst.
    package let outcome: Outcome
    /// What to do, in order: shell commands and edits.
    package let steps: [String]
    /// The reason why a step needs a Mac, or `nil`.
    package let macReason: String?

    /// Sums findings up.
    ///
    /// - Parameters:
    ///   - diagnostics: The findings in the order of `FixOrder`.
    ///   - failLevel: The least severity that has to be fixed.
    package init(_ outcome: Outcome, _ diagnostics: [Diagnostic], failLevel: Severity) {
        self.outcome = outcome
        // Lost values are worth a step although they fail nothing.
        let pending = diagnostics.filter { diagnostic in
            diagnostic.severity >= failLevel || [.renameWithoutIdentifier, .droppedValues].contains(diagnostic.rule)
        }
        var steps: [String] = []
        var seen: Set<String> = []
        if case .unknown(_, let help?) = outcome, seen.insert(help).inserted { steps.append(help) }
        for step in pending.map({ $0.command ?? $0.help ?? "Fix: \($0.message)." }) where seen.insert(step).inserted {
            steps.append(step)
        }
        let more = steps.count - Self.stepLimit
        self.steps = steps.prefix(Self.stepLimit) + (more > 0 ? ["\(more) more; see the findings"] : [])
        macReason = pending.lazy.compactMap(Self.macReason).first
    }

    /// Returns the reason why fixing a finding needs a Mac, or `nil` if it does not.
    private static func macReason(_ diagnostic: Diagnostic) -> String? {
        switch diagnostic.rule {
        case .legacyBinaryVersion: "only Xcode 4 to 13 converts a binary model of Xcode 3"
        case .staleModelCopy, .unusedMapping: "only Xcode refreshes the copies of models in a mapping model"
        case .swiftDataHash, .swiftDataUnsupported: "a version hash can only be read from a store that SwiftData wrote"
        default: nil
        }
    }

    /// The lines above the findings.
    package var headlines: [Headline] {
        [
            Headline("verdict", outcome.text), Headline("next", list: steps.isEmpty ? ["nothing"] : steps),
            Headline("needs-mac", macReason.map { "yes: \($0)" } ?? "no"),
        ]
    }
}
