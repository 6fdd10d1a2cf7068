package import Diagnostics
package import ModelSchema
package import ModelSource

/// The source of a version, as the linter needs it: an XML file, or the Swift sources of a SwiftData schema.
package protocol LintedSource: Sendable {
    var model: Model { get }
    /// The path for findings about the model as a whole.
    var path: String { get }
    /// The findings from reading it.
    var diagnostics: [Diagnostic] { get }
    /// Whether a part could not be read, so that existing elements may seem to be missing.
    var isIncomplete: Bool { get }
    /// Whether the model is SwiftData code, to which only some rules apply.
    var isSwiftData: Bool { get }
    /// The findings of the reader, each with its rule.
    var findings: [(rule: RuleID, finding: RuleFinding)] { get }
    /// Returns what is wrong with the model up to a level.
    func findings(at level: ModelLevel) -> [ModelFinding]
    /// Returns the location of an element, or of one of its XML attributes.
    func location(of origin: ElementOrigin?, attribute: String?) -> (file: String, range: SourceRange?)
    /// Returns the edit that sets an XML attribute to a value, or removes it for `nil`; `nil` if there is no such edit.
    func edit(_ attribute: String, to value: String?, of origin: ElementOrigin?) -> FixIt.Edit?
}

extension LintedSource {
    /// Returns a finding as a diagnostic with its location.
    package func diagnostic(for finding: ModelFinding) -> Diagnostic {
        let location = location(of: finding.origin, attribute: finding.attribute)
        return Diagnostic(
            finding.severity, rule: finding.rule, finding.message, file: location.file, range: location.range,
            why: finding.why, help: finding.help)
    }
}

extension ModelDocument: LintedSource {
    package var isSwiftData: Bool { false }

    package var findings: [(rule: RuleID, finding: RuleFinding)] { [] }

    package func location(of origin: ElementOrigin?, attribute: String?) -> (file: String, range: SourceRange?) {
        (path, bestRange(of: origin, attribute: attribute))
    }

    package func edit(_ attribute: String, to value: String?, of origin: ElementOrigin?) -> FixIt.Edit? {
        value.map { edit(setting: attribute, to: $0, of: origin) } ?? edit(removing: attribute, of: origin)
    }
}
