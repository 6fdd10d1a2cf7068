/// A piece of a parsed template.
indirect enum MustacheNode: Sendable {
    /// Text that is copied.
    case text(String)
    /// A value by its name.
    case variable(MustachePath)
    /// A part that is rendered for each object of a list, once for a value that is not false, or, inverted, once for a
    /// value that is.
    case section(MustachePath, isInverted: Bool, [MustacheNode])
    /// Another template, already read and indented.
    case partial([MustacheNode])
}

/// A name with dots: looked up by its first part from the innermost object outwards, by the others inside of that.
struct MustachePath: Sendable, Equatable {
    /// One part of a name.
    struct Part: Sendable, Equatable {
        /// The part as written.
        var text: String
        /// The name that it is, or nil when it can only be one that comes from the model.
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

/// Something that is wrong in a template, at a range of its bytes.
struct MustacheProblem: Error {
    var message: String
    var range: Range<Int>
    var help: String?
    /// The template that the problem is in, when it is an included one; nil when it is the one that was parsed.
    var includedTemplate: String?
}
