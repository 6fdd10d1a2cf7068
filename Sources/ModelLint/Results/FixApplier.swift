public import Diagnostics

/// Makes changes that answer findings in the bytes of a file.
public enum FixApplier {
    /// Applies the first fix of each finding, as long as it does not overlap with one before it in the list; what is left
    /// over shows up again when the result is checked.
    ///
    /// - Parameters:
    ///   - diagnostics: findings of one file.
    ///   - bytes: the file.
    ///   - includesUnsafe: whether fixes that move a version hash, or change what the app does, are wanted.
    /// - Returns: the changed file, and the findings that were answered.
    public static func apply(
        _ diagnostics: [Diagnostic], to bytes: [UInt8], includesUnsafe: Bool
    ) -> (bytes: [UInt8], applied: [Diagnostic]) {
        var chosen: [FixIt.Edit] = []
        var applied: [Diagnostic] = []
        for diagnostic in diagnostics {
            guard let fix = diagnostic.fixes.first, includesUnsafe || fix.safety == .safe, !fix.edits.isEmpty,
                fix.edits.allSatisfy({ edit in
                    bytes.indices.contains(edit.bytes.lowerBound) && edit.bytes.upperBound <= bytes.count
                        && !chosen.contains { overlap($0.bytes, edit.bytes) }
                })
            else { continue }
            chosen += fix.edits
            applied.append(diagnostic)
        }
        var result = bytes
        // From the end of the file, so that offsets stay right; of two edits of a fix at one place, the second first.
        let order = chosen.indices.sorted { (chosen[$0].bytes.lowerBound, $0) > (chosen[$1].bytes.lowerBound, $1) }
        for edit in order.map({ chosen[$0] }) {
            result.replaceSubrange(edit.bytes, with: Array(edit.replacement.utf8))
        }
        return (result, applied)
    }

    /// Whether two edits touch the same bytes; two insertions at one place do.
    private static func overlap(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        first.lowerBound == second.lowerBound || first.overlaps(second)
    }
}
