/// Substitutes the values that are the same in every file of a run once, before templates are rendered hundreds of times:
/// most tags of the built-in templates have such values.
///
/// This is sound because each `RenderName` has one meaning: objects of entities and properties have no names of the run.
struct MustacheSpecializer {
    /// The object with the values of the run.
    let common: RenderObject

    /// Returns the nodes with the run's values substituted and adjacent texts joined.
    func specialize(_ nodes: [MustacheNode]) -> [MustacheNode] {
        var result: [MustacheNode] = []
        append(nodes, to: &result)
        return result
    }

    private func append(_ nodes: [MustacheNode], to result: inout [MustacheNode]) {
        for node in nodes {
            switch node {
            case .text(let text):
                append(text, to: &result)
            case .variable(let path):
                switch value(path) {
                case .string(let text)?: append(text, to: &result)
                case .bool(let truth)?: append(truth ? "true" : "false", to: &result)
                case .list?, .object?, nil: result.append(node)
                }
            case .section(let path, let isInverted, let inner):
                if case .bool(let truth)? = value(path) {
                    if truth != isInverted { append(inner, to: &result) }
                } else {
                    result.append(.section(path, isInverted: isInverted, specialize(inner)))
                }
            case .partial(let inner):
                append(inner, to: &result)
            }
        }
    }

    private func append(_ text: String, to result: inout [MustacheNode]) {
        if case .text(let before)? = result.last {
            result[result.count - 1] = .text(before + text)
        } else if !text.isEmpty {
            result.append(.text(text))
        }
    }

    /// Returns the value that a path has in every file, or `nil`.
    private func value(_ path: MustachePath) -> RenderValue? {
        guard path.parts.count == 1, let name = path.parts.first?.name else { return nil }
        return common[name]
    }
}
