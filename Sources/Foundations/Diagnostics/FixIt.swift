/// A change to a file that fixes a finding.
package struct FixIt: Hashable, Sendable {
    /// Whether a fix can be applied without review.
    package enum Safety: Hashable, Sendable {
        /// The model keeps its meaning: no version hash changes, and generated code behaves the same.
        case safe
        /// The fix changes a version hash or the behavior of the app, and must be requested explicitly.
        case unsafe
    }

    /// A replacement of bytes in the file.
    package struct Edit: Hashable, Sendable {
        /// The bytes to replace, as offsets in the file; an empty range is an insertion.
        package var bytes: Range<Int>
        /// The same range in lines and columns.
        package var range: SourceRange
        package var replacement: String

        /// Creates an edit.
        package init(bytes: Range<Int>, range: SourceRange, replacement: String) {
            self.bytes = bytes
            self.range = range
            self.replacement = replacement
        }
    }

    /// The effect of the fix, in the imperative: `Set the delete rule to Nullify`.
    package var title: String
    /// Whether the fix can be applied without review.
    package var safety: Safety
    /// The replacements, in the order of the file and without overlaps. All are in the finding's file.
    package var edits: [Edit]

    /// Creates a fix.
    package init(_ title: String, safety: Safety, edits: [Edit]) {
        self.title = title
        self.safety = safety
        self.edits = edits
    }
}

/// Another location that explains a finding.
package struct RelatedLocation: Hashable, Sendable {
    /// The message for the location.
    package var message: String
    /// The path of the file, as the user named it.
    package var file: String
    /// The range in the file; `nil` for the file as a whole.
    package var range: SourceRange?

    /// Creates a location.
    package init(_ message: String, file: String, range: SourceRange?) {
        self.message = message
        self.file = file
        self.range = range
    }
}
