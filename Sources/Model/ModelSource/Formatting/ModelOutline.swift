/// A model as lines of text for `git diff`: a line for each element, with its kind in words and every XML attribute, so
/// that every change of the file changes the text.
package enum ModelOutline {
    /// Returns the text of a `contents` or `.xccurrentversion` file; `nil` if it is neither, or if a part of it cannot
    /// be read.
    package static func text(_ bytes: [UInt8]) -> String? {
        if let document = try? ModelFormatter.document(bytes, path: "") {
            var lines = document.head
            add(ModelFormatter.format(document).root, depth: 0, to: &lines)
            // A value may contain a line feed, which must not start a new line.
            return (lines + document.tail).map { oneLine($0) + "\n" }.joined()
        }
        let file = CurrentVersionFile(bytes: bytes, path: "")
        guard file.formatted() != nil, let name = file.versionName else { return nil }
        return "current version: \(name)\n"
    }

    private static func add(_ node: XMLNode, depth: Int, to lines: inout [String]) {
        let indent = String(repeating: "  ", count: depth)
        switch node.name {
        case "uniquenessConstraint", "compoundIndex":
            let kind = node.name == "compoundIndex" ? "index" : "unique"
            lines.append("\(indent)\(kind): \(node.children.map { $0["value"] ?? "?" }.joined(separator: ", "))")
            return
        // Only their children are printed.
        case "uniquenessConstraints", "compoundIndexes":
            for child in node.children { add(child, depth: depth, to: &lines) }
            return
        case "userInfo":
            for child in node.children {
                lines.append("\(indent)info \(child["key"] ?? "?"): \(oneLine(child["value"] ?? ""))")
            }
            return
        default:
            lines.append(indent + line(node))
        }
        for item in node.items {
            switch item {
            case .element(let child): add(child, depth: depth + 1, to: &lines)
            case .remark(let text), .text(let text): lines.append("\(indent)  \(oneLine(text))")
            }
        }
    }

    private static func line(_ node: XMLNode) -> String {
        var rest = node.attributes
        func take(_ name: String) -> String? {
            guard let index = rest.firstIndex(where: { $0.name == name }) else { return nil }
            return rest.remove(at: index).value
        }
        var head = words[node.name] ?? node.name
        if let name = take("name") ?? take("property") { head += " " + oneLine(name) }
        switch node.name {
        case "attribute": head += take("attributeType").map { ": \($0)" } ?? ""
        case "relationship":
            head += take("destinationEntity").map { ": \(node["toMany"] == "YES" ? "[\($0)]" : $0)" } ?? ""
        case "entity": head += take("parentEntity").map { ": \($0)" } ?? ""
        default: break
        }
        let details = rest.map { attribute in
            let name = words[attribute.name] ?? attribute.name
            return attribute.value == "YES" ? name : "\(name) \(quoted(attribute.value))"
        }
        return details.isEmpty ? head : "\(head), \(details.joined(separator: ", "))"
    }

    private static func quoted(_ value: String) -> String {
        let isWord = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: ",") }
        return isWord ? value : "“\(oneLine(value))”"
    }

    private static func oneLine(_ text: String) -> String {
        text.replacing("\r", with: "\\r").replacing("\n", with: "\\n")
    }

    /// Human-readable names of elements and XML attributes.
    private static let words: [String: String] = [
        "codeGenerationType": "codegen", "coreSpotlightDisplayNameExpression": "Spotlight name",
        "defaultValueString": "default", "deletionRule": "delete rule",
        "derivationExpression": "derived from", "elementID": "renamed from", "fetchIndex": "index",
        "fetchIndexElement": "by", "fetchRequest": "fetch request", "fetchedProperty": "fetched property",
        "inverseEntity": "of", "inverseName": "inverse", "isAbstract": "abstract", "maxCount": "at most",
        "maxValueString": "maximum", "memberEntity": "entity", "minCount": "at least", "minValueString": "minimum",
        "predicateString": "where", "regularExpressionString": "matching", "representedClassName": "class",
        "toMany": "to-many", "usesScalarValueType": "scalar", "valueTransformerName": "transformer",
        "versionHashModifier": "hash modifier",
    ]
}
