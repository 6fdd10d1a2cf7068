package import Diagnostics
package import ModelSource

/// Applies the fixes of findings to a document.
package enum FixApplier {
    /// Applies the first fix of each finding, unless it overlaps with an earlier one in the list. The remaining findings
    /// are reported again when the result is checked.
    ///
    /// - Parameters:
    ///   - diagnostics: Findings in the document.
    ///   - document: The document that was checked.
    ///   - includesUnsafe: Whether to apply fixes that change a version hash or the behavior of the app.
    /// - Returns: The changed document, and the findings that were fixed.
    /// - Throws: `EditFailure` if the file's encoding cannot represent a fix, or if the edits would change anything
    ///   else.
    package static func apply(
        _ diagnostics: [Diagnostic], to document: ModelDocument, includesUnsafe: Bool
    ) throws(EditFailure) -> (document: ModelDocument, applied: [Diagnostic]) {
        let length = document.source.utf8.count
        var chosen: [FixIt.Edit] = []
        var applied: [Diagnostic] = []
        for diagnostic in diagnostics {
            guard let fix = diagnostic.fixes.first, includesUnsafe || fix.safety == .safe, !fix.edits.isEmpty,
                fix.edits.allSatisfy({ edit in
                    edit.bytes.upperBound <= length && !chosen.contains { overlap($0.bytes, edit.bytes) }
                })
            else { continue }
            chosen += fix.edits
            applied.append(diagnostic)
        }
        guard !applied.isEmpty else { return (document, []) }
        return (try document.applying(chosen), applied)
    }

    /// Returns whether two edits touch the same bytes, or start at the same offset.
    private static func overlap(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        first.lowerBound == second.lowerBound || first.overlaps(second)
    }
}
