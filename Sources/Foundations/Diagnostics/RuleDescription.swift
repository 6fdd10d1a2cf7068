/// The description of a rule: its names, its severity, and the text that explains it.
package struct RuleDescription: Hashable, Sendable {
    /// The identifier, for example `missing-inverse`.
    package var id: RuleID
    /// The stable code, for example `MC2001`. The first digit is the group.
    package var code: String
    /// The group the rule belongs to, for example `relationships`.
    package var group: String
    /// The finding in general terms, on one line without a period.
    package var title: String
    /// What the rule looks for and why it matters, as paragraphs of Markdown.
    package var explanation: String
    /// What to do about a finding, as paragraphs of Markdown.
    package var remedy: String
    /// The default severity; `nil` if the rule is off by default.
    package var defaultSeverity: Severity?
    /// The safety of the rule's fix; `nil` if it has none.
    package var fix: FixIt.Safety?
    /// The commands that report the finding, for one that `modelc lint` never reports; `nil` for lint rules, which
    /// settings can configure.
    package var commands: String?
    /// The profile that turns the rule on, for example `cloudkit`; `nil` for rules that apply to every model.
    package var profile: String?

    /// Creates a description.
    package init(
        id: RuleID, code: String, group: String, title: String, explanation: String, remedy: String,
        defaultSeverity: Severity?, fix: FixIt.Safety? = nil, profile: String? = nil, commands: String? = nil
    ) {
        self.id = id
        self.code = code
        self.group = group
        self.title = title
        self.explanation = explanation
        self.remedy = remedy
        self.defaultSeverity = defaultSeverity
        self.fix = fix
        self.profile = profile
        self.commands = commands
    }
}
