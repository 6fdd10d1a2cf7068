/// A change of a file that answers a finding.
package struct FixIt: Hashable, Sendable {
    /// Whether a change can be made without asking.
    package enum Safety: Hashable, Sendable {
        /// The model means the same afterwards: no version hash moves and no generated code changes its meaning.
        case safe
        /// The change moves a version hash, or changes what the app does; somebody has to want it.
        case unsafe
    }

    /// A replacement of some bytes of the file.
    package struct Edit: Hashable, Sendable {
        /// The bytes that go, as offsets in the file; an empty range inserts.
        package var bytes: Range<Int>
        /// The same place in lines and columns.
        package var range: SourceRange
        /// What comes in their place.
        package var replacement: String

        /// Creates an edit.
        package init(bytes: Range<Int>, range: SourceRange, replacement: String) {
            self.bytes = bytes
            self.range = range
            self.replacement = replacement
        }
    }

    /// What the change does, as an order: `Set the delete rule to Nullify`.
    package var title: String
    /// Whether it can be made without asking.
    package var safety: Safety
    /// The replacements, which do not overlap; in the order of the file. All belong to the finding's own file.
    package var edits: [Edit]

    /// Creates a change.
    package init(_ title: String, safety: Safety, edits: [Edit]) {
        self.title = title
        self.safety = safety
        self.edits = edits
    }
}

/// Another place that explains a finding.
package struct RelatedPlace: Hashable, Sendable {
    /// What is to be seen there.
    package var message: String
    /// The path of the file, as the user named it.
    package var file: String
    /// The place in the file; nil for the file as a whole.
    package var range: SourceRange?

    /// Creates a place.
    package init(_ message: String, file: String, range: SourceRange?) {
        self.message = message
        self.file = file
        self.range = range
    }
}
