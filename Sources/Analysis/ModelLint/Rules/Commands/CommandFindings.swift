internal import Diagnostics

/// The findings that commands other than `modelc lint` report. Settings and suppressions have no effect on them.
enum CommandFindings {
    static let descriptions: [RuleDescription] = generating + compiling + building + running

    /// Returns the description of a finding of commands.
    static func finding(
        _ id: RuleID, code: String, title: String, explanation: String, fix remedy: String,
        _ severity: Severity = .error, in commands: String
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: "commands", title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: severity, commands: commands)
    }
}
