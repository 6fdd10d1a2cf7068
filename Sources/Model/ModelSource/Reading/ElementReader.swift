internal import Diagnostics
internal import ModelSchema

/// Reads the attributes of an XML element one by one, and then reports the unread ones.
struct ElementReader {
    let element: XMLElement
    let index: Int
    private var taken: UInt64 = 0

    init(_ element: XMLElement, index: Int) {
        self.element = element
        self.index = index
    }

    var origin: ElementOrigin { ElementOrigin(index: index) }

    /// Returns the value of an attribute, or `nil` if it is absent.
    mutating func string(_ name: XMLName) -> String? {
        for position in element.attributes.indices where element.attributes[position].knownName == name {
            if position < 64 { taken |= 1 << UInt64(position) }
            return element.attributes[position].value
        }
        return nil
    }

    /// Returns the value of an attribute, or an empty string if it is absent.
    mutating func requiredString(_ name: XMLName) -> String { string(name) ?? "" }

    /// Returns the value of a Boolean attribute, or `nil` if it is absent. Xcode writes `YES` and `NO`; its template
    /// for new files once wrote `false` (Documentation/Formats/ModelSource.md, 2.1).
    mutating func flag(_ name: XMLName, _ findings: inout [ModelFinding]) -> Bool? {
        guard let value = string(name) else { return nil }
        switch value {
        case "YES", "true", "1": return true
        case "NO", "false", "0", "": return false
        default:
            findings.record(
                ModelFinding(
                    .warning, rule: .malformedValue,
                    "“\(value)” is neither YES nor NO; the flag “\(name.rawValue)” is read as NO", at: origin,
                    attribute: name.rawValue,
                    help: "Write \(name.rawValue)=\"YES\", or remove the attribute."))
            return false
        }
    }

    /// Returns the integer value of an attribute, or `nil` if it is absent or invalid.
    mutating func integer(_ name: XMLName, _ findings: inout [ModelFinding]) -> Int? {
        guard let value = string(name) else { return nil }
        if let number = Int(value) { return number }
        if !value.isEmpty {
            findings.record(
                ModelFinding(
                    .warning, rule: .malformedValue,
                    "“\(value)” is not an integer; “\(name.rawValue)” is ignored",
                    at: origin, attribute: name.rawValue, help: "Write an integer, or remove the attribute."))
        }
        return nil
    }

    /// Returns the unread attributes, which are kept and reported.
    func leftovers(_ findings: inout [ModelFinding]) -> [UnrecognizedItem] {
        let count = element.attributes.count
        guard count > 0, count > 64 || taken != (count == 64 ? UInt64.max : (1 << UInt64(count)) - 1) else { return [] }
        var items: [UnrecognizedItem] = []
        for position in 0..<count where position >= 64 || taken & (1 << UInt64(position)) == 0 {
            let attribute = element.attributes[position]
            items.append(
                UnrecognizedItem(name: attribute.name, kind: .attribute(value: attribute.value), origin: origin))
            findings.recordUnknownAttribute(attribute.name, on: element.name, at: origin)
        }
        return items
    }
}

extension [ModelFinding] {
    /// The maximum number of findings that are kept for one file. A file with more is not a real model.
    private static var limit: Int { 10_000 }

    /// Adds a finding, up to the limit: a malicious file could cause any number of them.
    mutating func record(_ finding: @autoclosure () -> ModelFinding) {
        if count < Self.limit { append(finding()) }
    }

    /// Reports an XML attribute that is not in the vocabulary.
    mutating func recordUnknownAttribute(_ name: String, on elementName: String, at origin: ElementOrigin) {
        // Names that people and tools write instead of the correct ones (Documentation/Formats/ModelSource.md, 4.6 and
        // 7).
        let realName = ["renamingIdentifier": "elementID", "deleteRule": "deletionRule", "inverse": "inverseName"][name]
        record(
            ModelFinding(
                .note, rule: .unknownXML, "the attribute “\(name)” of <\(elementName)> is unknown and has no effect",
                at: origin, attribute: name, why: realName == nil ? nil : "Xcode does not read it either.",
                help: realName.map { "The attribute that Xcode reads is “\($0)”." }
                    ?? ModelVocabulary.attributeHelp(name, on: elementName)))
    }
}
