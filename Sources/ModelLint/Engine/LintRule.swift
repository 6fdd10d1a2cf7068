package import Diagnostics
package import ModelSchema

/// A rule that models are checked against. Each rule has its own file.
///
/// A rule is a value without state and may be asked from any thread.
package protocol LintRule: Sendable {
    /// What the rule is.
    var description: RuleDescription { get }
    /// Whether the rule checks only the current version by default. Shipped versions cannot change any
    /// more, so style findings there are noise; build-breaking ones are not.
    var isForCurrentVersionOnly: Bool { get }
    /// Looks at a version and reports what it finds.
    func check(_ context: LintContext, _ report: (RuleFinding) -> Void)
}

extension LintRule {
    /// Only errors are looked for in versions that are not current.
    package var isForCurrentVersionOnly: Bool { description.defaultSeverity != .error }
}

/// Something that a rule found. The rule's description says the rest.
package struct RuleFinding: Sendable {
    /// What is wrong, in one sentence without a full stop.
    package var message: String
    /// The element concerned; nil for the model as a whole.
    package var origin: ElementOrigin?
    /// The XML attribute of the element that is concerned; nil for the element as a whole.
    package var attribute: String?
    /// The field of Xcode's Data Model inspector where it is fixed, for example `Delete Rule`, or nil.
    package var inspectorField: String?
    /// Why it matters.
    package var why: String?
    /// What to do about it.
    package var help: String?
    /// Other elements that explain the finding, with what is to be seen there.
    package var related: [(message: String, origin: ElementOrigin?, attribute: String?)] = []
    /// A change that answers the finding.
    package var fix: Fix?

    /// A change of XML attributes.
    package struct Fix: Sendable {
        /// What it does, as an order.
        package var title: String
        /// Whether it can be made without asking.
        package var safety: FixIt.Safety
        /// The attributes of the element with their new values; nil removes one.
        package var attributes: [(name: String, value: String?)]
        /// The element that is changed; nil for the finding's own.
        package var element: ElementOrigin?

        /// Creates a change.
        package init(
            _ title: String, safety: FixIt.Safety, attributes: [(name: String, value: String?)],
            of element: ElementOrigin? = nil
        ) {
            self.title = title
            self.safety = safety
            self.attributes = attributes
            self.element = element
        }
    }

    /// Creates a finding.
    package init(
        _ message: String, at origin: ElementOrigin?, attribute: String? = nil, inspectorField: String? = nil,
        why: String? = nil, help: String? = nil, fix: Fix? = nil
    ) {
        self.message = message
        self.origin = origin
        self.attribute = attribute
        self.inspectorField = inspectorField
        self.why = why
        self.help = help
        self.fix = fix
    }
}
