package import Diagnostics
package import ModelSource

/// Applies the fixes of findings to a document.
package enum FixApplier {
    /// Applies the first fix of each finding, as long as it does not overlap with one before it in the list; what is left
    /// over appears again when the result is checked.
    ///
    /// - Parameters:
    ///   - diagnostics: findings in the document.
    ///   - document: the document that was checked.
    ///   - includesUnsafe: whether fixes that change a version hash, or what the app does, are wanted.
    /// - Returns: the changed document, and the findings that were answered.
    /// - Throws: `EditFailure` if the file's encoding cannot represent a fix, or if the result would say something else.
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

    /// Whether two edits touch the same bytes; two insertions at one place do.
    private static func overlap(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        first.lowerBound == second.lowerBound || first.overlaps(second)
    }
}
