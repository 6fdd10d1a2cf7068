/// A piece of a parsed template.
indirect enum MustacheNode: Sendable {
    /// Text that is copied.
    case text(String)
    /// A value by its name.
    case variable(MustachePath)
    /// A part that is rendered once for each object of a list and once for another true value or, if inverted, once for
    /// a false value.
    case section(MustachePath, isInverted: Bool, [MustacheNode])
    /// Another template, already read and indented.
    case partial([MustacheNode])
}

/// A dotted name. The first part is looked up from the innermost object outward, the others in the result.
struct MustachePath: Sendable, Equatable {
    struct Part: Sendable, Equatable {
        /// The part as written.
        var text: String
        /// The name, or `nil` if it can only be one that comes from the model.
        var name: RenderName?

        init(_ text: some StringProtocol) {
            self.text = String(text)
            name = RenderName(rawValue: self.text)
        }
    }

    /// The parts; none for `.`, which is the current object.
    var parts: [Part]

    init(_ text: String) {
        parts = text == "." ? [] : text.split(separator: ".", omittingEmptySubsequences: false).map { Part($0) }
    }
}

/// A problem in a template, at a range of its bytes.
struct MustacheProblem: Error {
    var message: String
    var range: Range<Int>
    var help: String?
    /// The included template that the problem is in; `nil` for the template that was parsed.
    var includedTemplate: String?
}
