internal import ModelSchema
internal import SwiftSources

/// The text that replaces `#selector` in copies: a `Selector` of the runtime, which calls a method without the
/// Objective-C runtime.
struct SelectorText {
    let source: ManagedSource
    let target: TargetSources

    /// The methods that the runtime knows by name.
    private static let comparisons: Set<String> = [
        "caseInsensitiveCompare", "compare", "localizedCaseInsensitiveCompare", "localizedCompare",
        "localizedStandardCompare",
    ]

    /// Returns the text for an expression; `nil` if the class of the method is unknown.
    func text(of selector: SwiftFile.SelectorExpression) -> String? {
        guard selector.isPlain, let method = selector.path.last else { return nil }
        if let name = name(of: selector) { return "Selector(\(SwiftIdentifier.stringLiteral(name)))" }
        guard selector.accessor == nil, let owner = owner(of: selector) else { return nil }
        let labels = selector.labels.map { "(" + $0.map { "\($0):" }.joined() + ")" } ?? ""
        let name = SwiftIdentifier.stringLiteral(Self.objectiveCName(method, selector.labels))
        return "Selector(\(name), calling: \(owner).\(SwiftIdentifier.declared(method))\(labels))"
    }

    /// Returns the name of a comparison or of a property's accessor.
    private func name(of selector: SwiftFile.SelectorExpression) -> String? {
        guard let name = selector.path.last else { return nil }
        switch selector.accessor {
        case "getter": return name
        case "setter": return "set\(name.prefix(1).uppercased())\(name.dropFirst()):"
        default:
            guard Self.comparisons.contains(name), selector.path.count > 1, selector.labels ?? ["_"] == ["_"] else {
                return nil
            }
            return "\(name):"
        }
    }

    /// Returns a method's name in Objective-C, up to the colons if the labels are not written: the runtime adds these.
    private static func objectiveCName(_ method: String, _ labels: [String]?) -> String {
        guard let labels, let first = labels.first else { return method }
        let start = first == "_" ? "" : "With\(first.prefix(1).uppercased())\(first.dropFirst())"
        return "\(method)\(start):" + labels.dropFirst().map { $0 == "_" ? ":" : "\($0):" }.joined()
    }

    /// Returns the class of the method as Swift code writes it.
    private func owner(of selector: SwiftFile.SelectorExpression) -> String? {
        var path = Array(selector.path.dropLast())
        if path.isEmpty || path == ["self"] || path == ["Self"] {
            let location = selector.range.lowerBound
            guard let body = source.file.bodies.last(where: { $0.range.contains(location) }) else { return nil }
            path = body.context.path
        } else if path.last?.first?.isUppercase != true {
            return nil
        }
        if let type = target.declaration(path)?.type, type.kind != .class { return nil }
        return RuntimeTable.typeName(path)
    }
}
