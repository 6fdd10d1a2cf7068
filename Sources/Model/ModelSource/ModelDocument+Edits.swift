package import Diagnostics
package import ModelSchema

extension ModelDocument {
    /// Returns the edit that adds an XML attribute to an element or changes its value; `nil` if there is no such
    /// element.
    ///
    /// A new attribute is inserted where Xcode would write it, if the others are in Xcode's order.
    package func edit(setting attribute: String, to value: String, of origin: ElementOrigin?) -> FixIt.Edit? {
        guard let origin, let tag = byteRange(of: origin) else { return nil }
        let escaped = XMLWriter.escaped(value)
        if let range = byteRange(of: origin, valueOf: attribute) { return edit(range, escaped) }
        let location = byteOffset(forNew: attribute, of: origin) ?? tag.upperBound
        return edit(location..<location, " \(attribute)=\"\(escaped)\"")
    }

    /// Returns the edit that removes an XML attribute from an element, with the space before it; `nil` if the element
    /// does not have it.
    package func edit(removing attribute: String, of origin: ElementOrigin?) -> FixIt.Edit? {
        guard let origin, let range = byteRange(of: origin, attribute: attribute) else { return nil }
        return edit(range.lowerBound - 1..<range.upperBound, "")
    }

    private func edit(_ bytes: Range<Int>, _ replacement: String) -> FixIt.Edit {
        FixIt.Edit(bytes: bytes, range: lines.range(of: bytes), replacement: replacement)
    }
}

/// The reason why edits were not applied. The file is unchanged.
package struct EditFailure: Error, Sendable {
    /// The error, with its location.
    package var diagnostic: Diagnostic
}

extension ModelDocument {
    /// Returns the document with edits applied, in the file's own encoding: `source.bytes` is the file to write.
    ///
    /// The result is read back and compared: only the XML attributes that the edits name may have changed.
    ///
    /// - Parameter edits: Replacements that do not overlap.
    /// - Throws: `EditFailure` if the file's encoding lacks a character, or if the edits would change anything else.
    package func applying(_ edits: [FixIt.Edit]) throws(EditFailure) -> ModelDocument {
        let old = source.utf8
        var text: [UInt8] = []
        var position = 0
        let order = edits.indices.sorted { (edits[$0].bytes.lowerBound, $0) < (edits[$1].bytes.lowerBound, $1) }
        for edit in order.map({ edits[$0] }) {
            guard edit.bytes.lowerBound >= position, edit.bytes.upperBound <= old.count else { throw mismatch }
            text += old[position..<edit.bytes.lowerBound]
            text += edit.replacement.utf8
            position = edit.bytes.upperBound
        }
        text += old[position...]
        let bytes: [UInt8]
        do throws(SourceText.CannotEncode) {
            bytes = try source.encode(text)
        } catch {
            throw EditFailure(diagnostic: error.diagnostic(path: path))
        }
        guard let result = try? ModelDocument(bytes: bytes, path: path, name: model.name),
            result.source.encoding == source.encoding, result.isCreated(of: self, by: edits)
        else { throw mismatch }
        return result
    }

    private var mismatch: EditFailure { EditFailure(diagnostic: RewriteCheck.mismatch(path: path)) }

    /// Returns whether the document differs from an old one only in attributes that edits replaced.
    private func isCreated(of old: ModelDocument, by edits: [FixIt.Edit]) -> Bool {
        let elements = tree.elements
        guard elements.count == old.tree.elements.count, tree.problems.count == old.tree.problems.count,
            tree.remarks.map(\.markup) == old.tree.remarks.map(\.markup)
        else { return false }
        var rest = edits.sorted { $0.bytes.lowerBound < $1.bytes.lowerBound }[...]
        return old.tree.elements.indices.allSatisfy { index in
            let (before, after) = (old.tree.elements[index], elements[index])
            let own = rest.prefix { $0.bytes.upperBound <= before.tag.upperBound }
            rest = rest.dropFirst(own.count)
            guard before.name == after.name, before.parent == after.parent, before.text == after.text else {
                return false
            }
            if before.attributes == after.attributes { return true }
            let names = old.attributeNames(in: own, ofElementAt: index)
            return before.attributes.filter { !names.contains($0.name) }
                == after.attributes.filter { !names.contains($0.name) }
        }
    }

    /// The names of the attributes that the edits of an element's tag change, remove or insert.
    private func attributeNames(in edits: ArraySlice<FixIt.Edit>, ofElementAt index: Int) -> Set<String> {
        let attributes = tree.attributeRanges(ofElementAt: index)
        let names = edits.map { edit in
            let edited = attributes.first {
                $0.value == edit.bytes || !edit.bytes.isEmpty && $0.whole.overlaps(edit.bytes)
            }
            // An inserted attribute's name is in the replacement.
            return edited?.name ?? String(edit.replacement.prefix { $0 != "=" }.drop { $0 == " " })
        }
        return Set(names)
    }
}
