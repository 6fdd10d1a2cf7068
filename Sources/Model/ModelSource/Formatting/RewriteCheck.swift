package import Diagnostics

/// Compares a rewritten file, read back from its bytes, with the file that it will replace.
///
/// A rewrite works on its own tree of nodes. The comparison reads the bytes of both files with libxml2, so that an
/// error in that tree cannot go unnoticed.
package enum RewriteCheck {
    /// Returns whether two files have the same elements with the same attributes, text and comments. Attributes may be
    /// in any order, and so may children as far as Xcode sorts them.
    package static func areEquivalent(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        let (first, second) = (XMLTreeParser.parse(first), XMLTreeParser.parse(second))
        return first.problems.isEmpty && second.problems.isEmpty
            && first.remarks.map(\.markup).sorted() == second.remarks.map(\.markup).sorted()
            && contentHash(of: first) == contentHash(of: second)
    }

    /// Returns the error for a rewrite that would change the content of a file.
    package static func mismatch(path: String) -> Diagnostic {
        Diagnostic(
            .error, rule: .rewriteMismatch, "the rewritten file would not have the same content", file: path,
            range: .fileStart, why: "The result was read back and compared before writing. The file was left as it is.",
            help: "This is a bug in modelc. Please report it with the file.")
    }

    /// Returns a hash of everything in a document except comments.
    private static func contentHash(of tree: XMLTree) -> [Int] {
        var hashes = Array(repeating: 0, count: tree.elements.count)
        // Children come after their parents.
        for index in tree.elements.indices.reversed() {
            let element = tree.elements[index]
            var hasher = Hasher()
            hasher.combine(element.name)
            for attribute in element.attributes.sorted(by: { $0.name < $1.name }) {
                hasher.combine(attribute.name)
                hasher.combine(attribute.value)
            }
            hasher.combine(element.text.trimmingXMLSpace())
            let groups = Dictionary(grouping: element.children) { tree.elements[$0].name }
            let sortedKinds = CanonicalOrder.sortedKinds(in: element.name)
            for (kind, children) in groups.sorted(by: { $0.key < $1.key }) {
                let childHashes = children.map { hashes[$0] }
                hasher.combine(sortedKinds.contains(kind) ? childHashes.sorted() : childHashes)
            }
            hashes[index] = hasher.finalize()
        }
        return [hashes.count, hashes.first ?? 0]
    }
}

extension SourceText.CannotEncode {
    /// Returns the error for a file that cannot be written in its encoding.
    package func diagnostic(path: String) -> Diagnostic {
        let code = String(character.value, radix: 16, uppercase: true)
        return Diagnostic(
            .error, rule: .cannotEncode, "\(encodingName) cannot represent “\(character)” (U+\(code))", file: path,
            range: .fileStart, why: "The file is written back in its own encoding. It was left as it is.",
            help: "Convert the file to UTF-8 first.")
    }
}
