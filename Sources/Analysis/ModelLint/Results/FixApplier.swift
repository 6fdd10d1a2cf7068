package import Diagnostics
package import ModelSource

/// Applies the fixes of findings to a document.
package enum FixApplier {
    /// Applies the first fix of each finding, unless it overlaps with an earlier one in the list. The remaining
    /// findings are reported again when the result is checked.
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
        var claimed = ClaimedBytes(count: document.source.utf8.count)
        var chosen: [FixIt.Edit] = []
        var applied: [Diagnostic] = []
        for diagnostic in diagnostics {
            guard let fix = diagnostic.fixes.first, includesUnsafe || fix.safety == .safe, !fix.edits.isEmpty,
                fix.edits.allSatisfy({ claimed.areFree($0.bytes) })
            else { continue }
            for edit in fix.edits { claimed.claim(edit.bytes) }
            chosen += fix.edits
            applied.append(diagnostic)
        }
        guard !applied.isEmpty else { return (document, []) }
        return (try document.applying(chosen), applied)
    }

    /// The bytes of a file that edits replace, and where they begin.
    private struct ClaimedBytes {
        private var isReplaced: [Bool]
        private var isStart: [Bool]

        init(count: Int) {
            isReplaced = Array(repeating: false, count: count + 1)
            isStart = isReplaced
        }

        /// Returns whether no edit begins in a range or replaces a part of it. Two insertions at one location are not
        /// free.
        func areFree(_ bytes: Range<Int>) -> Bool {
            guard bytes.lowerBound >= 0, bytes.upperBound < isStart.count else { return false }
            let locations = bytes.isEmpty ? bytes.lowerBound..<bytes.lowerBound + 1 : bytes
            return !isStart[locations].contains(true) && !isReplaced[locations].contains(true)
        }

        mutating func claim(_ bytes: Range<Int>) {
            isStart[bytes.lowerBound] = true
            for offset in bytes { isReplaced[offset] = true }
        }
    }
}
