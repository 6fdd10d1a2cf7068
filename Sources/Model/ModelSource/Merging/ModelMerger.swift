internal import Diagnostics

/// The three-way merge of `contents` and `.xccurrentversion` files: by entity and property name, so that only elements
/// that both sides changed conflict. The result is laid out as Xcode saves it.
package enum ModelMerger {
    /// The result of a merge.
    package struct Result: Sendable {
        /// The merged file, with conflict markers where both sides changed the same thing.
        package var bytes: [UInt8]
        /// Descriptions of the conflicts.
        package var conflicts: [String]
    }

    /// Merges two versions of a file.
    ///
    /// - Parameters:
    ///   - base: The common ancestor; empty if both sides added the file, in which case every difference is a conflict.
    ///   - ours: Our version.
    ///   - theirs: The other version.
    ///   - path: The path that diagnostics name.
    ///   - markers: The style of conflict markers.
    ///   - side: The side that wins where both changed the same thing; `nil` to report conflicts. Only for `contents`
    ///     files.
    /// - Throws: `CannotFormat` if one of the versions is partly unreadable.
    package static func merge(
        base: [UInt8], ours: [UInt8], theirs: [UInt8], path: String, markers: ConflictMarkerStyle,
        preferring side: MergeSide? = nil
    ) throws(ModelFormatter.CannotFormat) -> Result {
        if ours == theirs || theirs == base { return Result(bytes: ours, conflicts: []) }
        if ours == base { return Result(bytes: theirs, conflicts: []) }
        if let result = mergeCurrentVersions(base: base, ours: ours, theirs: theirs, path: path, markers) {
            return result
        }
        // An unreadable base shows no changes, like a missing one: every difference is a conflict.
        let old = try? plain(base, path)
        let (our, their) = (try plain(ours, path), try plain(theirs, path))
        var merge = NodeMerge(hasBase: old != nil)
        var document = our
        document.root = merge.merge(base: old?.root, ours: our.root, theirs: their.root, path: [])
        if let side, let root = document.root.resolved(inFavorOf: side).first { document.root = root }
        let conflicts = side == nil ? merge.conflicts : []
        let knownRemarks = Set(our.head + our.tail + (old.map { $0.head + $0.tail } ?? []))
        document.head += their.head.filter { !knownRemarks.contains($0) }
        document.tail += their.tail.filter { !knownRemarks.contains($0) }
        // A change of the encoding on one side is kept.
        if our.source.encoding == old?.source.encoding { document.source = their.source }
        document = ModelFormatter.format(document)
        let bytes = try ModelFormatter.encode(document, path: path, markers: markers)
        // With conflict markers, the result is not well-formed XML and cannot be read back.
        guard !conflicts.isEmpty || isReadable(bytes, as: document, path) else {
            throw ModelFormatter.CannotFormat(
                diagnostics: [RewriteCheck.mismatch(path: path)], lines: LineIndex(our.source.utf8))
        }
        return Result(bytes: bytes, conflicts: conflicts)
    }

    /// Returns whether a merged file reads as the document that it was written from.
    private static func isReadable(_ bytes: [UInt8], as document: XMLNodeDocument, _ path: String) -> Bool {
        guard let copy = try? ModelFormatter.document(bytes, path: path) else { return false }
        return copy.root == document.root && copy.head == document.head && copy.tail == document.tail
    }

    /// Returns both complete versions, between conflict markers: for files that are partly unreadable.
    ///
    /// - Throws: `CannotEncode` if the encoding of our version lacks a character of theirs.
    package static func undecided(
        ours: [UInt8], theirs: [UInt8], markers: ConflictMarkerStyle
    ) throws(SourceText.CannotEncode) -> [UInt8] {
        let (our, their) = (SourceText(ours), SourceText(theirs))
        let isOneEncoding = our.encoding.isCompatible(with: their.encoding)
        func line(_ text: String) throws(SourceText.CannotEncode) -> [UInt8] {
            try our.encodeWithoutMark(Array((text + "\n").utf8))
        }
        func end(of text: SourceText) throws(SourceText.CannotEncode) -> [UInt8] {
            text.utf8.isEmpty || text.utf8.last == UInt8(ascii: "\n") ? [] : try line("")
        }
        var result = Array(ours.prefix(our.encoding.markLength))
        result += try line(markers.start)
        result += ours.dropFirst(our.encoding.markLength)
        result += try end(of: our)
        result += try line(markers.middle)
        // Bytes that are invalid in their encoding are kept if possible.
        result +=
            isOneEncoding ? Array(theirs.dropFirst(their.encoding.markLength)) : try our.encodeWithoutMark(their.utf8)
        result += try end(of: their)
        result += try line(markers.end)
        return result
    }

    private static func plain(_ bytes: [UInt8], _ path: String) throws(ModelFormatter.CannotFormat) -> XMLNodeDocument {
        // Normalized, so that a difference in layout is not a change.
        ModelFormatter.format(try ModelFormatter.document(bytes, path: path))
    }

    /// Returns the merge of `.xccurrentversion` files; `nil` for other files.
    private static func mergeCurrentVersions(
        base: [UInt8], ours: [UInt8], theirs: [UInt8], path: String, _ markers: ConflictMarkerStyle
    ) -> Result? {
        let old = CurrentVersionFile(bytes: base, path: path)
        let our = CurrentVersionFile(bytes: ours, path: path)
        let their = CurrentVersionFile(bytes: theirs, path: path)
        guard our.formatted() != nil, their.formatted() != nil, let one = our.versionName,
            let other = their.versionName,
            our.source.encoding.form == .utf8, their.source.encoding.form == .utf8
        else { return nil }
        if one == other || other == old.versionName { return Result(bytes: ours, conflicts: []) }
        if one == old.versionName { return Result(bytes: theirs, conflicts: []) }
        var text = ""
        for (left, right) in zip(lines(naming: one), lines(naming: other)) {
            text += left == right ? left : "\(markers.start)\n\(left)\(markers.middle)\n\(right)\(markers.end)\n"
        }
        return Result(
            bytes: Array(text.utf8),
            conflicts: ["the current version is “\(one)” here and “\(other)” there"])
    }

    private static func lines(naming version: String) -> [String] {
        String(decoding: CurrentVersionFile.contents(naming: version), as: UTF8.self)
            .split(separator: "\n").map { $0 + "\n" }
    }
}
