package import Diagnostics
package import ModelSchema

/// A finding of a rule, without the facts that the rule's description has.
package struct RuleFinding: Sendable {
    /// The problem, in one sentence without a period.
    package var message: String
    /// The affected element; `nil` for the model as a whole.
    package var origin: ElementOrigin?
    /// The affected XML attribute of the element; `nil` for the element as a whole.
    package var attribute: String?
    /// The field of Xcode's Data Model inspector where it is fixed, for example `Delete Rule`, or `nil`.
    package var inspectorField: String?
    /// Why it matters.
    package var why: String?
    /// What to do about it.
    package var help: String?
    /// Other elements that explain the finding, each with a message.
    package var related: [(message: String, origin: ElementOrigin?, attribute: String?)] = []
    /// The fix for the finding.
    package var fix: Fix?

    /// A fix that changes XML attributes.
    package struct Fix: Sendable {
        /// The effect of the fix, in the imperative.
        package var title: String
        /// Whether the fix can be applied without review.
        package var safety: FixIt.Safety
        /// The attributes of the element with their new values; `nil` removes one.
        package var attributes: [(name: String, value: String?)]
        /// The element that is changed; `nil` for the finding's own.
        package var element: ElementOrigin?

        /// Creates a fix.
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
