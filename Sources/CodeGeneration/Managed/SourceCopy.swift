internal import ModelSchema
internal import SwiftSources

/// Makes the copy of a source: as it is for Apple's platforms, and for others with accessors written out, without Objective-C
/// attributes, and with texts for `#keyPath`.
struct SourceCopy {
    let source: ManagedSource
    let bodies: AccessorBodies

    /// A change of some bytes.
    private struct Edit {
        var range: Range<Int>
        var text: String
    }

    /// The copy, without a header.
    var text: String {
        let location = "#sourceLocation(file: \(SwiftIdentifier.stringLiteral(source.path)), line: 1)\n"
        let original = Self.endingWithNewline(String(decoding: source.bytes, as: UTF8.self))
        return "#if canImport(ObjectiveC)\n" + location + original + "#sourceLocation()\n#else\n" + location
            + Self.endingWithNewline(changed) + "#sourceLocation()\n#endif\n"
    }

    private static func endingWithNewline(_ text: String) -> String {
        text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n"
    }

    private var changed: String {
        var edits = (source.file.managedAttributes + source.file.objectiveCAttributes).map { range in
            Edit(range: range, text: blanked(range))
        }
        for keyPath in source.file.keyPaths {
            edits.append(Edit(range: keyPath.range, text: Self.literal(keyPath.path)))
        }
        for property in source.file.managedProperties { edits += accessors(of: property) }
        for function in source.file.managedFunctions {
            guard let body = bodies.function(function) else { continue }
            edits.append(Edit(range: function.end..<function.end, text: " { \(body) }"))
        }
        edits.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
        var result: [UInt8] = []
        var place = 0
        for edit in edits where edit.range.lowerBound >= place {
            result += source.bytes[place..<edit.range.lowerBound]
            result += Array(edit.text.utf8)
            place = edit.range.upperBound
        }
        result += source.bytes[place...]
        return String(decoding: result, as: UTF8.self)
    }

    /// As many spaces as there are characters, and the line ends.
    private func blanked(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(source.text(range).unicodeScalars.map { $0 == "\n" || $0 == "\r" ? $0 : " " }))
    }

    private func accessors(of property: SwiftFile.ManagedProperty) -> [Edit] {
        let body = bodies.property(property)
        let text = " { get { \(body.get) } set { \(body.set) } }"
        guard property.typeRange.isEmpty else {
            return [Edit(range: property.typeRange.upperBound..<property.typeRange.upperBound, text: text)]
        }
        // `a, b: Int`: the type stands behind the last name only.
        guard
            let owner = source.file.managedProperties.first(where: {
                $0.nameRange.lowerBound > property.nameRange.lowerBound && !$0.typeRange.isEmpty
            })
        else { return [] }
        let end = property.nameRange.upperBound
        return [Edit(range: end..<end, text: ": " + source.text(owner.typeRange) + text)]
    }

    /// `#keyPath(Book.author.name)` is "author.name", `#keyPath(title)` "title".
    private static func literal(_ path: [String]) -> String {
        let isType = path.count > 1 && path[0].first?.isUppercase == true
        return SwiftIdentifier.stringLiteral(path.dropFirst(isType ? 1 : 0).joined(separator: "."))
    }
}
